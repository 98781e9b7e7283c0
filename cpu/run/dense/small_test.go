package dense

import (
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// TestSplitFew: small numbers are cut as others are.
func TestSplitFew(t *testing.T) {
	for n := 1; n <= smallSide; n++ {
		for most := 1; most <= 40; most++ {
			want := mem.SplitUp(n, most)
			if have := splitFew(n, most); have != (few{uint16(want.Count), uint16(want.Size), uint16(want.Tall)}) {
				t.Fatalf("%d cut into at most %d: %+v, want %+v", n, most, have, want)
			}
		}
	}
}
