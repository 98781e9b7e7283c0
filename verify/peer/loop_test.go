package peer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A loop in C computes what a call from Go does, in every product of a batch, and leaves what lies between them alone.
func TestRepeat(t *testing.T) {
	l, err := OpenLoop()
	if err != nil {
		t.Skip(err)
	}
	builds(t, func(t *testing.T, g *Gemm) {
		if g.Name == "gonum" {
			if _, err := Repeat(l, g, false, false, 1, 1, 1, 1, operand[float32](1, 1), operand[float32](1, 1), operand[float32](1, 1)); err == nil {
				t.Error("gonum is called from C")
			}
			return
		}
		for _, size := range [][4]int{{1, 0, 3, 2}, {0, 3, 3, 3}, {1, 1, 1, 1}, {1, 17, 33, 9}, {5, 8, 8, 8}, {3, 13, 16, 23}} {
			g.SetThreads(1)
			for trans := range 4 {
				repeated(t, l, g, g.F32, trans&1 != 0, trans&2 != 0, size)
				repeated(t, l, g, g.F64, trans&1 != 0, trans&2 != 0, size)
			}
			g.SetThreads(2)
			repeated(t, l, g, g.F32, true, false, size)
		}
	})
}

func operand[T float32 | float64](elements, ld int) Operand[T] {
	return Operand[T]{Data: make([]T, elements), LD: ld}
}

func repeated[T float32 | float64](t *testing.T, l *Loop, g *Gemm, f gemm[T], transA, transB bool, size [4]int) {
	t.Helper()
	count, m, n, k := size[0], size[1], size[2], size[3]
	if !has(t, g, dtype.Of[T](), transA, transB, m, n, k, [2]int{1, 0}) {
		return
	}
	// Products lie a few elements more apart than they are long.
	batch := func(trans bool, rows, cols, seed int) Operand[T] {
		var o Operand[T]
		for i := range max(1, count) {
			x, ld := matrix[T](trans, rows, cols, 2, seed+i)
			x = append(x, 99, 98, 97)
			o.Data, o.LD, o.Stride = append(o.Data, x...), ld, len(x)
		}
		return o
	}
	a, b, c := batch(transA, m, k, 1), batch(transB, k, n, 4), batch(false, m, n, 7)
	want := slices.Clone(c.Data)
	for i := range count {
		f(transA, transB, m, n, k, 1, a.Data[i*a.Stride:], a.LD, b.Data[i*b.Stride:], b.LD, 0, want[i*c.Stride:], c.LD)
	}
	run, err := Repeat(l, g, transA, transB, count, m, n, k, a, b, c)
	if err != nil {
		t.Fatal(err)
	}
	untouched := slices.Clone(c.Data)
	for times, want := range [][]T{untouched, want, want} {
		run(times)
		if i, same := differ(c.Data, want); !same {
			t.Fatalf("%v %d of %dx%dx%d, transA %v, transB %v, %d times: c[%d] is %v, want %v",
				dtype.Of[T](), count, m, n, k, transA, transB, times, i, c.Data[i], want[i])
		}
	}
}

// differ returns where x and y differ; a NaN is like any other.
func differ[T float32 | float64](x, y []T) (int, bool) {
	for i := range x {
		if x[i] != y[i] && !(isNaN(x[i]) && isNaN(y[i])) {
			return i, false
		}
	}
	return 0, true
}

// What would run past a slice is refused before there is anything to run.
func TestRepeatRefuses(t *testing.T) {
	builds(t, func(t *testing.T, g *Gemm) {
		of := func(elements, ld, stride int) Operand[float32] {
			return Operand[float32]{make([]float32, elements), ld, stride}
		}
		for _, tt := range []struct {
			want    string
			count   int
			a, b, c Operand[float32]
		}{
			{"a has 3 elements", 1, of(3, 2, 0), of(4, 2, 0), of(4, 2, 0)},
			{"a has 3 elements", 3, of(11, 2, 4), of(4, 2, 0), of(12, 2, 4)},
			{"b has 0 elements", 3, of(12, 2, 4), of(4, 2, 4), of(12, 2, 4)},
			{"b has 0 elements", 2, of(12, 2, 4), of(4, 2, 9), of(12, 2, 4)},
			{"c has 0 elements", math.MaxInt/2 + 1, of(4, 2, 0), of(4, 2, 0), of(4, 2, math.MaxInt/2+1)},
			{"ldb is 1", 1, of(4, 2, 0), of(4, 1, 0), of(4, 2, 0)},
			{"want no less than 0", 2, of(4, 2, -1), of(4, 2, 0), of(4, 2, 0)},
			{"want no less than 0", -1, of(4, 2, 0), of(4, 2, 0), of(4, 2, 0)},
		} {
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.Contains(got, tt.want) {
						t.Errorf("panic is %q, want %q in it", got, tt.want)
					}
				}()
				Repeat(&Loop{}, g, false, false, tt.count, 2, 2, 2, tt.a, tt.b, tt.c)
			}()
		}
	})
}
