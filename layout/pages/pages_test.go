package pages

import "testing"

// TestAdvise checks that what was asked for stays memory like any other.
func TestAdvise(t *testing.T) {
	for _, n := range []int{0, 1, Least - 1, Least, Least + 12345, 5*Huge + 1} {
		b := make([]byte, n)
		Advise(b)
		if n > 3 { // a slice that begins in the middle of a page
			Advise(b[3:])
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("%d bytes: byte %d is %d after Advise, want 0", n, i, b[i])
			}
			b[i] = byte(i)
		}
		for i := range b {
			if b[i] != byte(i) {
				t.Fatalf("%d bytes: byte %d is %d, want %d", n, i, b[i], byte(i))
			}
		}
	}
}
