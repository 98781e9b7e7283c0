package peer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// What a library has no kernel for is refused by Can, by F32 and F64, and by Repeat, with one sentence, and C stays as it was.
func TestCan(t *testing.T) {
	for _, tt := range []struct {
		peer           string
		typ            dtype.Type
		transA, transB bool
		m, n, k        int
		alpha, beta    float64
		want           string // "" when there is such a product
	}{
		{"libxsmm", dtype.F32, false, false, 8, 8, 8, 1, 0, ""},
		{"libxsmm", dtype.F64, true, false, 64, 13, 23, 1, 1, ""},
		{"libxsmm", dtype.F32, false, false, 8, 8, 8, 2, 0, "an alpha of 1"},
		{"libxsmm", dtype.F64, false, false, 8, 8, 8, 1, .5, "a beta of 0 or 1"},
		{"libxsmm", dtype.F32, false, false, 8, 8, 0, 1, 0, "sizes of 1 or more"},
		{"libxsmm", dtype.F32, false, false, 0, 8, 0, 1, 0, ""},
		{"libxsmm", dtype.F32, false, true, 8, 1024, 512, 1, 0, "on the stack"},
		{"libxsmm", dtype.TypeBF16, false, false, 8, 8, 8, 1, 0, "there are f32 and f64"},
		{"onednn", dtype.F32, true, true, 8, 8, 8, 2, -3, ""},
		{"onednn", dtype.F32, false, false, 8, 8, 0, 1, 0, "nothing when k is 0"},
		{"onednn", dtype.F64, false, false, 8, 8, 8, 1, 0, "f32 only"},
		{"gonum", dtype.F64, true, true, 3, 3, 0, 2, -3, ""},
	} {
		name := fmt.Sprintf("%s/%v/%dx%dx%d/%v,%v", tt.peer, tt.typ, tt.m, tt.n, tt.k, tt.alpha, tt.beta)
		t.Run(name, func(t *testing.T) {
			g, err := Load(tt.peer)
			if err != nil {
				t.Skip(err)
			}
			err = g.Can(tt.typ, tt.transA, tt.transB, tt.m, tt.n, tt.k, tt.alpha, tt.beta)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Can: %v, want %q", err, tt.want)
			}
			if err == nil || tt.typ == dtype.TypeBF16 {
				return
			}
			defer func() {
				if got := fmt.Sprint(recover()); got != err.Error() {
					t.Errorf("panic is %q, want %q", got, err)
				}
			}()
			ld := max(tt.m, tt.n, tt.k)
			if tt.typ == dtype.F32 {
				x := make([]float32, ld*ld)
				g.F32(tt.transA, tt.transB, tt.m, tt.n, tt.k, float32(tt.alpha), x, width(tt.transA, tt.m, tt.k), x, width(tt.transB, tt.k, tt.n), float32(tt.beta), x, tt.n)
			} else {
				x := make([]float64, ld*ld)
				g.F64(tt.transA, tt.transB, tt.m, tt.n, tt.k, tt.alpha, x, width(tt.transA, tt.m, tt.k), x, width(tt.transB, tt.k, tt.n), tt.beta, x, tt.n)
			}
		})
	}
}

// width is the leading dimension of op(X), rows by cols, stored densely.
func width(trans bool, rows, cols int) int {
	if trans {
		return max(1, rows)
	}
	return max(1, cols)
}
