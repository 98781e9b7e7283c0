package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// A product with a transpose that was not built is that with the one that was.
func TestSpMMTransposed(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testSpMMTransposed[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testSpMMTransposed[float64](t, isa) })
	})
}

func testSpMMTransposed[T dtype.Float](t *testing.T, isa string) {
	rng := rand.New(level.PCG(1, 2))
	for name, a := range byName(structures[T]()) {
		for _, n := range []int{1, 9, 70} {
			b := smallInts(rng, guarded[T](t, a.Rows(), n))
			out, want := guarded[T](t, a.Cols(), n), layout.New[T](a.Cols(), n)
			opt := Options{ISA: isa, Threads: 2}
			SpMMOpt(opt, out, format.TransposedCSC(a), b)
			SpMMOpt(opt, want, a.Transpose(), b)
			for i, x := range want.Data {
				if out.Data[i] != x {
					t.Fatalf("%s, %d columns: element %d is %v, want %v", name, n, i, out.Data[i], x)
				}
			}
		}
	}
}

// Rows are taken, and added where they were taken from: the gradient of taking them.
func ExampleSpMM_takeAndScatter() {
	take, err := sparse.Selection[float32](3, []int32{2, 0, 2})
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	rows := layout.New[float32](3, 2)
	SpMM(rows, take, x)
	fmt.Println(rows.Data)
	back := layout.New[float32](3, 2)
	SpMM(back, format.TransposedCSC(take), rows)
	fmt.Println(back.Data)

	means, err := sparse.Segments[float32]([]int{0, 2, 3}, true) // of rows 0 and 1, and of row 2
	if err != nil {
		panic(err)
	}
	pooled := layout.New[float32](2, 2)
	SpMM(pooled, means, x)
	fmt.Println(pooled.Data)
	// Output:
	// [5 6 1 2 5 6]
	// [1 2 0 0 10 12]
	// [2 3 5 6]
}
