// Package check has everything that a test of a matrix kernel needs: oracles with
// proven bounds, shapes, layouts and guard pages. Generated tests import it.
//
// Start with [Suite], which puts a matrix product through every check:
//
//   - exact.go: small integers, for which every order of summation gives the same
//     bits, so the result must match exactly. This is the first test of a kernel. A
//     rounding bound grows with k, and in float32 lets a dropped product pass from
//     about k = 4000 on.
//   - interval.go: random inputs. The result must lie in an interval that contains
//     every result of a right kernel and is as narrow as the error analysis allows.
//   - special.go: NaN, Inf and denormals appear exactly where the plain loop has
//     them.
//   - package guard: operands that end at an inaccessible page, canaries in every gap.
//
// A [Case] gives the terms of each element of its result and an end, which is what it makes of their sum (terms.go).
// [Arithmetic] says how terms are added. Three loop themselves: [Suite] with its kin, which lay out one product many
// times; [Pairs], whose terms are complex; and [Equation], of which an element depends on others.
//
// [Mixed] is the same for products whose operands are narrower than their sums: of
// bf16, f16 and integers, whose sums wrap. [Run] is the same for an operation that a [Case]
// describes: with an epilogue, sparse, by blocks, of pairs, of semirings, equations.
//
// go test -short takes every third of many shapes and widths; TILESMITH_LONG=1 adds
// exhaustive small ones.
//
// The oracles never use gonum's mat, blas64 or blas32. A caller may have registered our
// own kernels there, and the check would compare them with themselves. They use plain
// loops, compared with gonum's implementation called directly.
package check
