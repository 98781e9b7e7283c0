package part

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
)

// A block with one full row and one full column of n is covered by two rows, not n.
func TestCoverOfAnArrow(t *testing.T) {
	const n = 8
	var is, js []int32
	for i := range int32(n) {
		is, js = append(is, 0, i), append(js, n+i, n)
	}
	a := pattern(t, 2*n, 2*n, is, js)
	parts := make([]int32, 2*n)
	for i := range n {
		parts[n+i] = 1
	}
	p := must[Partition](t)(New(2, parts))
	want := []Block{{To: 0, From: 1, Cols: []int32{n}, Rows: []int32{0}}}
	if diff := cmp.Diff(want, must[[]Block](t)(Cover(a, p, p))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Volume(must[[]Block](t)(Halo(a, p, p))); got != n {
		t.Errorf("the halo sends %d rows, want %d", got, n)
	}
}

// Every entry off the diagonal is covered, and no cover is smaller: all subsets of columns
// are tried, each of which needs the rows of the entries that it leaves.
func TestCoverIsMinimum(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for range 500 {
		rows, cols, k := 1+r.IntN(12), 1+r.IntN(12), 1+r.IntN(4)
		var is, js []int32
		for range r.IntN(40) {
			is, js = append(is, r.Int32N(int32(rows))), append(js, r.Int32N(int32(cols)))
		}
		a := pattern(t, rows, cols, is, js)
		draw := func(n int) Partition {
			parts := make([]int32, n)
			for i := range parts {
				parts[i] = r.Int32N(int32(k))
			}
			return must[Partition](t)(New(k, parts))
		}
		p, q := draw(rows), draw(cols)
		cover := must[[]Block](t)(Cover(a, p, q))
		at := 0
		for to := range k {
			for from := range k {
				entries := block(a, p, q, to, from)
				if len(entries) == 0 {
					continue
				}
				b := cover[at]
				at++
				if b.To != to || b.From != from {
					t.Fatalf("block %d is from %d to %d, want %d to %d", at, b.From, b.To, from, to)
				}
				in := map[edge]bool{}
				for _, i := range b.Rows {
					in[edge{row: i, col: -1}] = true
				}
				for _, j := range b.Cols {
					in[edge{row: -1, col: j}] = true
				}
				for _, e := range entries {
					if !in[edge{e.row, -1}] && !in[edge{-1, e.col}] {
						t.Fatalf("entry %v of the block from %d to %d is not covered", e, from, to)
					}
				}
				if least := leastCover(entries); len(b.Cols)+len(b.Rows) != least {
					t.Fatalf("%v covers %v; %d are enough", b, entries, least)
				}
			}
		}
		if at != len(cover) {
			t.Fatalf("%d blocks, want %d", len(cover), at)
		}
	}
}

// block returns the entries of a in rows of part to and columns of part from.
func block(a sparse.Matrix[float64], p, q Partition, to, from int) (out []edge) {
	for e := range a.All() {
		if p.Of(e.I) == to && q.Of(e.J) == from && to != from {
			out = append(out, edge{int32(e.I), int32(e.J)})
		}
	}
	return out
}

func leastCover(entries []edge) int {
	cols := 0
	for _, e := range entries {
		cols |= 1 << e.col
	}
	least := bits.OnesCount(uint(cols))
	for set := cols; ; set = (set - 1) & cols {
		rows := 0
		for _, e := range entries {
			if set>>e.col&1 == 0 {
				rows |= 1 << e.row
			}
		}
		least = min(least, bits.OnesCount(uint(set))+bits.OnesCount(uint(rows)))
		if set == 0 {
			return least
		}
	}
}

// A long path needs long alternating paths, which must not overflow a stack.
func TestCoverOfAPath(t *testing.T) {
	const n = 1 << 17
	var is, js []int32
	for i := range int32(n) {
		is, js = append(is, i, i), append(js, n+i, n+(i+1)%n)
	}
	a := pattern(t, n, 2*n, is, js)
	parts := make([]int32, 2*n)
	for i := range n {
		parts[n+i] = 1
	}
	rows := must[Partition](t)(New(2, make([]int32, n)))
	cols := must[Partition](t)(New(2, parts))
	if got := Volume(must[[]Block](t)(Cover(a, rows, cols))); got != n {
		t.Errorf("a cycle of %d entries is covered by %d, want %d", 2*n, got, n)
	}
}
