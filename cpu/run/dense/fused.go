package dense

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Fused is all variants of one product with an epilogue, by the types of its
// operands, its sums and its result. Like a [Set] it is a package-level variable of
// generated code.
type Fused[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem] struct {
	Name     string
	Shape    Shape // that the kernels are for
	Variants []*kernel.Kernels
	Epilogue kernel.EpiKernel // the epilogue in Go
	// ColumnSums says that Pack keeps the sums of b's columns, for a zero point of a.
	ColumnSums bool
	// Structure says which elements there are, if not all: of float32 or float64 throughout.
	Structure Structure

	choice choose.Choice
}

// Gemm computes a*b and hands every finished sum to the epilogue once. The rules of
// [Set.Gemm] hold for shapes, rounding and NaN, those of [MixedGemm] for sums of integers.
// Options.NoWrap is about sums of what is left of elements when zero points are taken away.
func (s *Fused[A, B, Acc, Out]) Gemm(opt run.Options, e *epilogue.Epilogue, a layout.Matrix[A], b layout.Matrix[B]) {
	m, n, k := e.Rows, e.Cols, a.Cols
	kern, pre := s.check(&opt, e, &a, &b)
	if m == 0 || n == 0 {
		e.Empty()
		return
	}
	threads := work.Allowed(opt.Threads)
	mem.Normalize(&a)
	mem.Normalize(&b)

	j := jobs.Get()
	j.product = product{
		kern: kern, size: dtype.Of[Acc]().Size(), ta: dtype.Of[A](), tb: dtype.Of[B](),
		m: m, n: n, k: k, one: mem.BitsOf(Acc(1)), fused: e.Fusion,
		pre: pre, exists: s.Structure.Out, bs: s.Structure.B,
	}
	if s.Structure.Symmetric {
		j.as = s.Structure.A
	} else {
		j.at = s.Structure.A
	}
	f := &j.fused
	f.Portable = s.Epilogue
	// The sizes are constants: a program without products of small integers links none of int32.
	if (unsafe.Sizeof(*new(A)) <= 2 || unsafe.Sizeof(*new(B)) <= 2) && (f.ZeroA.On || f.ZeroB.On) {
		var sums []int32
		if opt.B != nil {
			sums = opt.B.Sums
		}
		zeroTerms(j, threads, operandOf[int32](a), operandOf[int32](b), sums)
	}
	if k > 0 {
		j.a, j.b = mem.OperandOf(a), mem.OperandOf(b)
	}
	j.placeScalars()
	if kern == nil {
		rows := portableRows(m, n, j.size)
		tiles := mem.Ceil(m, rows)
		f.Prepare(&j.partial, m, n, 1, tiles, 1)
		portableFused(j, threads, rows, s.Structure, operandOf[Acc](a), operandOf[Acc](b), m, n)
		f.Combine(m, n, 1, tiles, nil)
	} else {
		j.computeFused(threads)
	}
	putJob(j)
}

// placeScalars gives slots without memory their own: a scalar, or a partial result, which gets
// its place later.
func (j *job) placeScalars() {
	f := &j.fused
	for i := range f.N {
		if f.Slots[i].P == nil {
			f.Slots[i].P = unsafe.Pointer(&f.Scalars[i])
		}
	}
}

// computeFused is Gemm by kernels.
func (j *job) computeFused(threads int) {
	f, kern, width := &j.fused, j.kern, 1
	if f.Contiguous {
		f.Asm, width = kern.Epi, kern.EpiLanes
	}
	j.deepen()
	j.planned(threads, &j.plan)
	panels, tiles := 0, 0
	if f.Reduced > 0 {
		panels, tiles = j.plan.partials()
	}
	f.Prepare(&j.partial, j.m, j.n, panels, tiles, width)
	j.perform()
	f.Combine(j.m, j.n, panels, tiles, j)
}

// FirstColumn says which column of the result is the first of a panel.
func (j *job) FirstColumn(panel int) int { return j.plan.firstColumn(panel, j.n, j.kern.VL) }

// check panics if a call is not what this product can do. It returns the variant to run,
// nil for the portable code, and what of b is packed, or nil.
func (s *Fused[A, B, Acc, Out]) check(opt *run.Options, e *epilogue.Epilogue, a *layout.Matrix[A], b *layout.Matrix[B]) (kern *kernel.Kernels, pre *run.Packed) {
	types := [3]dtype.Type{dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc]()}
	checkFused(opt, e, types, s.Shape, s.Structure, viewOf(a), viewOf(b))
	e.CheckOverlap(epi.MemoryOf("a", *a), epi.MemoryOf("b", *b))
	kern = pickKernels(&s.choice, e.Name, s.Variants, opt.ISA)
	if s.Structure.B != 0 {
		refusePacked(e.Name, opt)
	}
	return kern, usePacked(opt.B, e.Name, unsafe.Pointer(s), kern, b)
}

// checkFused is check but for what goes by memory and variants. Types are those of a, b and
// sums.
func checkFused(opt *run.Options, e *epilogue.Epilogue, types [3]dtype.Type, shape Shape, structure Structure, a, b layout.View) {
	m, n, k, name := e.Rows, e.Cols, a.Cols, e.Name
	CheckTypes(name, types[0], types[1], types[2], types[2])
	run.CheckThreads(name, opt.Threads)
	if opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	}
	if a.Rows != m || b.Cols != n || b.Rows != k {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			m, n, a.Rows, a.Cols, b.Rows, b.Cols)})
	}
	CheckShape(name, shape, m, n, k)
	checkStructured(name, structure, types[0], types[1], types[2])
	structure.check(name, m, n, k)
	checkDepth(name, k)
	checkWrap(name, opt, types[0], types[1], types[2], k, e.ZeroA.Value, e.ZeroB.Value)
	refuseError(name, a.Check("a"))
	refuseError(name, b.Check("b"))
	if mem.Volume(m, n, 8) == math.MaxInt { // of a result that is not stored nothing else bounds both
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("a result of %d x %d is too large to count its bytes; multiply fewer rows or columns at a time", m, n)})
	}
}

// sumsBudget is room for the sums of a block before their epilogue: what stays in L2
// beside A and B. If k is one block, a piece of them stays in L1.
const sumsBudget = 128 << 10

// leastGroup is how many panels of a deep product have room for their sums, at least. A k-block of A is read
// from L2 once for each panel.
const leastGroup = 8

// limitSums keeps a block of a fused product within the budget.
func (p *product) limitSums(pl *plan) {
	if p.fused.On {
		perTile := pl.rows.Size * pl.vecs.Size * p.kern.VL * p.size
		if p.k > pl.kc {
			perTile *= leastGroup
		}
		pl.tilesPerBlock = min(pl.tilesPerBlock, max(1, sumsBudget/perTile))
	}
	if p.fused.ByColumn() {
		pl.tilesPerBlock = min(pl.rows.Count, mem.Ceil(pl.tilesPerBlock, columnTiles)*columnTiles)
	}
}

// columnTiles is how many tiles of rows have one partial result of a column: as many as
// one call of the epilogue takes from L1. They are counted from the first row of the
// result, whatever a block is, so that the order of additions does not depend on it.
const columnTiles = 8
