package sweep

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Masks of attention.
const (
	window      = "window" // 4096 tokens in blocks of 64, each of which sees those up to six away: a fifth of all
	blockTokens = 64
)

// BlockAttention is attention over blocks: of m tokens to k, n columns a head.
func BlockAttention[T dtype.Float](of func(opt run.Options) check.BlockAttentionCase[T]) Kernel {
	t := dtype.Of[T]()
	c := of(run.Options{})
	return Kernel{
		Name: c.Name, Family: "BlockAttention", Types: t.String(), Acc: t,
		Has: func(isa string) bool {
			c := of(run.Options{ISA: isa, Threads: 1})
			mask, err := mask.Full(1, 1, 1)
			return err != nil || callable(c.Timed(mask, 1).Call)
		},
		Suite: func(tb check.TB, isa string) {
			check.BlockAttention(tb, func(threads int) check.BlockAttentionCase[T] { return of(run.Options{ISA: isa, Threads: threads}) })
		},
		Workloads: func(g Grid) []Workload {
			if g.Shapes != nil {
				return sparseWorkloads(g, c.Features)
			}
			w := Workload{Matrix: window, M: 4096, N: 64, K: 4096}
			if c.Features > 0 {
				w.N = c.Features
			}
			return []Workload{w}
		},
		Ready: func(pt Point) (*Problem, error) {
			whole := pt.Workload
			whole.N *= max(1, c.Heads)
			if err := fits(whole, t.Size()); err != nil {
				return nil, err
			}
			mask, err := maskOf(pt.Workload)
			if err != nil {
				return nil, err
			}
			c := of(run.Options{ISA: pt.ISA, Threads: pt.Threads})
			return timed(c.Timed(mask, pt.N)), nil
		},
	}
}

// maskOf makes the mask of a workload.
func maskOf(w Workload) (mask.Mask, error) {
	switch w.Matrix {
	case window:
		return mask.Band(w.M, blockTokens, 6)
	case given:
		return mask.Full(w.M, w.K, blockTokens)
	}
	return mask.Mask{}, fmt.Errorf("there is no sample mask %q", w.Matrix)
}
