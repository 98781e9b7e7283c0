package mesh

import (
	"testing"
	"time"
)

// TestReceivesMany: of an exchange of everybody with everybody the pieces of one rank take time with
// their number, not with that of all pairs.
func TestReceivesMany(t *testing.T) {
	const p = 2000
	m := Must(New(Axis{Name: "x", Size: p}))
	from := Must(m.Shard(Dim{Size: p, Axes: []string{"x"}}, Dim{Size: p}))
	to := Must(m.Shard(Dim{Size: p}, Dim{Size: p, Axes: []string{"x"}}))
	x := Must(NewExchange(from, to))
	start := time.Now()
	for _, rank := range []int{0, 1, p / 2, p - 1} {
		pieces := x.Receives(rank)
		if len(pieces) != p || len(x.Sends(rank)) != p {
			t.Fatalf("rank %d: %d pieces", rank, len(pieces))
		}
		for src, k := range pieces {
			if k.Src != src || k.Dst != rank {
				t.Fatalf("rank %d: piece %d is %+v", rank, src, k)
			}
		}
	}
	if d := time.Since(start); d > 2*time.Second { // milliseconds; half a minute if each piece looks at all ranks
		t.Errorf("4 of %d ranks took %v", p, d)
	}
}
