package pages

import "testing"

// TestMake checks that what is made has its length, no more, and zeros.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, Some/8 - 1, Some / 8, Huge / 8, Huge/8 + 1, 3*Huge/8 - 5} {
		x := Make[float64](n)
		if len(x) != n || cap(x) != n {
			t.Fatalf("%d elements: a slice of %d and room for %d", n, len(x), cap(x))
		}
		for i := range x {
			if x[i] != 0 {
				t.Fatalf("%d elements: element %d is %v, want 0", n, i, x[i])
			}
			x[i] = float64(i)
		}
	}
}

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
