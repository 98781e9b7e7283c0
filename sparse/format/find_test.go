package format

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// TestFind: in every format, Find and Entry are inverses of each other, and say of
// what is not stored that it is not.
func TestFind(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("large matrices")
	}
	for _, p := range sparsetest.Patterns() {
		if p.M*p.N > 600 {
			continue
		}
		m := p.Matrix()
		for _, f := range formats {
			packed, err := Pack(m, f)
			if err != nil {
				continue // TestLaw looks at refusals
			}
			values := packed.Values()
			for i := -1; i <= p.M; i++ {
				for j := -1; j <= p.N; j++ {
					want := 0.0
					if i >= 0 && j >= 0 && i < p.M && j < p.N {
						want = m.At(i, j)
					}
					slot, ok := packed.Find(i, j)
					if ok != (want != 0) || ok && values[slot] != want {
						t.Errorf("%s: %s: (%d, %d) is found in slot %d, %v", p.Name, f.Name, i, j, slot, ok)
					}
				}
			}
			for slot := -1; slot <= packed.Slots(); slot++ {
				e, ok := packed.Entry(slot)
				want := slot >= 0 && slot < packed.Slots() && values[slot] != 0
				if ok != want || ok && (e.K != slot || m.At(e.I, e.J) != values[slot]) {
					t.Errorf("%s: %s: slot %d is %v, %v", p.Name, f.Name, slot, e, ok)
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
