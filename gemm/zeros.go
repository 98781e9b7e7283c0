package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Zeros are the names of the parameters that are the zero points of A and B; "" of an
// operand that has none.
type Zeros struct{ A, B string }

// ZeroPoints gives A, B or both a zero point, a number of the operand's type. The function
// then gets the sum of (a-za)*(b-zb). The generated function takes the zero points as
// parameters of these names, after its operands a and b. An empty name says that the operand
// has none. Only products of integers have zero points.
//
// Kernels multiply a by b unchanged and correct each sum. They subtract za times the sum of
// its column of b, and zb times the sum of its row of a. If b was packed beforehand, the
// pack has its sums.
func (e Epilogue[Acc, Out]) ZeroPoints(a, b string) Epilogue[Acc, Out] {
	if e.fusion == nil {
		return e // there is no function that is given a sum
	}
	fusion := *e.fusion
	fusion.Zeros = Zeros{a, b}
	return Epilogue[Acc, Out]{&fusion}
}

// names are those that there are, A's first.
func (z Zeros) names() (list []string) {
	for _, n := range []string{z.A, z.B} {
		if n != "" {
			list = append(list, n)
		}
	}
	return list
}

// Product is the product that the function is given, as Go writes it.
func (e *Fusion) Product() string {
	less := func(x, zero string) string {
		if zero == "" {
			return x
		}
		return "(" + x + "-" + zero + ")"
	}
	return less("a", e.Zeros.A) + "*" + less("b", e.Zeros.B)
}

// ColumnTerm returns the slot of what the zero point of A takes from the sums of each column,
// an int32; -1 if A has none. RowTerm is that of what the zero point of B takes from the sums
// of each row. They follow the operands.
func (e *Fusion) ColumnTerm() int {
	if e.Zeros.A == "" {
		return -1
	}
	return 1 + len(e.Also) + len(e.Inputs)
}

// RowTerm is described with [Fusion.ColumnTerm].
func (e *Fusion) RowTerm() int {
	if e.Zeros.B == "" {
		return -1
	}
	return len(e.Zeros.names()) + len(e.Also) + len(e.Inputs)
}

// checkZeros refuses zero points of what has none.
func (d Description) checkZeros() error {
	if d.Fusion == nil {
		return nil
	}
	for _, c := range []struct {
		name, of string
		t        dtype.Type
	}{{d.Fusion.Zeros.A, "a", d.A}, {d.Fusion.Zeros.B, "b", d.B}} {
		if c.name == "" {
			continue
		}
		if d.Acc != dtype.I32 || !c.t.Integer() {
			return fmt.Errorf("%s is the zero point of %s, which is %v with sums of %v; want integers with sums of i32, or leave it out", c.name, c.of, c.t, d.Acc)
		}
	}
	return nil
}
