package fused_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The experts of a mixture have different numbers of rows, and weights of their own.
func ExampleMatMulBF16Grouped() {
	bf := func(rows, cols int, xs ...float32) layout.Matrix[dtype.BF16] {
		m := layout.New[dtype.BF16](rows, cols)
		for i, x := range xs {
			m.Data[i] = dtype.ToBF16(x)
		}
		return m
	}
	x, y := bf(3, 2, 1, 2, 3, 4, 5, 6), bf(3, 2)
	weights := []layout.Matrix[dtype.BF16]{bf(2, 2, 1, 0, 0, 1), bf(2, 2, 0, 10, 10, 0)}
	var problems []fused.MatMulBF16Problem
	for i, rows := range [][2]int{{0, 1}, {1, 3}} {
		problems = append(problems, fused.MatMulBF16Problem{Out: y.Slice(rows[0], rows[1], 0, 2), A: x.Slice(rows[0], rows[1], 0, 2), B: weights[i]})
	}
	fused.MatMulBF16Grouped(run.Options{}, problems)
	fmt.Println(y)
	// Output:
	// [ 1   2]
	// [40  30]
	// [60  50]
}

// TestGrouped: each of a group is what a call gives, reductions among it, on every instruction
// set of the machine.
func TestGrouped(t *testing.T) {
	rnd := rand.New(level.PCG(1, 2))
	fill := func(rows, cols int) layout.Matrix[dtype.BF16] {
		m := layout.New[dtype.BF16](rows, cols)
		for i := range m.Data {
			m.Data[i] = dtype.ToBF16(rnd.Float32() - 0.5)
		}
		return m
	}
	for _, isa := range []string{"", "go"} {
		var have []fused.DenseGELUBF16Problem
		for i := range 24 {
			m, n, k := rnd.IntN(20), 1+rnd.IntN(60), rnd.IntN(90)
			if i == 5 {
				m, n, k = 120, 200, 190 // that is shared out
			}
			p := fused.DenseGELUBF16Problem{Out: layout.New[dtype.BF16](m, n), A: fill(m, k), B: fill(k, n), Bias: make([]float32, n),
				RowMax: make([]float32, m), RowSum: make([]float32, m), Class: make([]int32, m), ColSumSquares: make([]float32, n)}
			for j := range p.Bias {
				p.Bias[j] = rnd.Float32()
			}
			have = append(have, p)
		}
		fused.DenseGELUBF16Grouped(run.Options{Threads: 3, ISA: isa}, have)
		for i, p := range have {
			q := p
			q.Out = layout.New[dtype.BF16](p.Out.Rows, p.Out.Cols)
			q.RowMax, q.RowSum, q.Class, q.ColSumSquares = slices.Clone(p.RowMax), slices.Clone(p.RowSum), slices.Clone(p.Class), slices.Clone(p.ColSumSquares)
			fused.DenseGELUBF16Opt(run.Options{ISA: isa}, q.Out, q.RowMax, q.Class, q.RowSum, q.ColSumSquares, q.A, q.B, q.Bias)
			if !slices.Equal(p.Out.Data, q.Out.Data) || !slices.Equal(p.RowMax, q.RowMax) || !slices.Equal(p.Class, q.Class) || !slices.Equal(p.RowSum, q.RowSum) || !slices.Equal(p.ColSumSquares, q.ColSumSquares) {
				t.Fatalf("%q, problem %d, %d x %d x %d: not what it is alone", isa, i, p.Out.Rows, p.Out.Cols, p.A.Cols)
			}
		}
		have[7].ColSumSquares = have[3].ColSumSquares
		have[7].Out, have[7].B, have[7].Bias = layout.New[dtype.BF16](have[7].A.Rows, have[3].B.Cols), fill(have[7].A.Cols, have[3].B.Cols), have[3].Bias
		func() {
			defer func() {
				if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "colSumSquares of problem 3 shares memory with colSumSquares of problem 7") {
					t.Error(err)
				}
			}()
			fused.DenseGELUBF16Grouped(run.Options{ISA: isa}, have)
		}()
	}
}
