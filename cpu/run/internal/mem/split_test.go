package mem

import "testing"

// TestSplitOf: each element is in the piece that begins at or before it, and ends behind it.
func TestSplitOf(t *testing.T) {
	for n := range 40 {
		for most := 1; most < 9; most++ {
			s := SplitUp(n, most)
			for at := range n {
				if i := s.Of(at); i < 0 || i >= s.Count || s.At(i) > at || s.At(i+1) <= at {
					t.Fatalf("%d in pieces of %d: %d is in piece %d of %+v", n, most, at, i, s)
				}
			}
		}
	}
}
