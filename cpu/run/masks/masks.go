package masks

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Set is the kernels for float32, of which there are none without assembly; float64 has plain Go.
type Set struct {
	Name     string
	Variants []*run.MaskKernels // best first

	choice choose.Choice
}

// piece is how many numbers are done at once: a multiple of what a kernel does, and an assembly call of them takes microseconds.
const piece = 1 << 13

// A number takes about a nanosecond by kernels, with the memory that they lie in, and ten in Go; a second
// goroutine that is woken costs some tens of microseconds.
const threaded, threadedInGo = 1 << 16, piece

// call is one call.
type call[T dtype.Float] struct {
	kern   *run.MaskKernels // nil: in Go
	limit  uint64
	scale  float64
	stream rand.Stream
	p      float64
	out, x []T
	next   atomic.Int64
}

// scratch is what a kernel reads, of one goroutine.
type scratch struct {
	args     run.RandomArgs
	counters [8]uint64 // as many as the widest vector has lanes
}

var scratches mem.Pool[scratch]

// Drop sets out[k] to x[k] times number k of the mask that [rand.Dropout] makes of s and p: the same bits
// for any number of goroutines and any kernel. out may be x.
//
// It panics unless 0 <= p < 1, and with a [layout.ShapeError] if out is not as long as x or shares memory with it at another place.
func Drop[T dtype.Float](set *Set, opt run.Options, out, x []T, s rand.Stream, p float64) {
	name := opt.Name(set.Name)
	run.CheckThreads(name, opt.Threads)
	switch {
	case opt.B != nil:
		panic(run.OptionError{What: name, Why: "Options.B is for dense products; leave it nil"})
	case opt.Scaling.On():
		panic(run.OptionError{What: name, Why: "a mask has no alpha and no beta; leave Options.Scaling unset"})
	case len(out) != len(x):
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out has %d numbers, x has %d; want as many", len(out), len(x))})
	}
	limit, scale := rand.Threshold(name, p)
	kern := choose.Pick(&set.choice, name, set.Variants, func(k *run.MaskKernels) string { return k.ISA }, opt.ISA)
	if len(out) == 0 {
		return
	}
	if &out[0] != &x[0] && mem.Touch(out, x) {
		panic(layout.ShapeError{What: name, Why: "out shares memory with x, at another place; want the same slice, or another one"})
	}
	if dtype.Of[T]() != dtype.F32 || limit > math.MaxUint32 {
		kern = nil
	}
	c, per := &call[T]{kern: kern, limit: limit, scale: scale, stream: s, p: p, out: out, x: x}, threaded
	if kern == nil {
		per = threadedInGo
	}
	work.Run(c, min(work.Allowed(opt.Threads), 1+len(out)/per))
}

// Work is the share of one goroutine.
func (c *call[T]) Work(bool) {
	w := scratches.Get()
	defer scratches.Put(w)
	for {
		first := (int(c.next.Add(1)) - 1) * piece
		if first >= len(c.out) {
			return
		}
		end := min(first+piece, len(c.out))
		at := first
		if c.kern != nil {
			at += c.drop(w, first, end)
		}
		rand.Drop(c.stream, uint64(at), c.out[at:end], c.x[at:end], c.p)
	}
}

// drop does numbers from first on by the kernel, which is a multiple of four, and returns how many.
func (c *call[T]) drop(w *scratch, first, end int) int {
	lanes := c.kern.Lanes
	n := (end - first) / c.kern.Step * c.kern.Step
	if n == 0 {
		return 0
	}
	for i := range lanes / 2 {
		block := uint64(first/4 + i)
		w.counters[2*i], w.counters[2*i+1] = block, block+uint64(lanes/2)
	}
	turned := int64(uint32(c.limit) ^ 1<<31)
	w.args = run.RandomArgs{
		X: unsafe.Pointer(&c.x[first]), Out: unsafe.Pointer(&c.out[first]), N: int64(n), Counters: unsafe.Pointer(&w.counters),
		Low: int64(uint32(c.stream.Number)), High: int64(c.stream.Number >> 32),
		Limit: turned<<32 | turned, Scale: uint64(math.Float32bits(float32(c.scale))),
	}
	for r, keys := range rand.Keys([2]uint32{uint32(c.stream.Seed), uint32(c.stream.Seed >> 32)}) {
		w.args.Keys[2*r], w.args.Keys[2*r+1] = int64(keys[0]), int64(keys[1])
	}
	c.kern.Drop(&w.args)
	w.args.X, w.args.Out = nil, nil // do not keep the caller's memory alive
	return n
}
