// Package solve solves linear systems with sparse matrices: triangles directly, others
// step by step, with whatever computes a product.
//
// Start with [CG] for a symmetric positive definite matrix, [BiCGSTAB] or [GMRES] for
// others:
//
//	m, err := solve.Jacobi(a)
//	result, err := solve.CG(x, solve.Sparse[float64](run.Options{}, a), b, solve.Options[float64]{Precondition: m})
//
// An [Operator] is a sparse matrix in any format ([Sparse]), a dense one ([Dense]), a
// function ([Func]), or the inverse of something: [Triangle], [Jacobi], [ILU0] and [IC0]
// are operators, and are what preconditions a solver. [NewTriangle] looks at a triangle
// once, and solves for any number of right sides.
//
// Solvers return what they found, and an error unless that is what was asked for. The
// residual of a [Result] is computed from x, not what a recurrence says it is.
package solve
