package dense

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// BatchReduce belongs to the calls of a kernel that sums the products of pairs of blocks of one
// shape. It is a package-level variable of generated code, and names the variants, as a [Fixed] does.
type BatchReduce struct {
	Name          string
	Shape         Shape // of blocks; M and K are 0 where calls give them
	Count         int   // of pairs in every call; -1 is any
	LdA, LdB, LdC int   // elements from row to row; of pairs of B's rows where it has such; LdA and LdC are 0 where calls give them
	Heights       []int // of the variants' tiles, where calls give the number of rows
	A, Acc        dtype.Type
	ISAs          []string // of the variants, best first

	// For a sum with an epilogue: the epilogue in Go, and the variants that have it in
	// assembly.
	Epilogue kernel.EpiKernel
	Variants []*run.Kernels

	choice choose.Choice
}

// pairs is how many rows of B lie side by side.
func (f *BatchReduce) pairs() int {
	if f.A == dtype.TypeBF16 || f.A == dtype.I16 {
		return 2
	}
	return 1
}

// blockOf are the blocks of A and of B of a call.
func (f *BatchReduce) blockOf(of blockShape) (a, b extent) {
	p := f.pairs()
	b = extent{of.K / p, f.Shape.N * p, f.LdB * p}
	if of.panels > 1 { // from the first to the last, as one row
		b = extent{1, f.sizeB(of), f.sizeB(of)}
	}
	return extent{of.M, of.K, of.lda}, b
}

// Best returns the number of the best variant, as [Fixed.Best] does.
func (f *BatchReduce) Best() int {
	if b := f.choice.Best(); b > 0 {
		return b
	}
	return f.choice.Number(f.Name, f.ISAs, "")
}

// Variant returns the number of the variant for isa, or of the best one for "". 1 is the first of f.ISAs and
// so on; the number after the last is the portable code.
func (f *BatchReduce) Variant(isa string) int { return f.variant(f.Name, isa) }

func (f *BatchReduce) variant(name, isa string) int {
	if b := f.choice.Best(); isa == "" && b > 0 {
		return b
	}
	return f.choice.Number(name, f.ISAs, isa)
}

// A BatchReduceRun is a sum that has been checked, on its way through the kernel.
type BatchReduceRun struct {
	Variant int // which kernel to call

	args run.BlocksArgs // of what is left
	all  run.BlocksArgs // of all of open blocks, and
	rows int64          // how many of their rows are for one call; 0: blocks are not open
	call int64          // most blocks of one call
	one  uint64         // of the sums' type
	w    *worker        // of one with an epilogue
	m, n int            // rows and columns of that
}

// BeginReduce checks out = alpha*(a[0]*b[0] + ...) + beta*out. It panics with a [layout.ShapeError], before an element
// is read, if out is not of f's shape with rows f.LdC apart, or if the numbers of blocks of a and of b
// differ. It also panics if a block does not lie in its slice, or if out shares memory with a block. name is
// what errors call the function unless opt.Caller says. Options.Threads may be anything: one sum is not
// shared.
func BeginReduce[T dtype.Elem, S dtype.Sum](f *BatchReduce, name string, opt *run.Options, out *layout.Matrix[S], a, b *Blocks[T]) BatchReduceRun {
	name = opt.Name(name)
	s := shapeOf(f, name, a, b, out.RowStride)
	n := f.begin(name, opt, s, a.count(name, "a"), b.count(name, "b"))
	alpha, beta := factorsOf[S](name, opt)
	if out.Rows != s.M || out.Cols != s.N || out.RowStride != s.ldc && s.M > 1 || out.ColStride != 1 && s.N > 1 {
		refuse(name, fmt.Sprintf("out is %d x %d with strides %d and %d; want %d x %d with %d and 1, %s", out.Rows, out.Cols, out.RowStride, out.ColStride, s.M, s.N, s.ldc, f.since()))
	}
	if err := out.CheckOut("out"); err != nil {
		refuse(name, err.Error())
	}
	xa, xb := f.blockOf(s)
	pa, pb := a.checked(name, "a", xa, n), b.checked(name, "b", xb, n)
	if meetsBlocks(out, a, xa, n) || meetsBlocks(out, b, xb, n) {
		refuse(name, overlap)
	}
	v := f.fitting(f.variant(name, opt.ISA), s)
	r := BatchReduceRun{Variant: v, call: f.most(v, s), one: mem.BitsOf(S(1))}
	if n == 0 || alpha == 0 {
		genericScale(beta, *out)
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
func (f *BatchReduce) begin(name string, opt *run.Options, s blockShape, a, b int) int {
	run.CheckThreads(name, opt.Threads)
	switch {
	case opt.B != nil:
		panic(run.OptionError{What: name, Why: "blocks are not packed; leave Options.B unset"})
	case a < 0 || b < 0:
		refuse(name, fmt.Sprintf("a has %d blocks and b %d; want 0 or more", a, b))
	case a != b:
		refuse(name, fmt.Sprintf("a has %d blocks and b %d; want as many", a, b))
	case f.Count >= 0 && a != f.Count:
		refuse(name, fmt.Sprintf("there are %d pairs of blocks, and it was generated for %d", a, f.Count))
	}
	checkWrap(name, opt, f.A, f.A, f.Acc, mem.Volume(a, s.K), 0, 0)
	return a
}

// placed are the arguments that say where blocks lie.
func placed(a, b place, n int) run.BlocksArgs {
	return run.BlocksArgs{A: a.base, AtA: a.at, NextA: a.next, StepA: a.step, ScaleA: a.scale,
		B: b.base, AtB: b.at, NextB: b.next, StepB: b.step, ScaleB: b.scale, Count: int64(n)}
}

// tilesWork is how many times as much as others kernels on tiles do in the same time, at least.
const tilesWork = 8

// most is how many blocks one call of a variant does, so that it takes some 100 us at most. For open blocks
// it counts one tile.
func (f *BatchReduce) most(variant int, s blockShape) int64 {
	m, n, k := s.M, f.Shape.N, s.K
	if f.isOpen() {
		m = f.height(variant)
	}
	if c := tiling.BlocksPerCall(f.Shape, f.Count); c > 0 && !f.isOpen() {
		return int64(c)
	}
	blocks := tiling.FixedWork / (m*n*k + workOfElement*(m*k+k*n) + workOfOne)
	if f.tiled(variant) {
		blocks *= tilesWork
	}
	return int64(max(1, blocks))
}

// Next moves on to the next blocks that one call does; it reports whether there are any, and sets args
// to them. The results of calls after the first are added to out.
func (r *BatchReduceRun) Next(args *run.BlocksArgs) bool {
	x := &r.args
	if x.Count <= 0 && !r.below() {
		return false
	}
	*args = *x
	n := min(r.call, x.Count)
	args.Count = n
	x.Count -= n
	x.A, x.AtA = onward(x.A, x.StepA, n, x.Count), onward(x.AtA, x.NextA, n, x.Count)
	x.B, x.AtB = onward(x.B, x.StepB, n, x.Count), onward(x.AtB, x.NextB, n, x.Count)
	x.Mode, x.Beta = kernel.ModeUpdate, r.one
	return true
}

// BatchReducePortable does one call of a kernel in plain Go.
func BatchReducePortable[T dtype.Elem, S dtype.Sum](f *BatchReduce, args *run.BlocksArgs) {
	w := workers.Get()
	defer workers.Put(w)
	s := f.shapeOfCall(args, int(unsafe.Sizeof(*new(T))), int(unsafe.Sizeof(*new(S))))
	for q := range s.panels {
		portablePanel[T, S](f, args, s, q, w)
	}
}

// portablePanel does one panel of columns.
func portablePanel[T dtype.Elem, S dtype.Sum](f *BatchReduce, args *run.BlocksArgs, s blockShape, q int, w *worker) {
	p, n := f.pairs(), f.Shape.N
	skip := q * s.panel
	s.panels = 1
	xa, xb := f.blockOf(s)
	first := int(args.Row)
	buf := bufOf[S](w)
	buf.out = genericGrow(buf.out, s.M*n)
	sums := layout.RowMajor(buf.out[:s.M*n], s.M, n)
	clear(sums.Data)
	for i := range int(args.Count) {
		a := unsafe.Slice((*T)(wordAt(args.A, args.AtA, args.NextA, args.StepA, args.ScaleA, i)), first*s.lda+xa.size())[first*s.lda:]
		b := unsafe.Slice((*T)(wordAt(args.B, args.AtB, args.NextB, args.StepB, args.ScaleB, i)), skip+xb.size())[skip:]
		for r := range p { // of a pair one k after the other
			genericOf(1, operandOf[S](layout.Matrix[T]{Data: a[r:], Rows: s.M, Cols: s.K / p, RowStride: s.lda, ColStride: p}),
				operandOf[S](layout.Matrix[T]{Data: b[r:], Rows: s.K / p, Cols: n, RowStride: f.LdB * p, ColStride: p}), 1, sums, buf)
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
