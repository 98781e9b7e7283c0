package dense

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// TestPackNarrow compares panels with what a loop over elements makes, of rows, columns and
// anything else.
func TestPackNarrow(t *testing.T) {
	const size, ld, canary = 2, 32, 0xcafe
	for _, kc := range []int{1, 2, 3, 4, 5, 8, 11} {
		for cols := 1; cols <= ld/size; cols++ {
			for _, strides := range [][2]int{{cols, 1}, {cols + 3, 1}, {1, kc}, {1, kc + 5}, {2, 2 * kc}, {3 * cols, 3}} {
				rs, cs := strides[0], strides[1]
				src := make([]uint16, (kc-1)*rs+(cols-1)*cs+1) // not one more
				for i := range src {
					src[i] = uint16(7*i + 1)
				}
				have := slices.Repeat([]uint16{canary}, kc*ld/size+8)
				packNarrow(unsafe.Pointer(&have[0]), mem.Operand{P: unsafe.Pointer(&src[0]), RS: rs * size, CS: cs * size}, kc, cols, ld)
				want := slices.Repeat([]uint16{canary}, len(have))
				for i := range kc {
					for c := range ld / size {
						if want[i*ld/size+c] = 0; c < cols {
							want[i*ld/size+c] = src[i*rs+c*cs]
						}
					}
				}
				if !slices.Equal(have, want) {
					t.Fatalf("%d x %d with strides %v:\nhave %v\nwant %v", kc, cols, strides, have, want)
				}
			}
		}
	}
}

// BenchmarkPackNarrow packs panels of 32 columns of 4096 x 4096 weights, as rows and as columns.
func BenchmarkPackNarrow(b *testing.B) {
	const n, cols, kc = 4096, 32, 1024
	src, dst := make([]uint16, n*n), make([]uint16, kc*cols)
	for _, c := range [][2]int{{n, 1}, {1, n}, {2, 2 * n}} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			b.SetBytes(2 * kc * cols)
			for i := 0; b.Loop(); i++ {
				at := i % (n / 2 / cols) * cols * min(c[1], n)
				if c[1] > n {
					at = 0
				}
				packNarrow(unsafe.Pointer(&dst[0]), mem.Operand{P: unsafe.Pointer(&src[at]), RS: 2 * c[0], CS: 2 * c[1]}, kc, cols, 2*cols)
			}
		})
	}
}
