package masks

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Dropper drops numbers of a whole that need not be in memory, some at a time, for other packages of the run time.
type Dropper[T dtype.Float] struct {
	kern   *kernel.Table[kernel.Func[kernel.VectorArgs]] // nil: in Go
	stream rand.Stream
	p      float64
	mask   kernel.Dropout // but for the counters
}

// Scratch is what a kernel reads, of one goroutine.
type Scratch struct {
	args kernel.VectorArgs
	mask kernel.Dropout
}

// NewDropper returns a dropper by the mask that [rand.Dropout] makes of s and p. It uses the kernels of an
// instruction set, or the best ones if isa is empty. It panics with a [run.OptionError] of the function
// called name unless 0 <= p < 1.
func NewDropper[T dtype.Float](set *Set, name, isa string, s rand.Stream, p float64) Dropper[T] {
	checkProbability(name, p)
	limit, scale := rand.Threshold(name, p)
	return dropper[T](choose.Table(&set.choice, name, set.Variants, isa), limit, scale, s, p)
}

func dropper[T dtype.Float](kern *kernel.Table[kernel.Func[kernel.VectorArgs]], limit uint64, scale float64, s rand.Stream, p float64) Dropper[T] {
	if dtype.Of[T]() != dtype.F32 || limit > math.MaxUint32 {
		kern = nil
	}
	d := Dropper[T]{kern: kern, stream: s, p: p}
	if kern == nil {
		return d
	}
	turned := int64(uint32(limit) ^ 1<<31)
	d.mask.Low, d.mask.High = int64(uint32(s.Number)), int64(s.Number>>32)
	d.mask.Limit, d.mask.Scale = turned<<32|turned, uint64(math.Float32bits(float32(scale)))
	for r, keys := range rand.Keys([2]uint32{uint32(s.Seed), uint32(s.Seed >> 32)}) {
		d.mask.Keys[2*r], d.mask.Keys[2*r+1] = int64(keys[0]), int64(keys[1])
	}
	return d
}

// Drop sets out[k] to x[k] times number first+k of the mask. out is as long as x, and may be x.
func (d *Dropper[T]) Drop(w *Scratch, out, x []T, first uint64) {
	n := 0
	if d.kern != nil && first%4 == 0 {
		n = d.whole(w, out, x, first/4)
	}
	rand.Drop(d.stream, first+uint64(n), out[n:], x[n:], d.p)
}

// whole does numbers from a block of four on by the kernel, and returns how many.
func (d *Dropper[T]) whole(w *Scratch, out, x []T, block uint64) int {
	lanes, drop := d.kern.VL, d.kern.Op("Drop")
	n := len(x) / drop.NV * drop.NV
	if n == 0 {
		return 0
	}
	w.mask = d.mask
	for i := range lanes / 2 {
		w.mask.Counters[2*i], w.mask.Counters[2*i+1] = block+uint64(i), block+uint64(i+lanes/2)
	}
	w.args.A, w.args.Out, w.args.N, w.args.S = unsafe.Pointer(&x[0]), unsafe.Pointer(&out[0]), int64(n), unsafe.Pointer(&w.mask)
	drop.F(&w.args)
	w.args.A, w.args.Out = nil, nil // do not keep the caller's memory alive
	return n
}
