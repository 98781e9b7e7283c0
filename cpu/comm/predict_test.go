package comm

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPredicted: what AllReduce and ReduceScatter count is what is said beforehand, and
// for long arrays no more than 2(p-1)/p of the bytes and a part.
func TestPredicted(t *testing.T) {
	for p := 1; p <= 9; p++ {
		for _, n := range []int{0, 1, p - 1, 100, 1000, 5001, 20003} {
			err := Run(p, func(c *Comm) error {
				x := make([]float32, n)
				counts := make([]int, p)
				for r := range counts {
					counts[r] = r * 37 % 50
				}
				y := make([]float32, sums(counts)[p])
				c.Phase("all-reduce")
				if err := AllReduce(c, x, Max[float32]()); err != nil {
					return err
				}
				c.Phase("reduce-scatter")
				if err := ReduceScatter(c, y[:counts[c.Rank()]], y, counts, Max[float32]()); err != nil {
					return err
				}
				all := AllReduceCount(p, c.Rank(), n, 4)
				scatter := ReduceScatterCount(c.Rank(), counts, 4)
				all.Phase, scatter.Phase = "all-reduce", "reduce-scatter"
				if diff := cmp.Diff([]Count{{}, all, scatter}, c.Counts()); diff != "" {
					return fmt.Errorf("- predicted, + counted:\n%s", diff)
				}
				if bound := int64(2*(p-1)*(4*n/p+4) + 4); n > 20000 && all.BytesSent > bound {
					return fmt.Errorf("%d bytes, more than %d", all.BytesSent, bound)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d ranks, %d elements: %v", p, n, err)
			}
		}
	}
}
