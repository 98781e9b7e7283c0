package cpu_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/sparse"
)

// conjugateGradients solves a*x = b for a symmetric positive definite a, from the x
// that it is given, until the residual's norm is at most tolerance times that of b. It
// scales a by its diagonal (Jacobi's preconditioner).
//
// Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems",
// 1952; with a preconditioner, Saad, Iterative Methods for Sparse Linear Systems,
// algorithm 9.1.
func conjugateGradients(x []float64, a sparse.Matrix[float64], b []float64, tolerance float64, most int) (steps int, err error) {
	diagonal := a.Diagonal()
	r, z, p, q := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
	copy(r, b)
	cpu.SpMVOpt(cpu.Options{Scaling: cpu.Scale(-1, 1)}, r, a, x) // r = b - a*x
	enough, old := tolerance*floats.Norm(b, 2), math.Inf(1)
	for floats.Norm(r, 2) > enough {
		if steps == most {
			return steps, fmt.Errorf("a residual of %.2g after %d steps", floats.Norm(r, 2), steps)
		}
		floats.DivTo(z, r, diagonal)
		rz := floats.Dot(r, z)
		floats.AddScaledTo(p, z, rz/old, p)
		cpu.SpMV(q, a, p)
		curvature := floats.Dot(p, q)
		if !(curvature > 0) {
			return steps, fmt.Errorf("the matrix is not positive definite: pᵀap is %g in step %d", curvature, steps)
		}
		floats.AddScaled(x, rz/curvature, p)
		floats.AddScaled(r, -rz/curvature, q)
		old = rz
		steps++
	}
	return steps, nil
}

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
func Example_conjugateGradients() {
	const n = 63
	a, err := laplacian(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	load, x := make([]float64, n*n), make([]float64, n*n)
	for i := range load {
		load[i] = 1
	}
	steps, err := conjugateGradients(x, a, load, 1e-10, n*n)
	if err != nil {
		fmt.Println(err)
		return
	}

	residual := make([]float64, n*n)
	copy(residual, load)
	cpu.SpMVOpt(cpu.Options{Scaling: cpu.Scale(1, -1)}, residual, a, x)
	fmt.Println("solved in fewer than 3n steps:", steps < 3*n)
	fmt.Println("residual below 1e-9:", floats.Norm(residual, 2) < 1e-9*floats.Norm(load, 2))
	fmt.Printf("at the centre %.4f, at a quarter %.4f\n", x[n/2*n+n/2], x[n/4*n+n/4])
	// Output:
	// solved in fewer than 3n steps: true
	// residual below 1e-9: true
	// at the centre 0.0737, at a quarter 0.0453
}
