package mesh

import "testing"

// everybody is an exchange of each of p ranks with every other.
func everybody(p int) Exchange {
	m := Must(New(Axis{Name: "x", Size: p}))
	from := Must(m.Shard(Dim{Size: p, Axes: []string{"x"}}, Dim{Size: p}))
	to := Must(m.Shard(Dim{Size: p}, Dim{Size: p, Axes: []string{"x"}}))
	return Must(NewExchange(from, to))
}

// TestReceivesMany asks some of many ranks for their pieces. BenchmarkReceivesMany says how long one takes.
func TestReceivesMany(t *testing.T) {
	const p = 2000
	x := everybody(p)
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
}

// Bound: the pieces of a rank take time with their number (0.4 us each on a Zen 4), not with that of all pairs.
func BenchmarkReceivesMany(b *testing.B) {
	const p = 2000
	x := everybody(p)
	for b.Loop() {
		if n := len(x.Receives(p / 2)); n != p {
			b.Fatalf("%d pieces", n)
		}
	}
}
