package tpp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// equations are specs that use every kind of operator, broadcast and reduction.
func equations() map[string]Spec {
	x, y := In(gemm.Full[float32]("x")), In(gemm.Full[float32]("y"))
	row, col := In(gemm.PerRow[float32]("row")), In(gemm.PerColumn[float32]("col"))
	gain, bias := In(gemm.PerColumn[float32]("gain")), In(gemm.PerColumn[float32]("bias"))
	eps := In(gemm.Scalar[float32]("eps"))
	d := In(gemm.Full[float64]("d"))
	half, brain := In(gemm.Full[dtype.F16]("h")), In(gemm.Full[dtype.BF16]("b"))
	one := func(is ...Tensor) (s Spec) {
		for i, t := range is {
			s.Outs = append(s.Outs, Out(fmt.Sprintf("out%d", i), t))
		}
		return s
	}
	softmax := Softmax(x)
	rowNorm, mean, scale := RowNorm(x, eps)
	batch, colMean, colScale := ColNorm(x, eps)
	total, sums, cols := Sum(x), RowSum(x), ColSum(x)
	y1, mask1 := ReLUMask(x)
	y2, mask2 := ReLUMask(d)
	y3, mask3 := DropoutMask(x, In(gemm.Scalar[int32]("drop")), eps)
	bits, bits64 := InBits[float32]("bits"), InBits[float64]("bits64")
	masks := func(s Spec, masks ...Tensor) Spec {
		for i, t := range masks {
			s.Outs = append(s.Outs, OutBits(fmt.Sprintf("mask%d", i), t))
		}
		return s
	}
	centred := sub.of(x, RowMean(x))
	return map[string]Spec{
		"copy":         one(x),
		"gelu":         one(Map(act.GELU[float32], x)),
		"broadcast":    one(mulAdd.of(add.of(x, row), col, eps), add.of(row, eps), mul.of(col, col), mul.of(eps, eps), add.of(row, col)),
		"chain":        one(Map(op.Max[float32], add.of(mul.of(add.of(x, y), gain), bias), row)),
		"reductions":   one(RowSum(x), RowMax(x), RowMin(y), ColSum(x), ColMax(y), ColMin(x), Sum(x), Max(y)),
		"products":     one(RowProd(x), ColProd(y), Prod(x)),
		"arguments":    one(RowArgMax(x), RowArgMin(x), RowMax(x), RowArgMax(mul.of(y, col)), RowArgMin(col)),
		"rowsOfBest":   one(ColArgMax(x), ColArgMin(mul.of(x, row)), ColArgMax(row)),
		"rowsOfBest64": one(ColArgMin(d)),
		"arguments64":  one(RowArgMax(d), RowArgMin(sub.of(d, RowMean(d))), RowProd(d)),
		"softmax":      one(softmax),
		"logSoftmax":   one(LogSoftmax(x)),
		"layerNorm":    one(LayerNorm(x, gain, bias, eps)),
		"rowNorm":      one(rowNorm, mean, scale),
		"rmsNorm":      one(RMSNorm(x, gain, eps)),
		"batchNorm":    one(BatchNorm(x, gain, bias, eps)),
		"colNorm":      one(batch, colMean, colScale),
		"softmaxGrad":  one(SoftmaxGradient(x, y)),
		"dropout":      one(Dropout(x, In(gemm.Scalar[int32]("drop")), eps)),
		"float64":      one(Softmax(d), RowSum(d)),
		"narrow":       one(Convert[dtype.BF16](add.of(Convert[float32](half), Convert[float32](brain))), RowSum(Convert[float32](half))),
		"spill":        one(mul.of(exp.of(exp.of(centred)), RowSum(exp.of(centred))), exp.of(exp.of(centred))),
		"rowsOfRows":   one(ColSum(RowSum(x)), RowSum(ColSum(x)), mul.of(x, Sum(y))),
		"twice":        one(total, total, sums, sums, cols, cols, x, x, mul.of(cols, cols), mul.of(x, total)),
		"operands":     one(row, col, eps, row, x),
		"mask":         masks(one(y1), mask1, Map(op.Equal[float32], x, x)),
		"mask64":       masks(one(y2, Masked(bits64, d)), mask2, bits64, Map(op.Equal[float64], d, d)),
		"maskDropout":  masks(one(y3), mask3),
		"masked":       masks(one(Masked(bits, x), RowSum(Masked(bits, y)), ColSum(bits)), bits, Map(op.Greater[float32], centred, eps), Convert[float32](brain)),
		"columnsFirst": one(mul.of(x, exp.of(exp.of(col)))),
	}
}

// costs are those that the translator would count, about.
func costs(n *node) int {
	if strings.Contains(n.name, "Exp") || strings.Contains(n.name, "GELU") || strings.Contains(n.name, "exp") {
		return 16
	}
	return 1
}

func planOf(t *testing.T, s Spec) *plan {
	t.Helper()
	g, err := s.graph()
	if err != nil {
		t.Fatal(err)
	}
	return newPlan(g, costs)
}

// TestStages interprets the kernels of every equation with the lanes of both instruction sets,
// against the operators one after the other.
func TestStages(t *testing.T) {
	for name, s := range equations() {
		t.Run(name, func(t *testing.T) {
			lanes := []int{8, 16}
			if strings.Contains(name, "64") {
				lanes = []int{4, 8}
			}
			widths := []int{131, 1, lanes[1] + 5, 0, 3, lanes[0], 4*lanes[1] + 1}
			for _, n := range widths[:level.Of(3, len(widths), len(widths))] {
				p := &problem{p: planOf(t, s), m: 3, n: n, pad: 2, few: n%2 == 0, stream: [3]uint64{1 << 40, 7<<32 + 3, 1<<32 - 5}}
				for _, odd := range []bool{false, true} {
					p.evaluate(n, odd)
					for u, l := range lanes {
						if err := p.run(l, 1<<((n+u)%3)); err != nil {
							t.Fatalf("%d columns, %d lanes, odd %v: %v", n, l, odd, err)
						}
					}
				}
			}
		})
	}
}

// TestClosedRows wants 0 of a row that a mask closes, and -Inf of its logarithm.
func TestClosedRows(t *testing.T) {
	x := In(gemm.Full[float32]("x"))
	s := Spec{Outs: []Output{Out("p", Softmax(x)), Out("log", LogSoftmax(x))}}
	p := &problem{p: planOf(t, s), m: 1, n: 11}
	p.evaluate(0, false)
	for j := range p.n {
		p.values[x.n][j] = math.Inf(-1)
	}
	for j := range p.n {
		p.values[s.Outs[0].Is.n][j], p.values[s.Outs[1].Is.n][j] = 0, math.Inf(-1)
	}
	if err := p.run(8, 2); err != nil {
		t.Error(err)
	}
}

// TestRefused wants a sentence for what is no equation.
func TestRefused(t *testing.T) {
	x, row := In(gemm.Full[float32]("x")), In(gemm.PerRow[float32]("row"))
	double := In(gemm.Full[float64]("d"))
	many := x
	for i := range 13 {
		many = add.of(many, In(gemm.Scalar[float32](fmt.Sprintf("s%d", i))))
	}
	for _, c := range []struct {
		is   Tensor
		want string
	}{
		{Map(op.Add[float32], x, double), "parameter 2 of op.Add is a float32, and operand d is of float64; put a tpp.Convert between them"},
		{Map(op.Add[float32], x), "is a func(float32, float32) float32; with 1 tensors it needs 1 parameters and one result"},
		{RowSum(row), "RowSum of operand row, which has the same elements all along a row"},
		{ColMax(In(gemm.PerColumn[float32]("c"))), "which has the same elements all along a column"},
		{RowSum(In(gemm.Full[int8]("i"))), "want float32 or float64: put a tpp.Convert between them"},
		{Convert[float32](In(gemm.Full[int8]("i"))), "write a function that says how"},
		{Tensor{}, "the zero tpp.Tensor"},
		{Map(nil, x), "a function of Map is nil"},
		{row, "nothing says how many there are"},
		{add.of(x, In(gemm.Full[float32]("x"))), `both called "x"`},
		{add.of(x, In(gemm.Full[float32]("out"))), `both called "out"`},
		{In(gemm.Full[float32]("a b")), `is called "a b", which is no Go identifier`},
		{Dropout(Dropout(x, In(gemm.Scalar[int32]("n")), In(gemm.Scalar[float32]("s"))), In(gemm.Scalar[int32]("k")), In(gemm.Scalar[float32]("t"))), "two tensors of tpp.Words"},
		{many, "it has 15 outputs and operands; the limit is 12"},
		{Gradient(x, x, row)[0], "Gradient by operand row: the tensor does not depend on it"},
		{Gradient(RowProd(x), row, x)[0], "the gradient goes through RowProd, which has none"},
		{RowArgMax(row), "RowMax of operand row, which has the same elements all along a row"},
		{RowArgMin(In(gemm.Full[int8]("i"))), "want float32 or float64: put a tpp.Convert between them"},
		{Gradient(x, double, x)[0], "Gradient with operand d, which is of float64; want float32"},
	} {
		_, err := Spec{Name: "S", Outs: []Output{Out("out", c.is)}}.graph()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		is   Tensor
		want string
	}{
		{row, "output mask is of bits, and operand row has no element for each row and column"},
		{In(gemm.Full[int8]("i")), "operand i is of int8; want float32, float64 or int32"},
		{InBits[float32]("bits"), "nothing says how many there are; add a gemm.Full operand that is not bits"},
		{Masked(InBits[float64]("bits"), x), "parameter 2 of op.Only is a float64"},
	} {
		if _, err := (Spec{Name: "S", Outs: []Output{OutBits("mask", c.is)}}).graph(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := (Spec{Name: "S"}).graph(); err == nil {
		t.Error("an equation without outputs is not refused")
	}
	if _, err := (Spec{Outs: []Output{Out("out", add.of(x, row))}, Operands: []Tensor{x}}).graph(); err == nil || !strings.Contains(err.Error(), "operand row is used but not listed") {
		t.Error(err)
	}
}
