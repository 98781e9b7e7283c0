package run

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Fused is all variants of one product with an epilogue, by the types of its
// operands, its sums and its result. Like a [Set] it is a package-level variable of
// generated code.
type Fused[A, B dtype.Elem, Acc dtype.Float, Out dtype.Elem] struct {
	Name     string
	Shape    Shape // that the kernels are for
	Variants []*Kernels
	Epilogue kernel.EpiKernel // the epilogue in Go
	best     chooser
}

// Gemm computes a*b and hands every finished sum to the epilogue once. The rules of
// [Set.Gemm] hold for shapes, rounding and NaN.
func (s *Fused[A, B, Acc, Out]) Gemm(opt Options, e *Epilogue, a layout.Matrix[A], b layout.Matrix[B]) {
	m, n, k := e.rows, e.cols, a.Cols
	if a.Rows != m || b.Cols != n || b.Rows != k {
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			m, n, a.Rows, a.Cols, b.Rows, b.Cols)})
	}
	CheckShape(s.Name, s.Shape, m, n, k)
	checkDepth(s.Name, k)
	if err := a.Check("a"); err != nil {
		panic(layout.ShapeError{What: s.Name, Why: err.Error()})
	}
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: s.Name, Why: err.Error()})
	}
	if opt.Scaled {
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	}
	e.checkOverlap(memoryOf("a", a), memoryOf("b", b))
	if m == 0 || n == 0 {
		e.combine(m, n, 0, 0, nil)
		return
	}
	threads := opt.threads()
	kern := s.best.pick(s.Name, s.Variants, opt.ISA)
	normalize(&a)
	normalize(&b)

	j := jobs.get()
	j.product = product{
		kern: kern, size: dtype.Of[Acc]().Size(), ta: dtype.Of[A](), tb: dtype.Of[B](),
		m: m, n: n, k: k, one: bitsOf(Acc(1)), fused: e.fusion,
		pre: opt.B.use(s.Name, kern, dtype.Of[B](), k, n),
	}
	f := &j.fused
	f.portable = s.Epilogue
	for i := range f.n {
		if f.slots[i].P == nil { // a scalar, or a partial result that gets its place below
			f.slots[i].P = unsafe.Pointer(&f.scalars[i])
		}
	}
	if kern == nil {
		rows := portableRows(m, n, j.size)
		tiles := ceil(m, rows)
		f.prepare(&j.partial, m, n, 1, tiles, 1)
		portableFused[A, B, Acc](j, threads, rows, a, b, m, n)
		f.combine(m, n, 1, tiles, func(panel int) int { return panel * n })
	} else {
		width := 1
		if f.contiguous {
			f.asm, width = kern.Epi, kern.EpiLanes
		}
		rows, vecs := splitUp(m, kern.MR), splitUp(ceil(n, kern.VL), kern.NV)
		f.prepare(&j.partial, m, n, vecs.count, rows.count, width)
		if k > 0 {
			j.a, j.b = operandOf(a), operandOf(b)
		}
		j.compute(threads)
		f.combine(m, n, vecs.count, rows.count, func(panel int) int { return min(vecs.at(panel)*kern.VL, n) })
	}
	putJob(j)
}

// Room for the sums of a block before their epilogue: what stays in L2 beside A
// and B, and, if k is one block, a piece that stays in L1.
const (
	sumsBudget = 128 << 10
	sumsInL1   = 16 << 10
)

// limitSums keeps a block of a fused product within the budget.
func (p *product) limitSums(pl *plan) {
	if p.fused.on {
		perTile := pl.rows.size * pl.vecs.size * p.kern.VL * p.size
		pl.tilesPerBlock = min(pl.tilesPerBlock, max(1, sumsBudget/perTile))
	}
}

// fuse computes tiles x panels over the whole of k into the worker's sums and runs
// the epilogue on them: for a k of one block on pieces that stay in L1, else on the
// whole block, so that a panel of B is read once for it.
//
// What is packed covers all of k, which is why a deep product does it otherwise: each
// worker copies what it multiplies next, a k-block of its rows and of a panel.
func (j *part) fuse(w *worker, tiles, panels extent) {
	pl, kern, vl := &j.plan, j.kern, j.kern.VL
	i0, i1 := pl.rows.at(tiles.from), pl.rows.at(tiles.to)
	a := operand{j.a.at(i0, 0), j.a.rs, j.a.cs}
	if pl.packA && !pl.deepA && j.k > 0 {
		a = j.copyA(w, a, i1-i0, j.k)
	}
	ld := kern.NV * vl * j.size
	piece := tiles.to - tiles.from
	if j.k <= pl.kc {
		piece = min(piece, max(1, sumsInL1/(pl.rows.size*ld)))
	}
	w.sums.grow(piece * pl.rows.size * ld)
	sums := operand{w.sums.p, ld, j.size}
	args := &w.args
	args.RsA, args.CsA, args.Alpha, args.Beta = int64(a.rs), int64(a.cs), j.one, j.one
	byTile := j.fused.byColumn()
	n := panels.to - panels.from
	turn := tiles.from / pl.tilesPerBlock * 3 % n // workers start on different panels
	for x := range n {
		panel := panels.from + (x+turn)%n
		v0, v1 := pl.vecs.at(panel), pl.vecs.at(panel+1)
		cols := min(v1*vl, j.n) - v0*vl
		for t := tiles.from; t < tiles.to; t += piece {
			some := extent{t, min(t+piece, tiles.to)}
			row, end := pl.rows.at(some.from), pl.rows.at(some.to)
			for k := 0; k == 0 || k < j.k; k += pl.kc {
				kc := min(pl.kc, j.k-k)
				args.K, args.Mode = int64(kc), kernel.ModeStore
				if k > 0 {
					args.Mode = kernel.ModeUpdate
				}
				ak := operand{a.at(row-i0, k), a.rs, a.cs}
				if pl.packA && pl.deepA {
					ak = j.copyA(w, ak, end-row, kc)
					args.RsA, args.CsA = int64(ak.rs), int64(ak.cs)
				}
				switch {
				case kc == 0: // no product at all: the sums are zero
				case pl.packB && pl.deepB && j.pre == nil:
					args.B, args.LdB = j.packOwn(w, k, kc, v0*vl, cols)
				case pl.packB:
					args.B, args.LdB = j.packPanel(w, panel, k, kc, cols)
				default:
					args.B, args.LdB = j.b.at(k, v0*vl), int64(j.b.rs)
				}
				j.tiles(w, ak, sums, row, some, cols)
			}
			if !byTile {
				j.fused.run(&w.epi, sums, row, v0*vl, end-row, cols, panel, 0)
				continue
			}
			for t := some.from; t < some.to; t++ {
				i := pl.rows.at(t)
				j.fused.run(&w.epi, operand{sums.at(i-row, 0), sums.rs, sums.cs}, i, v0*vl, pl.rows.at(t+1)-i, cols, panel, t)
			}
		}
	}
	w.epi = kernel.EpiArgs{}
}
