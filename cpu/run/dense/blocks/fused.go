package blocks

import (
	"cmp"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BeginFused checks epilogue(a[0]*b[0] + ...), whose results and operands are in e, as [Begin]
// does. Sums stay in the caches until [Run.Finish] has the epilogue take them.
func BeginFused[T dtype.Elem](f *Sum, name string, opt *run.Options, e *epilogue.Epilogue, a, b *Operand[T]) Run {
	name = opt.Name(name)
	s := shapeOf(f, name, a, b, cmp.Or(b.Cols, f.Shape.N))
	n := f.begin(name, opt, s, a.count(name, "a"), b.count(name, "b"))
	if opt.Scaling.On() {
		check.Call(name).RefuseOption("alpha and beta belong to sums without an epilogue; make them operands of the function")
	}
	xa, xb := f.blockOf(s)
	pa, pb := a.checked(name, "a", xa, n), b.checked(name, "b", xb, n)
	if n == 0 || a.List == nil && b.List == nil { // from the first block to the last
		e.CheckOverlap(a.spans(xa, 0, n), b.spans(xb, 0, n))
	} else {
		for i := range n {
			e.CheckOverlap(a.spans(xa, i, 1), b.spans(xb, i, 1))
		}
	}
	v := f.fitting(f.variant(name, opt.ISA), s)
	r := Run{Variant: v, call: f.most(v, s), w: workspaces.Get(), m: s.M, n: s.N}
	if r.one = mem.BitsOf(float32(1)); f.Acc == dtype.F64 {
		r.one = mem.BitsOf(float64(1))
	} else if f.Acc == dtype.I32 {
		r.one = 1
	}
	bytes := s.M * s.N * f.Acc.Size()
	r.w.sums.Grow(bytes)
	if n == 0 {
		clear(unsafe.Slice((*byte)(r.w.sums.P), bytes))
		return r
	}
	r.args = placed(pa, pb, n)
	f.open(&r.args, s, f.Acc.Size())
	r.args.C, r.args.Alpha = r.w.sums.P, r.one
	r.byRows(f, s)
	return r
}

// spans is the memory from the first of n blocks that have been checked to the last of them.
func (b *Operand[T]) spans(x extent, from, n int) epi.Memory {
	if n == 0 {
		return epi.Memory{}
	}
	first := b.block(from, x)
	if b.List == nil && n > 1 {
		lo, hi := 0, b.Stride*(n-1)
		if b.At != nil {
			lo, hi = b.At[0], b.At[0]
			for _, at := range b.At {
				lo, hi = min(lo, at), max(hi, at)
			}
		}
		first.Data, first.Rows, first.Cols = b.Data[lo:hi+x.size()], 1, hi-lo+x.size()
	}
	return epi.MemoryOf("a block", first)
}

// Finish has the epilogue take the sums.
func (r *Run) Finish(f *Sum, e *epilogue.Epilogue) {
	w := r.w
	m, n := r.m, r.n
	x := &w.fused
	*x = e.Fusion
	x.Portable = f.Epilogue
	x.PlaceScalars()
	width := 1
	if x.Contiguous && r.Variant <= len(f.Variants) {
		kern := f.Variants[r.Variant-1]
		x.Asm, width = kern.Epi, kern.EpiLanes
	}
	x.Prepare(&w.partial, m, n, 1, 1, width)
	x.Run(&w.epi, mem.Operand{P: w.sums.P, RS: n * f.Acc.Size(), CS: f.Acc.Size()}, 0, 0, m, n, 0, 0)
	x.Combine(m, n, 1, 1, nil)
	w.epi.Forget()
	*x = epi.Fusion{}
	workspaces.Put(w)
	r.w = nil
}
