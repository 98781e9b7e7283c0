package gpu

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Case is a generated function under test, by the types of its factors and of its sums.
type Case struct {
	// Case says what is right; its Call and tile are not used.
	check.Case
	Kernels *run.Set
	// Launch calls the function on the results of [A], [Out] and similar functions.
	Launch func(c *Call) error
	// Strict: see [check.Trial].
	Strict bool
	// Sums says what an operator other than + and * makes of the factors; nil is
	// those two. See [check.Trial].
	Sums func(p *check.Problem, i, j int) (sum, abs float64, roundings int)

	// For a plain product: the same with alpha and beta, and with alpha alone, for which
	// kernels have code of its own.
	scaled, grown *Case
	// prune, of a sparse product, makes a's elements zero that are not stored.
	prune func(p *check.Problem)
	// For a tabulated operator: its operands, and how deep they may be.
	fill  func(p *check.Problem)
	depth int
}

// With returns c with the sums of another operator.
func (c Case) With(sums func(p *check.Problem, i, j int) (sum, abs float64, roundings int)) Case {
	c = c.alike(func(c Case) Case { return c.With(sums) })
	c.Sums = sums
	return c
}

// alike returns c with a change made to what belongs to it.
func (c Case) alike(change func(c Case) Case) Case {
	for _, of := range []**Case{&c.scaled, &c.grown} {
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
func Plain[A, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error) Case {
	return PlainOf[float32](set, f)
}

// PlainOf is [Plain] for sums of another type.
func PlainOf[Acc dtype.Sum, A, B, C dtype.Elem](set *run.Set, f func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error) Case {
	return plainCase[Acc, A, B](set, func(c *Call, out cuda.Matrix[C]) error {
		return f(c.Stream, c.Options, out, factorA[A](c), factorB[B](c))
	})
}

// plainCase is the case of a product without an epilogue, from what calls it.
func plainCase[Acc dtype.Sum, A, B, C dtype.Elem](set *run.Set, launch func(c *Call, out cuda.Matrix[C]) error) Case {
	out := dtype.Of[C]()
	plain := check.Case{Name: set.Name, A: dtype.Of[A](), B: dtype.Of[B](), Acc: dtype.Of[Acc](), Slots: []check.Slot{{Type: out, Out: true}}}
	c := Case{Case: plain, Kernels: set, Strict: true, Launch: func(c *Call) error { return launch(c, Out[C](c, 0)) }}
	if plain.Acc.Integer() {
		return c
	}
	withFactors := func(alpha, beta float64) *Case {
		f := plain
		f.Name += fmt.Sprintf(" scaled by %v, %v", alpha, beta)
		f.Slots = append(f.Slots, check.Slot{Type: out, Row: true, Col: true})
		f.Results = func(p *check.Problem, sum float64, i, j int) []float64 {
			old := 0.0
			if beta != 0 {
				old = p.At(1, i, j)
			}
			return []float64{check.Float64(check.Elem[C](scaled(plain.Acc, alpha, beta, sum, old)))}
		}
		return &Case{Case: f, Kernels: set, Strict: true, Launch: func(c *Call) error {
			out := Out[C](c, 0) // full of NaN, which is not read if beta is 0
			if c.err == nil && beta != 0 {
				c.fail(out.Write(c.Stream, check.Get[layout.Matrix[C]](c.Problem, 1)))
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
func scaled(acc dtype.Type, alpha, beta, sum, old float64) float64 {
	if acc == dtype.F32 {
		return float64(fma32(float32(alpha), float32(sum), float32(beta)*float32(old)))
	}
	return math.FMA(alpha, sum, beta*old)
}

// The functions A and B under names that type parameters do not hide.
func factorA[T dtype.Elem](c *Call) cuda.Matrix[T] { return A[T](c) }
func factorB[T dtype.Elem](c *Call) cuda.Matrix[T] { return B[T](c) }
