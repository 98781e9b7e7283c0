package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// plans returns how the loops would compute a product of a lowered spec on one core of h,
// and the other ways that were weighed. cycles is what a vector of sums costs in the
// epilogue.
func (x *expectation) plans(m *simd.Module, s tiling.Shape, cycles float64, h *machine.Machine) (chosen tiling.Plan, others []tiling.Plan) {
	kern := &kernel.Kernels{ISA: x.target, Table: &kernel.Table[kernel.Func[kernel.Args]]{
		MR: m.MR, NV: m.NV, VL: m.VL, Depth: m.Depth, Head: m.Head, AtOnce: m.AtOnce, Heights: m.Heights}}
	for _, t := range m.Entries {
		kern.Add(t.Form, t.MR, t.NV, nil)
	}
	opt := run.Options{Threads: 1}
	p := dense.Planned{Kernels: kern, A: m.A, B: m.B, Acc: m.Elem, M: s.M, N: s.N, K: s.K}
	if m.Fusion != nil {
		if p.Fused = true; !m.Fusion.Unstored {
			p.Out = m.Fusion.Out.Size()
		}
	}
	chosen, others = p.Plan(h, opt), p.Alternatives(h, opt)
	others = slices.DeleteFunc(others, func(p tiling.Plan) bool { return p == chosen })
	reductions := 0
	if m.Fusion != nil {
		reductions = len(m.Fusion.Reduces)
	}
	chosen.EpilogueCycles, chosen.Reductions = cycles, reductions
	for i := range others {
		others[i].EpilogueCycles, others[i].Reductions = cycles, reductions
	}
	return chosen, others
}

// shown is how many of several ways are printed.
const shown = 4

// ranked is a line for the way that was chosen, and one for each of the others that there is room for, the fastest
// first; then how many more there are.
func ranked[E any](chosen E, others []E, row func(mark string, way E) string, more string) []string {
	rows := []string{row("  >", chosen)}
	for i, x := range others {
		if i == shown-1 {
			return append(rows, fmt.Sprintf("    and %d more%s\n", len(others)-i, more))
		}
		rows = append(rows, row("   ", x))
	}
	return rows
}

// explainPlan is a line for what all plans have in common, and those of the plans.
func explainPlan(h *machine.Machine, chosen tiling.Plan, others []tiling.Plan) []string {
	cost.SortBy(others, func(p tiling.Plan) float64 { return p.Seconds(h) })
	slowest := chosen
	if n := len(others); n > 0 {
		slowest = others[n-1]
	}
	row := func(mark string, p tiling.Plan) string {
		x := p.Predict(h)
		return fmt.Sprintf("%s %-72s %12.1f us, %s\n", mark, choicesOf(&p), x.Seconds*1e6, x.Bound())
	}
	rows := []string{"  " + loopOf(&chosen) + stepOf(h, &chosen) + "\n"}
	return append(rows, ranked(chosen, others, row, fmt.Sprintf(", up to %.1f us", slowest.Seconds(h)*1e6))...)
}

// stepOf names the instruction of products of narrow elements, whose ceiling shares are of.
func stepOf(h *machine.Machine, p *tiling.Plan) string {
	if p.Depth < 2 {
		return ""
	}
	return fmt.Sprintf(", %s: at most %.0f Gop/s", p.Step(h).By, p.Ceiling(h)/1e9)
}

// loopOf is what shape, strides and instruction set decide.
func loopOf(p *tiling.Plan) string {
	switch p.Loop {
	case tiling.AxpyLoop:
		return fmt.Sprintf("axpy loop along the rows of the big operand, kc %d: %d rows at once, chunks of %d", p.KC, p.Rows.Size, p.Chunk)
	case tiling.DotLoop:
		return fmt.Sprintf("dot loop along k, kc %d: %d x %d sums at once, chunks of %d", p.KC, p.Rows.Size, p.Tile, p.Chunk)
	}
	return fmt.Sprintf("%s loop, kc %d: %d x %d tiles of %d rows and %d vectors", p.Loop, p.KC, p.Rows.Count, p.Vecs.Count, p.Rows.Size, p.Vecs.Size)
}

// choicesOf is what the machine decides.
func choicesOf(p *tiling.Plan) string {
	switch {
	case p.Loop == tiling.DotLoop && p.CopyLittle:
		return "the small operand copied, the big one in place"
	case p.Loop != tiling.TileLoop:
		return "the big operand in place"
	}
	list := []string{"a " + how(p.PackA, "copied"), "b " + how(p.PackB, "packed")}
	if p.PackB {
		list = append(list, counted(p.PanelsAtOnce, "panel")+" at once")
	}
	if p.Stream {
		list = append(list, "c past the caches")
	}
	if p.Small {
		return strings.Join(append(list, "without a plan"), ", ")
	}
	return strings.Join(append(list, counted(p.TilesPerBlock, "tile")+" a block"), ", ")
}

func how(copied bool, word string) string {
	if copied {
		return word
	}
	return "in place"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
