package conv

import (
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/layout"
)

// A walk is one call. Its tasks are each some rows of an image by some panels of channels, in any order and
// by any number of goroutines.
type walk[T Elem, S Sum] struct {
	*window
	kernels *kernels[T, S]
	opt     run.Options
	to      []T
	from    []T
	weights *Weights[T]
	bias    []S // of all panels, or nil

	panels         int // of a task
	chunks, groups int // tasks of an image
	next           atomic.Int64
}

// buffer is what a worker has of its own.
type buffer[T Elem] struct {
	rows  []T // the copy of the source
	panel []T // results, of which some are behind the last channel
}

func (c *Conv[T, S]) walk(method string, opt run.Options, w *window, to string, dst []T, sizeDst int, from string, src []T, sizeSrc int, weights *Weights[T], bias []S) {
	c.check(method, opt, to, dst, sizeDst, from, src, sizeSrc)
	if weights == nil || weights.of != w {
		refuse(method, "w was packed by another Conv or for another direction; want what Pack of this one returned for Forward and ForwardBiasReLU, and PackBackward for BackwardData")
	}
	if c.Depthwise {
		c.depth(opt, w, dst, src, weights.data, bias)
		return
	}
	x := &walk[T, S]{window: w, kernels: c.kernels, opt: opt, to: dst, from: src, weights: weights, bias: bias}
	if rest := w.dst[2] % c.kernels.width; bias != nil && rest != 0 {
		x.bias = append(bias[:len(bias):len(bias)], make([]S, c.kernels.width-rest)...)
	}
	threads := opt.Threads
	if threads == 0 {
		threads = run.Threads()
	}
	x.divide(threads)
	c.share(min(threads, w.images*x.chunks*x.groups), x.work)
}

// check panics as Forward does.
func (c *Conv[T, S]) check(method string, opt run.Options, to string, dst []T, sizeDst int, from string, src []T, sizeSrc int) {
	c.length(method, to, len(dst), sizeDst)
	c.length(method, from, len(src), sizeSrc)
	options(method, opt)
	if dense.Share(dst, src) {
		refuse(method, to+" shares memory with "+from)
	}
}

// options panics if there are others than convolutions have.
func options(method string, opt run.Options) {
	run.CheckThreads("conv."+method, opt.Threads)
	if opt.B != nil || opt.Scaling.On() || opt.NoWrap || opt.Conj != 0 {
		panic(run.OptionError{What: "conv." + method, Why: "convolutions have the options Threads and ISA; leave out others"})
	}
}

// shares reports whether sums and elements share memory; of different types they cannot.
func shares[T Elem, S Sum](sums []S, x []T) bool {
	same, ok := any(x).([]S)
	return ok && dense.Share(sums, same)
}

// divide chooses how many panels a task has: all of them unless that leaves threads idle.
func (x *walk[T, S]) divide(threads int) {
	const some = 2 // tasks for each thread, so that the last one does not take as long as all
	all := (x.dst[2] + x.kernels.width - 1) / x.kernels.width
	x.chunks, x.groups = (x.most()+x.rows-1)/x.rows, 1
	if tasks := x.images * x.chunks; threads > 1 && tasks < some*threads {
		x.groups = min(all, (some*threads+tasks-1)/tasks)
	}
	x.panels = (all + x.groups - 1) / x.groups
	x.groups = (all + x.panels - 1) / x.panels
}

// share has goroutines work, the caller among them, and passes a panic of one on.
func (c *Conv[T, S]) share(threads int, work func(b *buffer[T])) {
	one := func() {
		b, ok := c.buffers.Get().(*buffer[T])
		if !ok {
			b = &buffer[T]{}
		}
		defer c.buffers.Put(b)
		work(b)
	}
	var group sync.WaitGroup
	var failed atomic.Value
	for range threads - 1 {
		group.Go(func() {
			defer func() {
				if e := recover(); e != nil {
					failed.CompareAndSwap(nil, &e)
				}
			}()
			one()
		})
	}
	func() {
		defer group.Wait()
		one()
	}()
	if e, ok := failed.Load().(*any); ok {
		panic(*e)
	}
}

// work does tasks until there are none.
func (x *walk[T, S]) work(b *buffer[T]) {
	tasks := int64(x.images * x.chunks * x.groups)
	for t := x.next.Add(1) - 1; t < tasks; t = x.next.Add(1) - 1 {
		t := int(t)
		group, chunk, image := t%x.groups, t/x.groups%x.chunks, t/x.groups/x.chunks
		x.task(b, image, chunk*x.rows, group*x.panels)
	}
}

// task does rows from first on of an image, of panels from panel on.
func (x *walk[T, S]) task(b *buffer[T], image, first, panel int) {
	src := x.from[image*x.src[0]*x.src[1]*x.src[2]:][:x.src[0]*x.src[1]*x.src[2]]
	dst := x.to[image*x.dst[0]*x.dst[1]*x.dst[2]:][:x.dst[0]*x.dst[1]*x.dst[2]]
	src = x.seen(b, src, first, min(x.rows, x.most()-first))
	end := min(panel+x.panels, (x.dst[2]+x.kernels.width-1)/x.kernels.width)
	down, _ := x.steps()
	for i := range x.passes {
		p := &x.passes[i]
		n := min(x.rows, p.count[0]-first)
		for row := 0; row < n; {
			c := part{pass: i, row: first + row}
			c.from, c.to = x.inside(p, c.row)
			rows := 1 // with the same blocks
			for ; row+rows < n; rows++ {
				if from, to := x.inside(p, c.row+rows); from != c.from || to != c.to {
					break
				}
			}
			lines, pixels := rows, p.count[1]
			if x.flat {
				lines, pixels = 1, rows*pixels
			}
			some := max(1, x.inner/max(1, pixels))
			for line := 0; line < lines; line += some {
				for at := 0; at < pixels; at += x.inner {
					for c.panel = panel; c.panel < end; c.panel += c.panels {
						c.panels = x.together(c.panel, end)
						for l := line; l < min(lines, line+some); l++ {
							c.row, c.at, c.n = first+row+l, at, min(x.inner, pixels-at)
							x.call(b, c, dst, src[(row+l)*down*x.wide():])
						}
					}
				}
			}
			row += rows
		}
	}
}

// A part is what one call does: n pixels of a row from pixel at on, of some panels, with some blocks of a pass.
type part struct{ pass, panel, panels, row, at, n, from, to int }

// together is how many panels from one on are for one call: all whole ones, or the last one, which is not whole.
func (x *walk[T, S]) together(panel, end int) int {
	whole := min(end, x.dst[2]/x.kernels.width)
	if x.inner >= x.rows*x.dst[1] { // rows one after another by one panel, which stays in a cache
		return 1
	}
	return max(1, whole-panel)
}

func (x *walk[T, S]) call(b *buffer[T], c part, dst, src []T) {
	p, n, panel, width := &x.passes[c.pass], c.n, c.panel, x.kernels.width
	dst = dst[((p.first[0]+c.row*p.every[0])*x.dst[1]+p.first[1]+c.at*p.every[1])*x.dst[2]+panel*width:]
	out := layout.Matrix[T]{Data: dst, Rows: n, Cols: c.panels * width, RowStride: p.every[1] * x.dst[2], ColStride: 1}
	cols := min(c.panels*width, x.dst[2]-panel*width)
	if len(p.taps) == 0 { // pixels that the filter does not see
		for i := range n {
			clear(out.Data[i*out.RowStride:][:cols])
		}
		return
	}
	if cols < width {
		if len(b.panel) < n*width {
			b.panel = make([]T, n*width)
		}
		out.Data, out.RowStride = b.panel[:n*width], width // one that is not whole
	}
	size, block := x.weights.panel[c.pass], p.cols*width
	_, right := x.steps()
	from := blocks.Operand[T]{Data: src[c.at*right*x.channels:], At: p.at[c.from:c.to], Rows: n, Cols: p.cols, Ld: right * x.channels}
	by := blocks.Operand[T]{Data: x.weights.data[x.weights.passes[c.pass]+panel*size:][:c.panels*size][c.from*block:], Stride: block, Count: c.to - c.from, Cols: out.Cols, Ld: size}
	if x.bias != nil {
		x.kernels.layer(x.opt, out, from, by, x.bias[panel*width:][:out.Cols])
	} else {
		x.kernels.sum(x.opt, out, from, by)
	}
	if cols < width {
		for i := range n {
			copy(dst[i*p.every[1]*x.dst[2]:][:cols], out.Data[i*width:])
		}
	}
}
