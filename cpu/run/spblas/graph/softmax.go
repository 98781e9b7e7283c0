package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Softmax sets out[e], for each entry e of s in the order of [sparse.Matrix.CSR], to
//
//	e^(s_e - top) / sum over the row's entries of e^(s - top)
//
// where top is the greatest value of the row. A NaN or +Inf in a row makes its entries NaN, and so does a row of nothing but -Inf. The result does not depend on
// the number of threads. Softmax panics with a [layout.ShapeError] if out has not an element for each entry.
func (set *Attention[T]) Softmax(opt run.Options, out []T, s sparse.Matrix[T]) {
	name := opt.Name("cpu.EdgeSoftmax")
	checkEdges(name, opt, s, "out", out, "", nil)
	kern := choose.Table(&set.choice, name, set.Variants, opt.ISA)
	if s.NNZ() == 0 {
		return
	}
	c := &edgeCall[T]{raw: s.Raw(), kern: kern, out: out}
	c.run(call.ThreadsFor(opt, 16*float64(s.NNZ())))
}

// SoftmaxBack sets din[e] = out[e] * (dout[e] - sum over the row of out*dout). That is the
// gradient of [Attention.Softmax] from its result out and its result's gradient dout. s
// says which entries are a row. din may be dout. It panics as Softmax does.
func (set *Attention[T]) SoftmaxBack(opt run.Options, din []T, s sparse.Matrix[T], out, dout []T) {
	name := opt.Name("cpu.EdgeSoftmaxBack")
	checkEdges(name, opt, s, "din", din, "out", out)
	checkEntries(check.Call(name), "dout", len(dout), s.NNZ())
	if s.NNZ() == 0 {
		return
	}
	if mem.Touch(din, dout) && &din[0] != &dout[0] {
		check.Call(name).Refuse("din shares memory with dout, at another place; want the same slice, or another one")
	}
	c := &edgeCall[T]{raw: s.Raw(), out: din, weights: out, dout: dout}
	c.run(call.ThreadsFor(opt, float64(s.NNZ())))
}

func checkEdges[T dtype.Float](name string, opt run.Options, s sparse.Matrix[T], to string, out []T, from string, other []T) {
	c := check.Call(name)
	call.CheckOptions(c, &opt, "a softmax has no alpha and no beta; leave Options.Scaling unset")
	checkEntries(c, to, len(out), s.NNZ())
	if from == "" {
		return
	}
	checkEntries(c, from, len(other), s.NNZ())
	if mem.Touch(out, other) {
		c.Refuse("%s shares memory with %s; copy it first", to, from)
	}
}

// checkEntries refuses a vector that has not an element for each of n entries.
func checkEntries(c check.Call, name string, have, n int) {
	if have != n {
		c.Refuse("%s has %d elements, s has %d entries; want one for each", name, have, n)
	}
}

// edgeCall is one call.
type edgeCall[T dtype.Float] struct {
	raw           sparse.Raw
	kern          *kernel.Table[kernel.Func[kernel.SparseArgs]] // nil: in Go
	out           []T
	weights, dout []T // of a gradient
	job           call.Job
}

const edgeRows = 256 // taken at once

func (c *edgeCall[T]) run(threads int) {
	c.job.Run(c, threads, call.SumStep, mem.Ceil(c.raw.Rows, edgeRows))
}

// Task does some rows.
func (c *edgeCall[T]) Task(w *call.Scratch, t int) {
	pointers, values := call.RowPointers(c.raw), call.SliceOf((*T)(c.raw.Values), c.raw.NNZ)
	var shift, exp kernel.Func[kernel.SparseArgs]
	if c.kern != nil {
		shift, exp = c.kern.Op("Shift").F, c.kern.Op("Exp").F
	}
	end := min((t+1)*edgeRows, c.raw.Rows)
	for i := t * edgeRows; i < end; {
		from, to := int(pointers[i]), i+1
		for to < end && int(pointers[to+1])-from <= attentionPiece { // an assembly call ends soon
			to++
		}
		n := int(pointers[to]) - from
		switch {
		case n == 0:
		case c.weights != nil:
			c.back(pointers[i : to+1])
		case c.kern != nil && n <= attentionPiece:
			g := &w.Args
			size := int(unsafe.Sizeof(values[0]))
			g.Pointers, g.Rows, g.From = unsafe.Add(c.raw.Pointers, i*4), int64(to-i), int64(from)
			g.A, g.C = unsafe.Add(c.raw.Values, from*size), unsafe.Pointer(&c.out[from])
			shift(g)
			g.K, g.N = int64(n/c.kern.VL), int64(n%c.kern.VL)
			exp(g)
		default:
			for r := i; r < to; r++ {
				if a, b := pointers[r], pointers[r+1]; a < b {
					call.ExpRow(c.out[a:b], values[a:b])
				}
			}
		}
		if c.weights == nil {
			c.divide(pointers[i : to+1])
		}
		i = to
	}
}

// divide makes each row's sum 1.
func (c *edgeCall[T]) divide(pointers []int32) {
	for r := range len(pointers) - 1 {
		row := c.out[pointers[r]:pointers[r+1]]
		sum := T(0)
		for _, x := range row {
			sum += x
		}
		for e := range row {
			row[e] /= sum
		}
	}
}

func (c *edgeCall[T]) back(pointers []int32) {
	for r := range len(pointers) - 1 {
		from, to := pointers[r], pointers[r+1]
		sum := T(0)
		for e := from; e < to; e++ {
			sum += T(c.weights[e] * c.dout[e])
		}
		for e := from; e < to; e++ {
			c.out[e] = c.weights[e] * (c.dout[e] - sum)
		}
	}
}
