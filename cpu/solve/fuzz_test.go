package solve

import (
	"math"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// FuzzSolve makes a small matrix of bytes, any at all, and holds everything to two rules:
// nothing panics, and who says that it has converged has.
func FuzzSolve(f *testing.F) {
	f.Add(uint8(3), []byte{0, 0, 8, 1, 1, 8, 2, 2, 8, 0, 1, 1, 1, 0, 1})
	f.Add(uint8(2), []byte{0, 0, 0, 1, 1, 255})
	f.Add(uint8(1), []byte{})
	f.Add(uint8(0), []byte{})
	f.Add(uint8(9), []byte{0, 0, 200, 8, 8, 127, 4, 4, 128, 8, 0, 255, 0, 8, 255})
	f.Fuzz(func(t *testing.T, size uint8, data []byte) {
		n := int(size % 40)
		b := sparse.NewBuilder[float64](n, n)
		for ; n > 0 && len(data) >= 3; data = data[3:] {
			v := float64(int8(data[2])) / 8
			switch data[2] {
			case 127:
				v = math.NaN()
			case 128:
				v = math.Inf(1)
			}
			b.Add(int(data[0])%n, int(data[1])%n, v)
		}
		a, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		right := make([]float64, n)
		for i := range right {
			right[i] = float64(i%5) - 2
		}
		list := []Operator[float64]{nil}
		if m, err := Jacobi(a); err == nil {
			list = append(list, m)
		}
		if m, err := ILU0(a); err == nil {
			list = append(list, m)
		}
		if m, err := IC0(a, 0.1); err == nil {
			list = append(list, m)
		}
		for _, m := range list {
			for _, s := range solvers[float64]() {
				x := make([]float64, n)
				result, err := s.run(x, Sparse[float64](run.Options{}, a), right, Options[float64]{Precondition: m, Steps: 60})
				residual, length := leftOver(a, x, right)
				if result.Converged != (err == nil) || result.Converged && !(residual <= 0x1p-25*length) {
					t.Errorf("%s: %+v, %v, with a residual of %g of %g", s.name, result, err, residual, length)
				}
			}
		}
		for kind := range Kind(8) {
			half := a.Tril(0)
			if kind&Upper != 0 {
				half = a.Triu(0)
			}
			tri, err := NewTriangle(half, kind)
			if err != nil {
				continue
			}
			x, y := make([]float64, n), layout.New[float64](n, 3)
			tri.Apply(x, right)
			for i := range y.Data {
				y.Data[i] = right[i/3]
			}
			tri.Solve(run.Options{}, y, y)
		}
	})
}

// TestSolveStorm solves with one triangle and one preconditioner in many goroutines at
// once, with results that must not differ.
func TestSolveStorm(t *testing.T) {
	a := stencil(t, 60, 0.0)
	ic, err := IC0(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := ic.Triangles()
	n := a.Rows()
	right := make([]float64, n)
	for i := range right {
		right[i] = math.Sin(float64(i))
	}
	want, once := make([]float64, n), make([]float64, n)
	if _, err := CG(want, Sparse[float64](run.Options{}, a), right, Options[float64]{Precondition: ic}); err != nil {
		t.Fatal(err)
	}
	first.Apply(once, right)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for range 4 {
				x := make([]float64, n)
				if _, err := CG(x, Sparse[float64](run.Options{Threads: 1 + g%3}, a), right, Options[float64]{Precondition: ic, Threads: 1 + g%4}); err != nil {
					t.Error(err)
				}
				y := make([]float64, n)
				first.Solve(run.Options{Threads: 1 + g%4}, layout.RowMajor(y, n, 1), layout.RowMajor(right, n, 1))
				for i := range x {
					if x[i] != want[i] || y[i] != once[i] {
						t.Errorf("row %d differs", i)
						return
					}
				}
			}
		})
	}
	all.Wait()
}
