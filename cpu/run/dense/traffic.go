package dense

import (
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Plan says how out = a*b would be computed with opt on this machine, without computing
// it: it reads shapes, strides and opt only. It panics as [Set.Gemm] does.
func (s *Set[T]) Plan(opt run.Options, out, a, b layout.Matrix[T]) tiling.Plan {
	g := checkGemm(&Call[T]{Set: s}, &opt, &out, &a, &b)
	o, x, y := plain.Of(out), plain.Of(a), plain.Of(b)
	g.pre = opt.B
	if g.kern != nil {
		g.byRows(&o, &x, &y)
	}
	var p product
	g.fill(&p, o.Place(), o.Rows, o.Cols, &x, &y)
	return p.explain(machine.This(), opt)
}

// A Planned product has a shape and types, and operands that are nowhere: its ways are asked
// for on any machine. An operand that is transposed lies by columns, the others and the result
// by rows, without gaps.
type Planned struct {
	Kernels        *kernel.Kernels // of which nothing but the shapes is known, as [tiling.Outline] gives them; nil: the portable code
	A, B, Acc      dtype.Type
	M, N, K        int
	TransA, TransB bool
	Fused          bool // with an epilogue, which works on sums of type Acc
	Out            int  // bytes of an element of its result
}

// Plan is [Set.Plan] on a machine. It panics with a [layout.ShapeError] if a size is below 1.
func (x *Planned) Plan(on *machine.Machine, opt run.Options) tiling.Plan {
	q := x.product().explain(on, opt)
	x.store(&q)
	return q
}

// Alternatives lists the ways to compute what Plan plans, as it weighs them: the order
// of additions is the same in all. There is one where nothing is weighed: of a product
// with few rows or columns, of small operands, and without kernels.
func (x *Planned) Alternatives(on *machine.Machine, opt run.Options) []tiling.Plan {
	all := x.product().weighed(on, opt)
	for i := range all {
		x.store(&all[i])
	}
	return all
}

// store says what an epilogue stores.
func (x *Planned) store(q *tiling.Plan) {
	if x.Fused {
		q.SizeC, q.StrideC = x.Out, x.N*x.Out
	}
}

func (x *Planned) product() *product {
	if x.M < 1 || x.N < 1 || x.K < 1 {
		check.Call("dense.Plan").Refuse("%d x %d x %d; want a product of at least one element", x.M, x.N, x.K)
	}
	size, sa, sb := x.Acc.Size(), x.A.Size(), x.B.Size()
	p := &product{kern: x.Kernels, size: size, ta: x.A, tb: x.B, m: x.M, n: x.N, k: x.K,
		a: mem.Operand{RS: x.K * sa, CS: sa}, b: mem.Operand{RS: x.N * sb, CS: sb}, c: mem.Operand{RS: x.N * size, CS: size}}
	p.fused.On = x.Fused
	if x.TransA {
		p.a = mem.Operand{RS: sa, CS: x.M * sa}
	}
	if x.TransB {
		p.b = mem.Operand{RS: sb, CS: x.K * sb}
	}
	// As normalize has it: the stride of a single column is that of contiguous rows.
	if x.K == 1 {
		p.a.CS = sa
	}
	if x.N == 1 {
		p.b.CS, p.c.CS = sb, size
	}
	p.deepen()
	return p
}

// explain is the plan of p on a machine, and the ways of its operands, in words of
// package tiling.
func (p *product) explain(on *machine.Machine, opt run.Options) tiling.Plan {
	p.scale(&opt)
	if p.m == 0 || p.n == 0 || p.kern == nil {
		q := p.describe(&plan{})
		q.Threads, q.Update = 1, p.mode == kernel.ModeUpdate
		return q
	}
	var pl plan
	p.plan(on, work.Allowed(opt.Threads), &pl)
	q := p.base(&pl, opt)
	if pl.skinny.on {
		p.explainSkinny(&pl.skinny, &q)
		return q
	}
	return *priced(&q, &pl.way)
}

// scale sets the mode that opt asks for.
func (p *product) scale(opt *run.Options) {
	if p.ta.Complex() {
		_, _, p.mode = kernel.FactorsOf[complex128](&opt.Scaling)
		return
	}
	run.CheckReal("a plan", &opt.Scaling)
	if p.size == 4 {
		_, _, p.mode = kernel.FactorsOf[float32](&opt.Scaling)
	} else {
		_, _, p.mode = kernel.FactorsOf[float64](&opt.Scaling)
	}
}

// base is describe, and what opt adds.
func (p *product) base(pl *plan, opt run.Options) tiling.Plan {
	q := p.describe(pl)
	q.Small, q.Update = p.isSmall(opt), p.mode == kernel.ModeUpdate
	return q
}

// weighed lists what [Planned.Alternatives] does.
func (p *product) weighed(on *machine.Machine, opt run.Options) (all []tiling.Plan) {
	p.scale(&opt)
	if p.kern == nil {
		return []tiling.Plan{p.explain(on, opt)}
	}
	var pl plan
	if p.order(work.Allowed(opt.Threads), &pl); pl.skinny.on || p.asItLies(on, &pl) {
		return []tiling.Plan{p.explain(on, opt)}
	}
	q := p.base(&pl, opt)
	add := func(w *way) {
		if x := *priced(&q, w); !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	p.copies(on, &pl, add)
	p.plan(on, work.Allowed(opt.Threads), &pl)
	p.blocks(on, &pl, add)
	p.past(on, &pl, add)
	add(&pl.way)
	return all
}

// describe is what of a plan its alternatives have in common.
func (p *product) describe(pl *plan) tiling.Plan {
	q := tiling.Plan{
		ISA: isaOf(p.kern), Loop: tiling.GoLoop, M: p.m, N: p.n, K: p.k, Threads: pl.threads, VL: 1,
		Size: p.size, SizeA: p.perStep(p.ta), SizeB: p.perStep(p.tb), SizeC: p.size, Fused: p.fused.On,
	}
	q.A, q.StrideA = wayOf(p.a, q.SizeA)
	q.B, q.StrideB = wayOf(p.b, q.SizeB)
	q.C, q.StrideC = wayOf(p.c, q.SizeC)
	if p.narrow() {
		q.Narrow, q.BF16, q.B, q.StrideB = true, p.tb == dtype.TypeBF16, tiling.ByRows, pl.vecs.Size*p.kern.VL*p.pre.Size
	}
	if p.kern != nil {
		q.Loop, q.VL = tiling.TileLoop, p.kern.VL
		q.Rows, q.Vecs = cutsOf(pl.rows), cutsOf(pl.vecs)
		q.Depth, q.AtOnce = p.deep, p.kern.AtOnce
		q.KC, q.Slab, q.TilesPerCall, q.Prepacked = pl.kc, pl.slab, pl.tilesPerCall, p.pre != nil
	}
	return q
}

// priced sets in q what alternatives differ in.
func priced(q *tiling.Plan, w *way) *tiling.Plan {
	q.PanelsAtOnce, q.TilesPerBlock, q.PackA, q.PackB, q.Stream = w.panelsAtOnce, w.tilesPerBlock, w.packA, w.packB, w.stream
	return q
}

// isSmall reports whether [Set.Gemm] takes its short way for p; see small.go.
func (p *product) isSmall(opt run.Options) bool {
	return !p.fused.On && opt.B == nil && p.ta.Size() == p.size && p.m <= smallSide && p.n <= smallSide && p.k <= smallSide &&
		mem.Volume(p.m, p.n, p.k) < work.Threaded && mem.Volume(p.m, p.k, p.size) <= smallOperand && mem.Volume(p.k, p.n, p.size) <= smallOperand &&
		(p.b.CS == p.size || p.b.RS == p.size) && p.c.CS == p.size
}

func (p *product) explainSkinny(s *skinny, q *tiling.Plan) {
	q.Vecs = tiling.Cuts{}
	q.Rows, q.KC, q.Slab, q.Chunk, q.Long, q.Columns = cutsOf(s.groups), min(s.kc, p.k), p.k, s.chunk, s.long, s.columns
	if !s.dot {
		q.Loop, q.Tile = tiling.AxpyLoop, p.kern.Of(kernel.Axpy)[s.groups.Size-1].NV
		return
	}
	long, _ := p.kern.Dots(s.groups.Size, s.columns)
	q.Loop, q.Tile, q.Strip, q.CopyLittle = tiling.DotLoop, long.Other(s.groups.Size), s.strip, s.copied
}

func cutsOf(s mem.Split) tiling.Cuts { return tiling.Cuts{Count: s.Count, Size: s.Size, Tall: s.Tall} }

// wayOf says how an operand lies, and the distance in bytes between its rows or
// columns.
func wayOf(o mem.Operand, size int) (tiling.Way, int) {
	switch {
	case o.CS == size:
		return tiling.ByRows, o.RS
	case o.RS == size:
		return tiling.ByColumns, o.CS
	}
	return tiling.Strided, o.RS
}
