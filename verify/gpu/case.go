package gpu

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Case is a generated function under test, by the types of its factors and of its sums.
type Case[A, B dtype.Elem, Acc dtype.Sum] struct {
	// FusedCase says what is right; its Call and tile are not used.
	check.FusedCase[A, B, Acc]
	Kernels *run.Set
	// Launch calls the function on the results of [A], [Out] and similar functions.
	Launch func(c *Call[A, B]) error
	// Strict: see [check.Trial].
	Strict bool
	// Sums says what an operator other than + and * makes of the factors; nil is
	// those two. See [check.Trial].
	Sums func(p *check.FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)

	// For a plain product: the same with alpha and beta, and with alpha alone, for which
	// kernels have code of its own.
	scaled, grown *Case[A, B, Acc]
	// prune, of a sparse product, makes a's elements zero that are not stored.
	prune func(p *check.FusedProblem[A, B])
	// For a tabulated operator: its operands, and how deep they may be.
	fill  func(p *check.FusedProblem[A, B])
	depth int
}

// With returns c with the sums of another operator.
func (c Case[A, B, Acc]) With(sums func(p *check.FusedProblem[A, B], i, j int) (sum, abs float64, roundings int)) Case[A, B, Acc] {
	c = c.alike(func(c Case[A, B, Acc]) Case[A, B, Acc] { return c.With(sums) })
	c.Sums = sums
	return c
}

// alike returns c with a change made to what belongs to it.
func (c Case[A, B, Acc]) alike(change func(c Case[A, B, Acc]) Case[A, B, Acc]) Case[A, B, Acc] {
	for _, of := range []**Case[A, B, Acc]{&c.scaled, &c.grown} {
		if *of != nil {
			x := change(**of)
			*of = &x
		}
	}
	return c
}

// The factors of scaled trials: no powers of two, so that both operations round.
const scaledAlpha, scaledBeta = 1.1, -0.3

// Plain is the case of a product without an epilogue and with sums of float32, from its
// function with options.
func Plain[A, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error) Case[A, B, float32] {
	return PlainOf[float32](set, f)
}

// PlainOf is [Plain] for sums of another type.
func PlainOf[Acc dtype.Sum, A, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error) Case[A, B, Acc] {
	return plainCase[Acc](set, func(c *Call[A, B], out cuda.Matrix[C]) error {
		return f(c.Stream, c.Options, out, factorA(c), factorB(c))
	})
}

// plainCase is the case of a product without an epilogue, from what calls it.
func plainCase[Acc dtype.Sum, A, B, C dtype.Elem](set *run.Set, launch func(c *Call[A, B], out cuda.Matrix[C]) error) Case[A, B, Acc] {
	type problem = check.FusedProblem[A, B]
	fused := check.FusedCase[A, B, Acc]{
		Name: set.Name, Outs: 1,
		Results: func(_ *problem, sum Acc, _, _ int) []float64 {
			return []float64{check.Float64(to[C](sum))}
		},
		Have: func(p *problem, _, i, j int) float64 { return check.Float64(check.OutOf[C](p, 0).At(i, j)) },
		Ulp:  func(_ int, x float64) float64 { return check.Ulp[C](x) },
	}
	c := Case[A, B, Acc]{FusedCase: fused, Kernels: set, Strict: true,
		Launch: func(c *Call[A, B]) error { return launch(c, Out[C](c, 0)) }}
	if dtype.Of[Acc]().Integer() {
		return c
	}
	withFactors := func(alpha, beta float64) *Case[A, B, Acc] {
		f := fused
		f.Name += fmt.Sprintf(" scaled by %v, %v", alpha, beta)
		f.Results = func(p *problem, sum Acc, i, j int) []float64 {
			old := 0.0
			if beta != 0 {
				old = check.Float64(check.Nudged(p, 1, check.FullOf[C](p, 1).At(i, j)))
			}
			return []float64{check.Float64(to[C](scaled(alpha, beta, sum, old)))}
		}
		return &Case[A, B, Acc]{FusedCase: f, Kernels: set, Strict: true, Launch: func(c *Call[A, B]) error {
			out := Out[C](c, 0) // full of NaN, which is not read if beta is 0
			if c.err == nil && beta != 0 {
				c.fail(out.Write(c.Stream, check.FullOf[C](c.FusedProblem, 1)))
			}
			c.Options.Scaling = run.Scale(alpha, beta)
			return launch(c, out)
		}}
	}
	c.scaled, c.grown = withFactors(scaledAlpha, scaledBeta), withFactors(scaledAlpha, 0)
	return c
}

// scaled is a sum with alpha and beta: the product with beta is rounded, the rest is a fused
// multiplication and addition.
func scaled[Acc dtype.Sum](alpha, beta float64, sum Acc, old float64) Acc {
	if dtype.Of[Acc]() == dtype.F32 {
		return Acc(fma32(float32(alpha), float32(sum), float32(beta)*float32(old)))
	}
	return Acc(math.FMA(alpha, float64(sum), beta*old))
}

// to rounds a sum to the type of the output.
func to[T dtype.Elem, Acc dtype.Sum](x Acc) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = float64(x)
	case *int32:
		*p = int32(x)
	case *dtype.F16:
		*p = dtype.ToF16(float32(x))
	case *dtype.BF16:
		*p = dtype.ToBF16(float32(x))
	default:
		panic("gpu: a product without an epilogue stores f32, f64, i32, f16 or bf16")
	}
	return v
}

// The functions A and B under names that type parameters do not hide.
func factorA[T, U dtype.Elem](c *Call[T, U]) cuda.Matrix[T] { return A(c) }
func factorB[T, U dtype.Elem](c *Call[T, U]) cuda.Matrix[U] { return B(c) }
