package sparse

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestFind: in every format, Find and Entry are inverses of each other, and say of
// what is not stored that it is not.
func TestFind(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("large matrices")
	}
	for _, p := range patterns() {
		if p.m*p.n > 600 {
			continue
		}
		m := p.matrix()
		for _, f := range formats {
			packed, err := m.To(f)
			if err != nil {
				continue // TestLaw looks at refusals
			}
			values := packed.Values()
			for i := -1; i <= p.m; i++ {
				for j := -1; j <= p.n; j++ {
					want := 0.0
					if i >= 0 && j >= 0 && i < p.m && j < p.n {
						want = m.At(i, j)
					}
					slot, ok := packed.Find(i, j)
					if ok != (want != 0) || ok && values[slot] != want {
						t.Errorf("%s: %s: (%d, %d) is found in slot %d, %v", p.name, f.Name, i, j, slot, ok)
					}
				}
			}
			for slot := -1; slot <= packed.Slots(); slot++ {
				e, ok := packed.Entry(slot)
				want := slot >= 0 && slot < packed.Slots() && values[slot] != 0
				if ok != want || ok && (e.K != slot || m.At(e.I, e.J) != values[slot]) {
					t.Errorf("%s: %s: slot %d is %v, %v", p.name, f.Name, slot, e, ok)
				}
			}
		}
	}
	var zero Packed[float32]
	if _, ok := zero.Find(0, 0); ok || zero.Repeats() {
		t.Error("the zero Packed has an element")
	}
	if _, ok := zero.Entry(0); ok {
		t.Error("the zero Packed has an entry")
	}
}

// TestRepeats: a row of several positions is one that a kernel adds to.
func TestRepeats(t *testing.T) {
	m := where("", 4, 9, func(i, j int) bool { return i == 2 && j < 5 || i == 3 && j == 8 }).matrix()
	for _, c := range []struct {
		f    Format
		want bool
	}{{CSR, false}, {DCSR, false}, {DELL(4), true}, {DELL(5), false}, {COO, true}, {DBSR(2), false}, {SELL(2, 2), false}} {
		if p := must(m.To(c.f)); p.Repeats() != c.want {
			t.Errorf("%s: %v", c.f.Name, p.Repeats())
		}
	}
	for limit, want := range map[int]bool{4: true, 5: false} {
		for _, p := range must(Decompose(m, LongRows(limit), LongRows(1))).Parts() {
			if p.Name == "longrows(4)" && p.Repeats() != want {
				t.Errorf("%s: %v", p.Name, p.Repeats())
			}
		}
	}
}
