package solve_test

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/solve"
	"github.com/tilesmith/tilesmith/sparse"
)

// laplacian returns the five-point stencil of -Δ on n x n points inside the unit
// square, with 0 on its edge.
func laplacian(n int) (sparse.Matrix[float64], error) {
	h := 1 / float64(n+1)
	b := sparse.NewBuilder[float64](n*n, n*n)
	for i := range n * n {
		b.Add(i, i, 4/(h*h))
		if i%n > 0 {
			b.Add(i, i-1, -1/(h*h))
			b.Add(i-1, i, -1/(h*h))
		}
		if i >= n {
			b.Add(i, i-n, -1/(h*h))
			b.Add(i-n, i, -1/(h*h))
		}
	}
	return b.Matrix()
}

// Conjugate gradients on Poisson's equation: how far a square membrane, held at its
// edge, gives way under an even load of 1.
func ExampleCG() {
	const n = 63
	a, err := laplacian(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := solve.IC0(a, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	load, x := make([]float64, n*n), make([]float64, n*n)
	for i := range load {
		load[i] = 1
	}
	result, err := solve.CG(x, solve.Sparse[float64](cpu.Options{}, a), load, solve.Options[float64]{Relative: 1e-10, Precondition: m})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("solved in fewer than n steps:", result.Steps < n)
	fmt.Println("residual below 1e-10:", result.Relative <= 1e-10)
	fmt.Printf("at the centre %.4f, at a quarter %.4f\n", x[n/2*n+n/2], x[n/4*n+n/4])
	// Output:
	// solved in fewer than n steps: true
	// residual below 1e-10: true
	// at the centre 0.0737, at a quarter 0.0453
}

// The heat equation in steps of time that are not bound by the grid: each step solves
// (1 + dt*A)*next = now by conjugate gradients, from where it was. The mode that is there
// at first decays like exp(-2*pi^2*t).
func Example_heatEquation() {
	const n, dt, steps = 31, 1e-4, 100
	a, err := laplacian(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	one, err := sparse.Identity[float64](n * n)
	if err != nil {
		fmt.Println(err)
		return
	}
	system, err := one.Add(a.Scale(dt))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := solve.Jacobi(system)
	if err != nil {
		fmt.Println(err)
		return
	}
	now, next := make([]float64, n*n), make([]float64, n*n)
	for i := range now {
		y, x := float64(i/n+1)/(n+1), float64(i%n+1)/(n+1)
		now[i] = math.Sin(math.Pi*x) * math.Sin(math.Pi*y)
	}
	operator := solve.Sparse[float64](cpu.Options{}, system)
	for range steps {
		copy(next, now)
		if _, err := solve.CG(next, operator, now, solve.Options[float64]{Relative: 1e-10, Precondition: m}); err != nil {
			fmt.Println(err)
			return
		}
		now, next = next, now
	}
	fmt.Printf("at the centre %.3f, exactly %.3f\n", now[n/2*n+n/2], math.Exp(-2*math.Pi*math.Pi*dt*steps))
	// Output:
	// at the centre 0.821, exactly 0.821
}

// A triangle is looked at once and solved with as often as wanted.
func ExampleNewTriangle() {
	l, err := sparse.FromCOO(3, 3, []int{0, 1, 1, 2, 2}, []int{0, 0, 1, 1, 2}, []float64{2, 1, 1, 4, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := solve.NewTriangle(l, solve.Lower)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, 3)
	t.Apply(x, []float64{2, 3, 14})
	fmt.Println(x)
	_, err = solve.NewTriangle(l, solve.Upper)
	fmt.Println(err)
	// Output:
	// [1 2 3]
	// solve.NewTriangle: row 1 has an entry in column 0, below the diagonal; take the triangle out of it first, with Tril or Triu
}
