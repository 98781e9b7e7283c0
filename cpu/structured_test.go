package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func ExampleTrsm() {
	// 2 .      x0     2 4
	// 1 1  *   x1  =  3 5   The 9 lies beside the triangle.
	a := layout.RowMajor([]float64{2, 9, 1, 1}, 2, 2)
	b := layout.RowMajor([]float64{2, 4, 3, 5}, 2, 2)
	cpu.Trsm(cpu.Lower, a, b)
	fmt.Println(b.Data)

	// What a multiplies on the right is a transposed system.
	c := layout.RowMajor([]float64{5, 1}, 1, 2)
	cpu.Trsm(cpu.Lower.T(), a.T(), c.T())
	fmt.Println(c.Data)
	// Output:
	// [1 2 2 3]
	// [2 1]
}

func ExampleSyrk() {
	a := layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	out := layout.RowMajor([]float32{0, -1, -1, 0, 0, -1, 0, 0, 0}, 3, 3)
	cpu.Syrk(cpu.Lower, out, a)
	fmt.Println(out.Data)
	// Output: [5 -1 -1 11 25 -1 17 39 61]
}

// laid returns an m x n matrix of integers by rows, columns or strides of both, and NaN between them.
func laid[T dtype.Float](r *rand.Rand, way, m, n int) layout.Matrix[T] {
	x := layout.Matrix[T]{Rows: m, Cols: n, RowStride: n + way, ColStride: 1}
	switch way {
	case 1:
		x.RowStride, x.ColStride = 1, m+2
	case 2:
		x.RowStride, x.ColStride = 2*n+1, 2
	}
	x.Data = make([]T, m*n*3+m*2+n*2)
	for i := range x.Data {
		x.Data[i] = T(math.NaN())
	}
	for i := range m {
		for j := range n {
			x.Set(i, j, T(r.IntN(5)-2))
		}
	}
	return x
}

// whole is what a triangle of a stands for, or all of a symmetric matrix.
func whole[T dtype.Float](t cpu.Triangle, a layout.Matrix[T], symmetric bool) layout.Matrix[T] {
	x := layout.New[T](a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			lower := t == cpu.Lower || t == cpu.UnitLower
			switch {
			case i == j && (t == cpu.UnitLower || t == cpu.UnitUpper):
				x.Set(i, j, 1)
			case lower == (i >= j) || i == j:
				x.Set(i, j, a.At(i, j))
			case symmetric:
				x.Set(i, j, a.At(j, i))
			}
		}
	}
	return x
}

// beside fills what is not in a triangle with NaN.
func beside[T dtype.Float](t cpu.Triangle, a layout.Matrix[T]) {
	for i := range a.Rows {
		for j := range a.Cols {
			switch lower := t == cpu.Lower || t == cpu.UnitLower; {
			case i == j && (t == cpu.UnitLower || t == cpu.UnitUpper), i != j && lower == (i < j):
				a.Set(i, j, T(math.NaN()))
			}
		}
	}
}

// TestStructured compares every function of triangles with MatMul of what they stand for,
// exactly, in all ways that matrices lie.
func TestStructured(t *testing.T) {
	t.Run("float32", testStructured[float32])
	t.Run("float64", testStructured[float64])
}

func testStructured[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for at, side := range [][2]int{{1, 1}, {7, 5}, {40, 33}, {75, 130}} {
		for way := range 3 {
			for _, tri := range []cpu.Triangle{cpu.Lower, cpu.Upper, cpu.UnitLower, cpu.UnitUpper} {
				n, k := side[0], side[1]
				name := fmt.Sprintf("%v of %d, %d, laid %d", tri, n, k, way)
				unit := tri == cpu.UnitLower || tri == cpu.UnitUpper
				a, b := laid[T](r, way, n, n), laid[T](r, (way+at)%3, n, k)
				for i := range n {
					for j := range n {
						if i == j {
							a.Set(i, j, T([]int{1, -1, 2}[r.IntN(3)]))
						} else if (i-j)%5 != 1 { // few, so that products of the triangle with itself stay exact
							a.Set(i, j, 0)
						}
					}
				}
				full := whole(tri, a, false)
				beside(tri, a)
				want, have := layout.New[T](n, k), laid[T](r, way, n, k)
				cpu.MatMul(want, full, b)
				for i := range n {
					for j := range k {
						have.Set(i, j, b.At(i, j))
					}
				}
				cpu.Trmm(tri, a, have)
				equal(t, name+": Trmm", have, want)
				cpu.Trsm(tri, a, have)
				equal(t, name+": Trsm", have, b)
				cpu.Trmm(tri.T(), a.T(), b.T().T(), cpu.Options{Scaling: cpu.Scale(-2, 0)})
				cpu.Trsm(tri.T(), a.T(), b, cpu.Options{Scaling: cpu.Scale(-0.5, 0)})
				equal(t, name+": Trmm with options and back", b, func() layout.Matrix[T] { x := layout.New[T](n, k); copyTo(x, have); return x }())
				if unit {
					continue
				}
				sym := whole(tri, a, true)
				cpu.MatMul(want, sym, b)
				cpu.Symm(tri, have, a, b)
				equal(t, name+": Symm", have, want)
				c := laid[T](r, (way+1)%3, n, n)
				old := layout.New[T](n, n)
				copyTo(old, c)
				wide, d := layout.New[T](n, n), laid[T](r, way, n, k)
				check := func(what string, alpha, beta T) {
					t.Helper()
					for i := range n {
						for j := range n {
							x := old.At(i, j)
							if i == j || (tri == cpu.Lower) == (i > j) {
								x = alpha*wide.At(i, j) + beta*x
							}
							wide.Set(i, j, x)
						}
					}
					equal(t, name+": "+what, c, wide)
					copyTo(old, c)
				}
				cpu.MatMul(wide, b, b.T())
				cpu.Syrk(tri, c, b)
				check("Syrk", 1, 0)
				cpu.MatMul(wide, b, b.T())
				cpu.Syrk(tri, c, b, cpu.Options{Scaling: cpu.Scale(2, -1)})
				check("Syrk with options", 2, -1)
				cpu.MatMul(wide, b, d.T())
				cpu.MatMulTriangle(tri, c, b, d.T())
				check("MatMulTriangle", 1, 0)
				cpu.MatMul(wide, b, d.T())
				cpu.MatMulOpt(cpu.Options{Scaling: cpu.Scale(1, 1)}, wide, d, b.T())
				cpu.Syr2k(tri, c, b, d)
				check("Syr2k", 1, 0)
			}
		}
	}
}

func copyTo[T dtype.Float](x, from layout.Matrix[T]) {
	for i := range x.Rows {
		for j := range x.Cols {
			x.Set(i, j, from.At(i, j))
		}
	}
}

func equal[T dtype.Float](t *testing.T, what string, have, want layout.Matrix[T]) {
	t.Helper()
	for i := range want.Rows {
		for j := range want.Cols {
			if x, y := have.At(i, j), want.At(i, j); x != y {
				t.Fatalf("%s: element (%d, %d) is %v, want %v", what, i, j, x, y)
			}
		}
	}
}

// TestStructuredRefused: who is told what.
func TestStructuredRefused(t *testing.T) {
	m := layout.New[float64]
	square := layout.RowMajor(make([]float64, 12), 3, 3)
	for _, c := range []struct {
		want string
		call func()
	}{
		{"cpu.Symm: a is 2 x 3; a matrix with a triangle is square", func() { cpu.Symm(cpu.Lower, m(2, 2), m(2, 3), m(3, 2)) }},
		{"cpu.Symm: the triangle of a is UnitLower; want Lower or Upper", func() { cpu.Symm(cpu.UnitLower, m(2, 2), m(2, 2), m(2, 2)) }},
		{"cpu.Syrk: out is 2 x 2, a is 3 x 4, b is 4 x 3; want m x n, m x k, k x n", func() { cpu.Syrk(cpu.Upper, m(2, 2), m(3, 4)) }},
		{"cpu.Syr2k: out is 2 x 2, a is 2 x 4, b is 2 x 5; want n x n, n x k, n x k", func() { cpu.Syr2k(cpu.Upper, m(2, 2), m(2, 4), m(2, 5)) }},
		{"cpu.Trmm: a is 3 x 3, b is 2 x 3; want m x m and m x n", func() { cpu.Trmm(cpu.Upper, m(3, 3), m(2, 3)) }},
		{"cpu.Trsm: the triangle of a is Triangle(0); want Lower, Upper, UnitLower or UnitUpper", func() { cpu.Trsm(0, m(3, 3), m(3, 3)) }},
		{"cpu.Trsm: the triangle of a is Triangle(9); want Lower, Upper, UnitLower or UnitUpper", func() { cpu.Trsm(9, m(3, 3), m(3, 3)) }},
		{"cpu.Trsm: b shares elements with a; want it in memory of its own", func() { cpu.Trsm(cpu.Lower, square, square) }},
		{"cpu.Trmm: beta is not 0; b is an operand, and only alpha belongs to it", func() { cpu.Trmm(cpu.Lower, m(2, 2), m(2, 2), cpu.Options{Scaling: cpu.Scale(1, 1)}) }},
		{"cpu.Syrk: Options.B belongs to products of general matrices; leave it nil", func() { cpu.Syrk(cpu.Lower, m(2, 2), m(2, 2), cpu.Options{B: cpu.Pack(m(2, 2))}) }},
		{"mine: out is 2 x 2, a is 3 x 4, b is 4 x 3; want m x n, m x k, k x n", func() { cpu.Syrk(cpu.Upper, m(2, 2), m(3, 4), cpu.Options{Caller: "mine"}) }},
		{"cpu.Symm: 2 Options; want one or none", func() { cpu.Symm(cpu.Lower, m(2, 2), m(2, 2), m(2, 2), cpu.Options{}, cpu.Options{Threads: 1}) }},
	} {
		func() {
			defer func() {
				if have := fmt.Sprint(recover()); have != c.want {
					t.Errorf("panics with\n%s, want\n%s", have, c.want)
				}
			}()
			c.call()
		}()
	}
	// Beside a triangle there may be anything: here b in the strict upper part of a's memory.
	big := layout.RowMajor([]float64{2, 6, 8, 1, 1, 0, 0, 0, 4}, 3, 3)
	cpu.Trsm(cpu.Lower, big.Slice(0, 1, 0, 1), big.Slice(0, 1, 1, 3))
	if big.Data[1] != 3 || big.Data[2] != 4 {
		t.Errorf("beside the triangle: %v", big.Data)
	}
	lu := layout.RowMajor([]float64{7, 8, 6, 2, 1, 5, 1, 1, 1}, 3, 3) // b is the last column, above the diagonal
	cpu.Trsm(cpu.UnitLower, lu.Slice(1, 3, 0, 2), lu.Slice(0, 2, 2, 3))
	if lu.Data[2] != 6 || lu.Data[5] != -1 {
		t.Errorf("beside the triangle: %v", lu.Data)
	}
}
