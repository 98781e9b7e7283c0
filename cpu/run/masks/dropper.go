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
	kern   *kernel.Table[kernel.Func[kernel.RandomArgs]] // nil: in Go
	limit  uint64
	scale  float64
	stream rand.Stream
	p      float64
	keys   [20]int64 // of each round
}

// Scratch is what a kernel reads, of one goroutine.
type Scratch struct {
	args     kernel.RandomArgs
	counters [8]uint64 // as many as the widest vector has lanes
}

// NewDropper returns a dropper by the mask that [rand.Dropout] makes of s and p. It uses the kernels of an
// instruction set, or the best ones if isa is empty. It panics with a [run.OptionError] of the function
// called name unless 0 <= p < 1.
func NewDropper[T dtype.Float](set *Set, name, isa string, s rand.Stream, p float64) Dropper[T] {
	checkProbability(name, p)
	limit, scale := rand.Threshold(name, p)
	return dropper[T](choose.Table(&set.choice, name, set.Variants, isa), limit, scale, s, p)
}

func dropper[T dtype.Float](kern *kernel.Table[kernel.Func[kernel.RandomArgs]], limit uint64, scale float64, s rand.Stream, p float64) Dropper[T] {
	if dtype.Of[T]() != dtype.F32 || limit > math.MaxUint32 {
		kern = nil
	}
	d := Dropper[T]{kern: kern, limit: limit, scale: scale, stream: s, p: p}
	for r, keys := range rand.Keys([2]uint32{uint32(s.Seed), uint32(s.Seed >> 32)}) {
		d.keys[2*r], d.keys[2*r+1] = int64(keys[0]), int64(keys[1])
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
	for i := range lanes / 2 {
		w.counters[2*i], w.counters[2*i+1] = block+uint64(i), block+uint64(i+lanes/2)
	}
	turned := int64(uint32(d.limit) ^ 1<<31)
	w.args = kernel.RandomArgs{
		X: unsafe.Pointer(&x[0]), Out: unsafe.Pointer(&out[0]), N: int64(n), Counters: unsafe.Pointer(&w.counters),
		Low: int64(uint32(d.stream.Number)), High: int64(d.stream.Number >> 32),
		Limit: turned<<32 | turned, Scale: uint64(math.Float32bits(float32(d.scale))), Keys: d.keys,
	}
	drop.F(&w.args)
	w.args.X, w.args.Out = nil, nil // do not keep the caller's memory alive
	return n
}
