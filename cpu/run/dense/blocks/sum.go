package blocks

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Sum belongs to the calls of a kernel that sums the products of pairs of blocks of one
// shape. It is a package-level variable of generated code, and names the variants, as a fixed.Product does.
type Sum struct {
	Name          string
	Shape         tiling.Shape // of blocks; M and K are 0 where calls give them
	Count         int          // of pairs in every call; -1 is any
	LdA, LdB, LdC int          // elements from row to row; of pairs of B's rows where it has such; LdA and LdC are 0 where calls give them
	Heights       []int        // of the variants' tiles, where calls give the number of rows
	A, Acc        dtype.Type
	ISAs          []string // of the variants, best first

	// For a sum with an epilogue: the epilogue in Go, and the variants that have it in
	// assembly.
	Epilogue kernel.Func[kernel.EpiArgs]
	Variants []*kernel.Kernels

	choice choose.Choice
}

// pairs is how many rows of B lie side by side.
func (f *Sum) pairs() int {
	if f.A == dtype.TypeBF16 || f.A == dtype.I16 {
		return 2
	}
	return 1
}

// blockOf are the blocks of A and of B of a call.
func (f *Sum) blockOf(of blockShape) (a, b extent) {
	p := f.pairs()
	b = extent{of.K / p, f.Shape.N * p, f.LdB * p}
	if of.panels > 1 { // from the first to the last, as one row
		b = extent{1, f.sizeB(of), f.sizeB(of)}
	}
	return extent{of.M, of.K, of.lda}, b
}

// Best returns the number of the best variant, as that of a fixed.Product does.
func (f *Sum) Best() int {
	if b := f.choice.Best(); b > 0 {
		return b
	}
	return f.choice.Number(f.Name, f.ISAs, "")
}

// Variant returns the number of the variant for isa, or of the best one for "". 1 is the first of f.ISAs and
// so on; the number after the last is the portable code.
func (f *Sum) Variant(isa string) int { return f.variant(f.Name, isa) }

func (f *Sum) variant(name, isa string) int {
	if b := f.choice.Best(); isa == "" && b > 0 {
		return b
	}
	return f.choice.Number(name, f.ISAs, isa)
}

// A Run is a sum that has been checked, on its way through the kernel.
type Run struct {
	Variant int // which kernel to call

	args kernel.BlocksArgs // of what is left
	all  kernel.BlocksArgs // of all of open blocks, and
	rows int64             // how many of their rows are for one call; 0: blocks are not open
	call int64             // most blocks of one call
	one  uint64            // of the sums' type
	w    *workspace        // of one with an epilogue
	m, n int               // rows and columns of that
}

// Begin checks out = alpha*(a[0]*b[0] + ...) + beta*out. It panics with a [layout.ShapeError], before an element
// is read, if out is not of f's shape with rows f.LdC apart, or if the numbers of blocks of a and of b
// differ. It also panics if a block does not lie in its slice, or if out shares memory with a block. name is
// what errors call the function unless opt.Caller says. Options.Threads may be anything: one sum is not
// shared.
func Begin[T dtype.Elem, S dtype.Sum](f *Sum, name string, opt *run.Options, out *layout.Matrix[S], a, b *Operand[T]) Run {
	name = opt.Name(name)
	s := shapeOf(f, name, a, b, out.RowStride)
	n := f.begin(name, opt, s, a.count(name, "a"), b.count(name, "b"))
	alpha, beta := sums.Factors[S](name, opt)
	if out.Rows != s.M || out.Cols != s.N || out.RowStride != s.ldc && s.M > 1 || out.ColStride != 1 && s.N > 1 {
		check.Call(name).Refuse("out is %d x %d with strides %d and %d; want %d x %d with %d and 1, %s", out.Rows, out.Cols, out.RowStride, out.ColStride, s.M, s.N, s.ldc, f.since())
	}
	check.Call(name).Error(out.CheckOut("out"))
	xa, xb := f.blockOf(s)
	pa, pb := a.checked(name, "a", xa, n), b.checked(name, "b", xb, n)
	if meetsBlocks(out, a, xa, n) || meetsBlocks(out, b, xb, n) {
		check.Call(name).Refuse(check.Overlap)
	}
	v := f.fitting(f.variant(name, opt.ISA), s)
	r := Run{Variant: v, call: f.most(v, s), one: mem.BitsOf(S(1))}
	if n == 0 || alpha == 0 {
		mem.Scale(*out, beta)
		return r
	}
	r.args = placed(pa, pb, n)
	f.open(&r.args, s, int(unsafe.Sizeof(*new(S))))
	r.args.C, r.args.Alpha, r.args.Beta = unsafe.Pointer(unsafe.SliceData(out.Data)), mem.BitsOf(alpha), mem.BitsOf(beta)
	switch {
	case beta != 0:
		r.args.Mode = kernel.ModeUpdate
	case alpha != 1:
		r.args.Mode = kernel.ModeScale
	}
	r.byRows(f, s)
	return r
}

// begin checks what does not depend on types, and returns how many pairs of blocks there are.
func (f *Sum) begin(name string, opt *run.Options, s blockShape, a, b int) int {
	run.CheckThreads(name, opt.Threads)
	switch {
	case opt.B != nil:
		check.Call(name).RefuseOption("blocks are not packed; leave Options.B unset")
	case a < 0 || b < 0:
		check.Call(name).Refuse("a has %d blocks and b %d; want 0 or more", a, b)
	case a != b:
		check.Call(name).Refuse("a has %d blocks and b %d; want as many", a, b)
	case f.Count >= 0 && a != f.Count:
		check.Call(name).Refuse("there are %d pairs of blocks, and it was generated for %d", a, f.Count)
	}
	sums.Safe(name, opt, f.A, f.A, f.Acc, mem.Volume(a, s.K), 0, 0)
	return a
}

// placed are the arguments that say where blocks lie.
func placed(a, b place, n int) kernel.BlocksArgs {
	return kernel.BlocksArgs{A: a.base, AtA: a.at, NextA: a.next, StepA: a.step, ScaleA: a.scale,
		B: b.base, AtB: b.at, NextB: b.next, StepB: b.step, ScaleB: b.scale, Count: int64(n)}
}

// tilesWork is how many times as much as others kernels on tiles do in the same time, at least.
const tilesWork = 8

// workspace is the memory of a call.
type workspace struct {
	bufs    plain.Bufs // of the portable code
	sums    mem.Buffer // before their epilogue
	fused   epi.Fusion
	epi     epi.Call
	partial mem.Buffer // of reductions
}

var workspaces mem.Pool[workspace]

// most is how many blocks one call of a variant does, so that it takes some 100 us at most. For open blocks
// it counts one tile.
func (f *Sum) most(variant int, s blockShape) int64 {
	m, n, k := s.M, f.Shape.N, s.K
	if f.isOpen() {
		m = f.height(variant)
	}
	if c := tiling.BlocksPerCall(f.Shape, f.Count); c > 0 && !f.isOpen() {
		return int64(c)
	}
	blocks := tiling.FixedWork / (work.OfSmall(m*n*k, m*k+k*n))
	if f.tiled(variant) {
		blocks *= tilesWork
	}
	return int64(max(1, blocks))
}

// Next moves on to the next blocks that one call does; it reports whether there are any, and sets args
// to them. The results of calls after the first are added to out.
func (r *Run) Next(args *kernel.BlocksArgs) bool {
	x := &r.args
	if x.Count <= 0 && !r.below() {
		return false
	}
	*args = *x
	n := min(r.call, x.Count)
	args.Count = n
	x.Count -= n
	x.A, x.AtA = mem.Onward(x.A, x.StepA, n, x.Count), mem.Onward(x.AtA, x.NextA, n, x.Count)
	x.B, x.AtB = mem.Onward(x.B, x.StepB, n, x.Count), mem.Onward(x.AtB, x.NextB, n, x.Count)
	x.Mode, x.Beta = kernel.ModeUpdate, r.one
	return true
}

// Portable does one call of a kernel in plain Go.
func Portable[T dtype.Elem, S dtype.Sum](f *Sum, args *kernel.BlocksArgs) {
	w := workspaces.Get()
	defer workspaces.Put(w)
	s := f.shapeOfCall(args, int(unsafe.Sizeof(*new(T))), int(unsafe.Sizeof(*new(S))))
	for q := range s.panels {
		portablePanel[T, S](f, args, s, q, w)
	}
}

// portablePanel does one panel of columns.
func portablePanel[T dtype.Elem, S dtype.Sum](f *Sum, args *kernel.BlocksArgs, s blockShape, q int, w *workspace) {
	p, n := f.pairs(), f.Shape.N
	skip := q * s.panel
	s.panels = 1
	xa, xb := f.blockOf(s)
	first := int(args.Row)
	buf := plain.BufOf[S](&w.bufs)
	sums := buf.Block(s.M, n)
	clear(sums.Data)
	for i := range int(args.Count) {
		a := unsafe.Slice((*T)(wordAt(args.A, args.AtA, args.NextA, args.StepA, args.ScaleA, i)), first*s.lda+xa.size())[first*s.lda:]
		b := unsafe.Slice((*T)(wordAt(args.B, args.AtB, args.NextB, args.StepB, args.ScaleB, i)), skip+xb.size())[skip:]
		for r := range p { // of a pair one k after the other
			plain.Multiply(1, plain.As[S](layout.Matrix[T]{Data: a[r:], Rows: s.M, Cols: s.K / p, RowStride: s.lda, ColStride: p}),
				plain.As[S](layout.Matrix[T]{Data: b[r:], Rows: s.K / p, Cols: n, RowStride: f.LdB * p, ColStride: p}), 1, sums, buf)
		}
	}
	at := first*s.ldc + q*n
	out := unsafe.Slice((*S)(args.C), at+(s.M-1)*s.ldc+n)[at:]
	alpha, beta := *(*S)(unsafe.Pointer(&args.Alpha)), *(*S)(unsafe.Pointer(&args.Beta))
	switch args.Mode {
	case kernel.ModeStore:
		alpha, beta = 1, 0
	case kernel.ModeScale:
		beta = 0
	}
	for i := range s.M {
		for j := range n {
			mem.Store(alpha, sums.Data[i*n+j], beta, &out[i*s.ldc+j])
		}
	}
}
