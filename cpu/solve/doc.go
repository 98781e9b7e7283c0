// Package solve solves linear systems with sparse matrices: triangles directly, others by
// iterations with any operator that computes a product.
//
// Start with [CG] for a symmetric positive definite matrix, [BiCGSTAB] or [GMRES] for
// others:
//
//	m, err := solve.Jacobi(a)
//	result, err := solve.CG(x, solve.Sparse[float64](run.Options{}, a), b, solve.Options[float64]{Precondition: m})
//
// An [Operator] is a sparse matrix in any format ([Sparse]), a dense one ([Dense]), a
// function ([Func]), or an inverse. The inverses [Triangle], [Jacobi], [ILU0] and [IC0]
// are operators that precondition a solver. [NewTriangle] analyses a triangle once, and
// solves for any number of right sides.
//
// Solvers return what they found, and an error unless it meets the tolerance. The residual
// of a [Result] is computed from x, not from a recurrence.
package solve
