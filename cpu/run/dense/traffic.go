package dense

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
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
	kern, _ := s.check(opt.Name(s.Name), &opt, &out, &a, &b)
	return planOf(kern, opt, out, a, b)
}

// PlanFor is [Set.Plan] on any machine, for kernels of which nothing but the shapes is known, as
// [tiling.Outline] gives them; nil is the portable code. An operand that is transposed
// lies by columns, the others and out by rows, without gaps. It panics with a
// [layout.ShapeError] if a size is below 1.
func PlanFor(on *machine.Machine, kern *kernel.Kernels, t dtype.Type, opt run.Options, m, n, k int, transA, transB bool) tiling.Plan {
	p := shaped("dense.PlanFor", t, t, t, m, n, k, transA, transB)
	p.kern = kern
	return p.explain(on, opt)
}

// PlanFused is [PlanFor] for a product of a and b of the given types with an epilogue,
// which works on sums of type acc. out has elements of so many bytes.
func PlanFused(on *machine.Machine, kern *kernel.Kernels, a, b, acc dtype.Type, out int, opt run.Options, m, n, k int, transA, transB bool) tiling.Plan {
	q := fused("dense.PlanFused", kern, a, b, acc, m, n, k, transA, transB).explain(on, opt)
	q.SizeC, q.StrideC = out, n*out
	return q
}

// PlanMixed is [PlanFor] for a product of a and b of the given types whose sums, of type acc,
// are the result.
func PlanMixed(on *machine.Machine, kern *kernel.Kernels, a, b, acc dtype.Type, opt run.Options, m, n, k int, transA, transB bool) tiling.Plan {
	return mixed("dense.PlanMixed", kern, a, b, acc, m, n, k, transA, transB).explain(on, opt)
}

func mixed(what string, kern *kernel.Kernels, a, b, acc dtype.Type, m, n, k int, transA, transB bool) *product {
	p := shaped(what, a, b, acc, m, n, k, transA, transB)
	p.kern = kern
	p.deepen()
	return p
}

func fused(what string, kern *kernel.Kernels, a, b, acc dtype.Type, m, n, k int, transA, transB bool) *product {
	p := mixed(what, kern, a, b, acc, m, n, k, transA, transB)
	p.fused.On = true
	return p
}

// shaped is a product of operands that are nowhere.
func shaped(what string, ta, tb, acc dtype.Type, m, n, k int, transA, transB bool) *product {
	if m < 1 || n < 1 || k < 1 {
		panic(layout.ShapeError{What: what, Why: fmt.Sprintf("%d x %d x %d; want a product of at least one element", m, n, k)})
	}
	size, sa, sb := acc.Size(), ta.Size(), tb.Size()
	p := &product{size: size, ta: ta, tb: tb, m: m, n: n, k: k,
		a: mem.Operand{RS: k * sa, CS: sa}, b: mem.Operand{RS: n * sb, CS: sb}, c: mem.Operand{RS: n * size, CS: size}}
	if transA {
		p.a = mem.Operand{RS: sa, CS: m * sa}
	}
	if transB {
		p.b = mem.Operand{RS: sb, CS: k * sb}
	}
	// As normalize has it: the stride of a single column is that of contiguous rows.
	if k == 1 {
		p.a.CS = sa
	}
	if n == 1 {
		p.b.CS, p.c.CS = sb, size
	}
	return p
}

func planOf[T dtype.Number](kern *kernel.Kernels, opt run.Options, out, a, b layout.Matrix[T]) tiling.Plan {
	mem.Normalize(&out)
	mem.Normalize(&a)
	mem.Normalize(&b)
	pre := opt.B != nil
	if kern != nil && out.ColStride != 1 && out.RowStride == 1 {
		out, a, b = out.T(), b.T(), a.T()
		pre = false
	}
	t := dtype.Of[T]()
	p := product{
		kern: kern, size: t.Size(), a: mem.OperandOf(a), b: mem.OperandOf(b), c: mem.OperandOf(out), ta: t, tb: t,
		m: out.Rows, n: out.Cols, k: a.Cols,
	}
	if pre {
		p.pre = opt.B
	}
	return p.explain(machine.This(), opt)
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
	return *priced(&q, &pl)
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

// Alternatives lists the ways to compute what PlanFor plans, as it weighs them: the order
// of additions is the same in all. There is one where nothing is weighed: of a product
// with few rows or columns, of small operands, and without kernels.
func Alternatives(on *machine.Machine, kern *kernel.Kernels, t dtype.Type, opt run.Options, m, n, k int, transA, transB bool) []tiling.Plan {
	p := shaped("dense.Alternatives", t, t, t, m, n, k, transA, transB)
	p.kern = kern
	return p.weighed(on, opt)
}

// AlternativesMixed is [Alternatives] for what PlanMixed plans.
func AlternativesMixed(on *machine.Machine, kern *kernel.Kernels, a, b, acc dtype.Type, opt run.Options, m, n, k int, transA, transB bool) []tiling.Plan {
	return mixed("dense.AlternativesMixed", kern, a, b, acc, m, n, k, transA, transB).weighed(on, opt)
}

// AlternativesFused is [Alternatives] for what PlanFused plans.
func AlternativesFused(on *machine.Machine, kern *kernel.Kernels, a, b, acc dtype.Type, out int, opt run.Options, m, n, k int, transA, transB bool) []tiling.Plan {
	all := fused("dense.AlternativesFused", kern, a, b, acc, m, n, k, transA, transB).weighed(on, opt)
	for i := range all {
		all[i].SizeC, all[i].StrideC = out, n*out
	}
	return all
}

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
	add := func(other *plan) {
		if x := *priced(&q, other); !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	p.copies(on, &pl, add)
	p.plan(on, work.Allowed(opt.Threads), &pl)
	p.blocks(on, &pl, add)
	p.past(on, &pl, add)
	add(&pl)
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
func priced(q *tiling.Plan, pl *plan) *tiling.Plan {
	q.PanelsAtOnce, q.TilesPerBlock, q.PackA, q.PackB, q.Stream = pl.panelsAtOnce, pl.tilesPerBlock, pl.packA, pl.packB, pl.stream
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
