package masks

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Set is the kernels for float32; without assembly there are none; float64 has plain Go.
type Set struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.VectorArgs]] // best first

	choice choose.Choice
}

// piece is how many numbers are done at once: a multiple of what a kernel does, and an assembly call of them takes microseconds.
const piece = 1 << 13

// A number takes about a nanosecond by kernels, with the memory that they lie in, and ten in Go. Waking a
// second goroutine costs some tens of microseconds.
const threaded, threadedInGo = 1 << 16, piece

// call is one call.
type call[T dtype.Float] struct {
	Dropper[T]
	out, x []T
	tasks  work.Tasks
}

var scratches mem.Pool[Scratch]

// Drop sets out[k] to x[k] times number k of the mask that [rand.Dropout] makes of s and p. The bits are
// the same for any number of goroutines and any kernel. out may be x.
//
// It panics with a [run.OptionError] unless 0 <= p < 1. It panics with a [layout.ShapeError] if out is not as long as
// x, or shares memory with x at another place.
func Drop[T dtype.Float](set *Set, opt run.Options, out, x []T, s rand.Stream, p float64) {
	name := opt.Name(set.Name)
	run.CheckThreads(name, opt.Threads)
	switch {
	case opt.B != nil:
		check.Call(name).RefuseOption("Options.B is for dense products; leave it nil")
	case opt.Scaling.On():
		check.Call(name).RefuseOption("a mask has no alpha and no beta; leave Options.Scaling unset")
	case len(out) != len(x):
		check.Call(name).Refuse("out has %d numbers, x has %d; want as many", len(out), len(x))
	}
	checkProbability(name, p)
	limit, scale := rand.Threshold(name, p)
	kern := choose.Table(&set.choice, name, set.Variants, opt.ISA)
	if len(out) == 0 {
		return
	}
	if &out[0] != &x[0] && mem.Touch(out, x) {
		check.Call(name).Refuse("out shares memory with x, at another place; want the same slice, or another one")
	}
	c, per := &call[T]{Dropper: dropper[T](kern, limit, scale, s, p), out: out, x: x}, threaded
	if c.kern == nil {
		per = threadedInGo
	}
	c.tasks.Begin(mem.Ceil(len(out), piece))
	work.Run(c, min(work.Allowed(opt.Threads), 1+len(out)/per))
}

func checkProbability(name string, p float64) {
	if !(p >= 0 && p < 1) {
		check.Call(name).RefuseOption("p is %v; want a probability from 0 to below 1", p)
	}
}

// Work is the share of one goroutine.
func (c *call[T]) Work(bool) {
	w := scratches.Get()
	defer scratches.Put(w)
	for t, ok := c.tasks.Next(); ok; t, ok = c.tasks.Next() {
		first := t * piece
		end := min(first+piece, len(c.out))
		c.Drop(w, c.out[first:end], c.x[first:end], uint64(first))
	}
}
