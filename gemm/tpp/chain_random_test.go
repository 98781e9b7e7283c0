package tpp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/internal/level"
)

// randomChain is an equation of operators, reductions and products of any kind, one of another, and some of what it makes as outputs.
func randomChain(r *rand.Rand) Spec {
	x := In(gemm.Full[float32]("x"))
	pool := []Tensor{x, In(gemm.PerRow[float32]("row")), In(gemm.Scalar[float32]("s"))}
	width := map[*node]int{x.n: 0} // of those with columns
	widths, columns, factors := 1, 0, 0
	add := func(t Tensor, w int) {
		pool = append(pool, t)
		if t.n.pattern == gemm.FullPattern || t.n.pattern == gemm.ColumnPattern {
			width[t.n] = w
		}
	}
	pick := func() Tensor { return pool[r.IntN(len(pool))] }
	for range 4 + r.IntN(12) {
		a := pick()
		w, wide := width[a.n]
		full := a.n.pattern == gemm.FullPattern
		switch k := r.IntN(10); {
		case (k == 0 || k == 9) && full && factors < 3:
			factors++
			b := In(gemm.Full[float32](fmt.Sprintf("b%d", factors)))
			if r.IntN(2) == 0 {
				add(MatMul(a, b), widths)
			} else {
				add(MatMulT(a, b), widths)
			}
			widths++
		case k == 1 && full:
			add(RowSum(a), w)
		case k == 2 && full:
			add(RowMax(a), w)
		case k == 3 && full:
			add(ColSum(a), w)
		case k == 4 && full:
			add(ColMax(a), w)
		case k == 5 && wide:
			add(ColsOf(a), w)
		case k == 6 && wide && columns < 2:
			columns++
			add(mul.of(a, In(gemm.PerColumn[float32](fmt.Sprintf("c%d", columns)))), w)
		case k == 7:
			add(Map(op.Abs[float32], a), w)
		default:
			b := pick()
			other, too := width[b.n]
			if wide && too && w != other {
				continue
			}
			if too {
				w = other
			}
			add([]pair{mul, sub, {op.Max[float32], op.Max[float64]}}[r.IntN(3)].of(a, b), w)
		}
	}
	var s Spec
	for i := range 2 + r.IntN(4) {
		s.Outs = append(s.Outs, Out(fmt.Sprintf("out%d", i), pool[len(pool)-1-r.IntN(min(len(pool), 7))]))
	}
	return s
}

// TestRandomChains interprets equations that nobody wrote, of which one in some thousands once found what the list above had not.
func TestRandomChains(t *testing.T) {
	chains, tried := 0, level.Of(400, 1500, 30000)
	for seed := range tried {
		r := rand.New(level.PCG(uint64(seed), 9))
		s := randomChain(r)
		g, err := s.graph()
		if err != nil || g.widths == nil {
			continue
		}
		l := &lowering{Spec: s, Draft: &unit.Draft{}, plan: &plan{graph: g, cost: costs}, costs: map[*node]int{}, widest: map[*node]int{}}
		for _, n := range g.nodes {
			l.costs[n] = costs(n)
		}
		c, err := l.asChain()
		if err != nil {
			if !strings.Contains(err.Error(), "the limit is") && !strings.Contains(err.Error(), "no operand and no output") {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue
		}
		chains++
		p := &problem{p: c.plan, m: 3, ns: []int{3, 9, 4, 2, 5, 1}, pad: 1}
		p.draw = func(e int) float64 { return float64((e*7+seed)%5-2) / 2 }
		p.evaluate(seed, seed%3 == 0) // with NaN and Inf
		if err := chainRun(p, c, 8, 2); err != nil {
			t.Errorf("seed %d, %s: %v\n%s", seed, c.written(), err, c.schedule())
		}
	}
	if chains < tried/5 {
		t.Errorf("%d of %d equations had products", chains, tried)
	}
}
