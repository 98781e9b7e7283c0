package cuda

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestOverlap compares with the sets of bytes, for blocks of one parent and for
// random strides.
func TestOverlap(t *testing.T) {
	d := newHost()
	parent := of(t, d, 200, 10, 20, 20, 1)
	r := rand.New(level.PCG(1, 2))
	bytes := func(m Matrix[float32]) map[uint64]bool {
		set := map[uint64]bool{}
		for i := range m.Rows {
			for j := range m.Cols {
				set[m.Address()+uint64(4*(i*m.RowStride+j*m.ColStride))] = true
			}
		}
		return set
	}
	share := func(x, y Matrix[float32]) bool {
		in := bytes(y)
		for b := range bytes(x) {
			if in[b] {
				return true
			}
		}
		return false
	}
	block := func() Matrix[float32] {
		i, j := r.IntN(10), r.IntN(20)
		m := parent.Slice(i, i+r.IntN(11-i), j, j+r.IntN(21-j))
		if r.IntN(2) == 0 {
			m = m.T()
		}
		return m
	}
	counts := map[bool]int{}
	for range 20000 {
		x, y := block(), block()
		got, want := Overlap(x, y), share(x, y)
		counts[want]++
		if got != want || Overlap(y, x) != got {
			t.Fatalf("%+v and %+v: Overlap says %v and %v, want %v", x, y, got, Overlap(y, x), want)
		}
	}
	if counts[true] < 1000 || counts[false] < 1000 {
		t.Errorf("too few of a kind: %v", counts)
	}
	for range 20000 {
		random := func() Matrix[float32] {
			m := Matrix[float32]{parent.Data, r.IntN(4), r.IntN(4), r.IntN(8), r.IntN(8)}
			m.Data = m.Data.Slice(r.IntN(100), 200)
			return m
		}
		if x, y := random(), random(); share(x, y) && !Overlap(x, y) {
			t.Fatalf("%+v and %+v share an element, and Overlap says no", x, y)
		}
	}

	other := of(t, d, 200, 10, 20, 20, 1)
	if Overlap(parent, other) || Overlap(other, parent) {
		t.Error("two buffers overlap")
	}
	elsewhere := of(t, newHost(), 200, 10, 20, 20, 1)
	if elsewhere.Address() != parent.Address() || Overlap(parent, elsewhere) {
		t.Error("memory of two devices overlaps")
	}
	doubles, err := View[float64](parent.Data.Memory(), 400, 10)
	if err != nil {
		t.Fatal(err)
	}
	as := Matrix[float64]{doubles, 1, 10, 10, 1} // over elements 100 to 119
	if !Overlap(parent, as) || Overlap(parent.Slice(0, 5, 0, 20), as) || !Overlap(as, parent.Slice(5, 6, 19, 20)) {
		t.Error("matrices of different types")
	}
	if !Same(parent, parent) || Same(parent, parent.T()) || Same(parent, other) {
		t.Error("Same")
	}
}
