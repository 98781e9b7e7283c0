package tpp

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MatMul is the matrix product a*b. a is a tensor of the equation, m x k. b is an operand with
// its own rows, k x n, such as weights or the values of an attention; only products take it. The
// result is m x n, so an equation may have several widths. This one has two:
//
//	hidden := tpp.Map(act.GELU[float32], tpp.MatMul(x, up))
//	out := tpp.Map(op.Add[float32], tpp.MatMul(hidden, down), x)
//
// Its generated function goes over blocks of rows, so hidden is never in memory as a whole. Sums
// of float32 and float64 are those of cpu.MatMul, and those of BF16 and F16 are float32. Products
// of int8, uint8 by int8 and int16 have int32 sums, which wrap around as Go's do.
func MatMul(a, b Tensor) Tensor { return multiply("MatMul", a, b, false) }

// MatMulT is a times the transpose of b, which is n x k: queries by keys.
func MatMulT(a, b Tensor) Tensor { return multiply("MatMulT", a, b, true) }

// products are the functions of package cpu/kern/products, by types.
var products = []struct {
	a, b, out dtype.Type
	name      string
}{
	{dtype.F32, dtype.F32, dtype.F32, "F32"},
	{dtype.F64, dtype.F64, dtype.F64, "F64"},
	{dtype.TypeBF16, dtype.TypeBF16, dtype.F32, "BF16"},
	{dtype.TypeF16, dtype.TypeF16, dtype.F32, "F16"},
	{dtype.I8, dtype.I8, dtype.I32, "I8"},
	{dtype.U8, dtype.I8, dtype.I32, "U8I8"},
	{dtype.I16, dtype.I16, dtype.I32, "I16"},
}

func multiply(name string, a, b Tensor, trans bool) Tensor {
	x, y := a.node(), b.node()
	n := &node{kind: product, name: name, t: x.t, pattern: gemm.FullPattern, args: []*node{x, y}, trans: trans}
	switch {
	case x.err != nil || y.err != nil:
	case x.pattern != gemm.FullPattern || x.bits:
		n.err = fmt.Errorf("%s of %s, which has no element for each row and column; want a matrix", name, x.say())
	case y.kind != operand || y.pattern != gemm.FullPattern || y.bits:
		n.err = fmt.Errorf("%s by %s; want a gemm.Full operand; a product needs all of it for each row, so compute it in an equation of its own", name, y.say())
	default:
		p := productOf(x.t, y.t)
		if p < 0 {
			n.err = fmt.Errorf("%s of %s and %s; there are products of float32, float64, BF16, F16, int8 and int16, each by the same, and of uint8 by int8: put a tpp.Convert before it", name, x.t.Go(), y.t.Go())
			break
		}
		n.t = products[p].out
	}
	return Tensor{n}
}

// productOf is the number of the product of such types, -1 if there is none.
func productOf(a, b dtype.Type) int {
	for i, p := range products {
		if p.a == a && p.b == b {
			return i
		}
	}
	return -1
}
