package tpp

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// RowSum is the sum of each row of x, of a type that Go adds. For a tensor with one element
// per column it is a scalar.
func RowSum(x Tensor) Tensor { return reduced(rowReduce, reduce.Sum, x) }

// RowProd is the product of each row, 1 of no columns. It has no gradient.
func RowProd(x Tensor) Tensor { return reduced(rowReduce, reduce.Prod, x) }

// RowMax is the greatest element of each row: NaN if there is one, -Inf of no columns.
func RowMax(x Tensor) Tensor { return reduced(rowReduce, reduce.Max, x) }

// RowMin is the least element of each row: NaN if there is one, +Inf of no columns.
func RowMin(x Tensor) Tensor { return reduced(rowReduce, reduce.Min, x) }

// RowArgMax is the column, an int32, of the greatest element of each row. If elements are equal, the first
// counts; if a row has NaN, the first NaN counts. Without columns it is -1. It is another walk along the row,
// which is in L1 then.
func RowArgMax(x Tensor) Tensor { return placeOf(rowReduce, x, RowMax(x)) }

// RowArgMin is the column of the least element, as RowArgMax.
func RowArgMin(x Tensor) Tensor { return placeOf(rowReduce, x, RowMin(x)) }

// ColSum is the sum of each column of x. For a tensor with one element per row it is a
// scalar.
func ColSum(x Tensor) Tensor { return reduced(colReduce, reduce.Sum, x) }

// ColProd is the product of each column, 1 of no rows. It has no gradient.
func ColProd(x Tensor) Tensor { return reduced(colReduce, reduce.Prod, x) }

// ColMax is the greatest element of each column, as RowMax.
func ColMax(x Tensor) Tensor { return reduced(colReduce, reduce.Max, x) }

// ColMin is the least element of each column, as RowMin.
func ColMin(x Tensor) Tensor { return reduced(colReduce, reduce.Min, x) }

// ColArgMax is the row, an int32, of the greatest element of each column, as RowArgMax. It is another walk over all rows.
func ColArgMax(x Tensor) Tensor { return placeOf(colReduce, x, ColMax(x)) }

// ColArgMin is the row of the least element of each column.
func ColArgMin(x Tensor) Tensor { return placeOf(colReduce, x, ColMin(x)) }

// Sum is the sum of all elements of x: of each row, and then of these.
func Sum(x Tensor) Tensor { return ColSum(RowSum(x)) }

// Prod is the product of all elements of x, as Sum.
func Prod(x Tensor) Tensor { return ColProd(RowProd(x)) }

// Max is the greatest of all elements of x.
func Max(x Tensor) Tensor { return ColMax(RowMax(x)) }

// identity is what a reduction of elements of t begins with.
func identity(op reduce.Op, t dtype.Type) float64 {
	if op == reduce.Min && t == dtype.I32 {
		return math.MaxInt32
	}
	return op.Identity()
}

// joined is [vector.Combine] in Go.
func joined(op reduce.Op, t, old, x string) string {
	switch op {
	case reduce.Prod:
		return fmt.Sprintf("%s(%s * %s)", t, old, x)
	case reduce.Max:
		return fmt.Sprintf("max(%s, %s)", old, x)
	case reduce.Min:
		return fmt.Sprintf("min(%s, %s)", old, x)
	}
	return fmt.Sprintf("%s(%s + %s)", t, old, x)
}

func reduced(k kind, r reduce.Op, x Tensor) Tensor {
	a := x.node()
	side, gone, left := "row", gemm.ColumnPattern, gemm.RowPattern
	if k == colReduce {
		side, gone, left = "column", gemm.RowPattern, gemm.ColumnPattern
	}
	n := &node{kind: k, op: r, name: map[kind]string{rowReduce: "Row", colReduce: "Col"}[k] + r.String(), t: a.t, args: []*node{a}, pattern: left}
	switch {
	case a.err != nil:
	case a.t != dtype.F32 && a.t != dtype.F64:
		n.err = fmt.Errorf("%s of %s, which is of %s; want float32 or float64: put a tpp.Convert between them", n.name, a.say(), a.t.Go())
	case a.pattern == gone:
		n.pattern = gemm.ScalarPattern
	case a.pattern != gemm.FullPattern:
		n.err = fmt.Errorf("%s of %s, which has the same elements all along a %s; want a tensor that varies there", n.name, a.say(), side)
	}
	return Tensor{n}
}

// placeOf is the least number of a column, or of a row, in which x is best, its row's or column's result, or NaN.
func placeOf(k kind, x, best Tensor) Tensor {
	if best.n.err != nil {
		return best
	}
	n := &node{kind: number, name: "column", t: dtype.I32, pattern: gemm.ColumnPattern}
	if k == colReduce {
		n = &node{kind: rowNumber, name: "row", t: dtype.I32, pattern: gemm.RowPattern}
	}
	at := argBest.of(x, best, Tensor{n})
	return Map(op.Found, Tensor{&node{kind: k, op: reduce.Min, name: "first", t: dtype.I32, args: []*node{at.n}, pattern: best.n.pattern}})
}
