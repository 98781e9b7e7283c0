package gpu

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Case is a generated function under test, by the types of its factors. Sums are of
// float32.
type Case[A, B dtype.Elem] struct {
	// FusedCase says what is right; its Call and tile are not used.
	check.FusedCase[A, B, float32]
	Kernels *run.Set
	// Launch calls the function on what [A], [Out] and their like return.
	Launch func(c *Call[A, B]) error
	// Strict: see [check.Trial].
	Strict bool
	// Sums says what an operator other than + and * makes of the factors; nil is
	// those two. See [check.Trial].
	Sums func(p *check.FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)

	scaled *Case[A, B] // of a plain product: the same with alpha and beta
	// Of a tabulated operator: its operands, and how deep they may be.
	fill  func(p *check.FusedProblem[A, B])
	depth int
}

// With returns c with the sums of another operator.
func (c Case[A, B]) With(sums func(p *check.FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)) Case[A, B] {
	c.Sums = sums
	if c.scaled != nil {
		s := c.scaled.With(sums)
		c.scaled = &s
	}
	return c
}

// The factors of scaled trials: small, and not powers of two both.
const scaledAlpha, scaledBeta = 2, -3

// Plain is the case of a product without an epilogue, from its function with
// options.
func Plain[A, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error) Case[A, B] {
	type problem = check.FusedProblem[A, B]
	fused := check.FusedCase[A, B, float32]{
		Name: set.Name, Outs: 1,
		Results: func(_ *problem, sum float32, _, _ int) []float64 {
			return []float64{check.Float64(to[C](sum))}
		},
		Have: func(p *problem, _, i, j int) float64 { return check.Float64(check.OutOf[C](p, 0).At(i, j)) },
		Ulp:  func(_ int, x float64) float64 { return check.Ulp[C](x) },
	}
	scaled := fused
	scaled.Name += " scaled"
	scaled.Results = func(p *problem, sum float32, i, j int) []float64 {
		old := float32(check.Float64(check.Nudged(p, 1, check.FullOf[C](p, 1).At(i, j))))
		return []float64{check.Float64(to[C](scaledAlpha*sum + float32(scaledBeta*old)))}
	}
	return Case[A, B]{FusedCase: fused, Kernels: set, Strict: true,
		Launch: func(c *Call[A, B]) error { return f(c.Stream, c.Options, Out[C](c, 0), factorA(c), factorB(c)) },
		scaled: &Case[A, B]{FusedCase: scaled, Kernels: set, Strict: true, Launch: func(c *Call[A, B]) error {
			out := Out[C](c, 0)
			if c.err == nil {
				c.fail(out.Write(c.Stream, check.FullOf[C](c.FusedProblem, 1)))
			}
			c.Options.Scaling = run.Scale(scaledAlpha, scaledBeta)
			return f(c.Stream, c.Options, out, factorA(c), factorB(c))
		}},
	}
}

// to rounds a sum to the type of the output.
func to[T dtype.Elem](x float32) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = x
	case *dtype.F16:
		*p = dtype.ToF16(x)
	case *dtype.BF16:
		*p = dtype.ToBF16(x)
	default:
		panic("gpu: a product without an epilogue stores f32, f16 or bf16")
	}
	return v
}

// The functions A and B under names that type parameters do not hide.
func factorA[T, U dtype.Elem](c *Call[T, U]) cuda.Matrix[T] { return A(c) }
func factorB[T, U dtype.Elem](c *Call[T, U]) cuda.Matrix[U] { return B(c) }
