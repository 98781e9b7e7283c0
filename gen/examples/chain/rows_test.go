package chain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// mostAlike is how often a row is there in the operands of these tests.
const mostAlike = 70

// alikeRows returns a matrix of which all rows are one.
func alikeRows[T dtype.Elem](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	x := normalOf[T](r, 1, cols)
	out := layout.New[T](rows, cols)
	for i := range rows {
		copy(out.Data[i*cols:], x.Data)
	}
	return out
}

// normalOf is a matrix of normal numbers of any type.
func normalOf[T dtype.Elem](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	x := layout.New[T](rows, cols)
	for i := range x.Data {
		v := float32(r.NormFloat64())
		switch p := any(&x.Data[i]).(type) {
		case *float32:
			*p = v
		case *dtype.BF16:
			*p = dtype.ToBF16(v)
		case *dtype.F16:
			*p = dtype.ToF16(v)
		}
	}
	return x
}

// A reference is the first row that was computed; others are held against it.
type reference[T dtype.Elem] struct{ row []T }

func (f *reference[T]) hold(t *testing.T, what string, out layout.Matrix[T]) {
	t.Helper()
	if f.row == nil {
		for j := range out.Cols {
			f.row = append(f.row, out.At(0, j))
		}
	}
	for i := range out.Rows {
		row := out.Data[i*out.RowStride:]
		if out.ColStride == 1 && slices.Equal(row[:out.Cols], f.row) {
			continue
		}
		for j, want := range f.row {
			if have := row[j*out.ColStride]; have != want {
				t.Errorf("%s, %d rows: element (%d, %d) is %v, elsewhere it is %v", what, out.Rows, i, j, have, want)
				return
			}
		}
	}
}

// rowCounts are numbers of rows, all up to mostAlike where that does not take long.
func rowCounts(isa string) (ms []int) {
	for m := 1; m <= mostAlike; m++ {
		if few := m < 4 || m%16 < 2 || m == 6 || m == 7 || m == mostAlike; few || level.Of(m%3 == 0 && isa != "go", isa != "go", true) {
			ms = append(ms, m)
		}
	}
	return ms
}

// TestRowsInvariantFused is the same with epilogues, in batches and in groups, which take other ways through the loops.
func TestRowsInvariantFused(t *testing.T) {
	const k, n = 700, 100
	r := rand.New(level.PCG(1, 2))
	a, b := alikeRows[dtype.BF16](r, mostAlike, k), normalOf[dtype.BF16](r, k, n)
	ah, bh := alikeRows[dtype.F16](r, mostAlike, k), normalOf[dtype.F16](r, k, n)
	back := normalOf[dtype.BF16](r, n, k)
	bias, residual := normalOf[float32](r, 1, n).Data, alikeRows[float32](r, mostAlike, n)
	for _, isa := range cpu.ISAs() {
		var product, gelu, group, batch, layer reference[dtype.BF16]
		var residualF16 reference[dtype.F16]
		var rowMax, rowSum reference[float32]
		for _, m := range rowCounts(isa) {
			if isa == "go" && m > 20 {
				break
			}
			a, ah := a.Slice(0, m, 0, k), ah.Slice(0, m, 0, k)
			out, outs := layout.New[dtype.BF16](m, n), layout.New[dtype.F16](m, n)
			for _, opt := range []cpu.Options{{ISA: isa}, {ISA: isa, Threads: 2}} {
				fused.MatMulBF16Opt(opt, out, a, b)
				product.hold(t, isa+" MatMulBF16", out)
				rowMaxes, rowSums := make([]float32, m), make([]float32, m)
				fused.DenseGELUBF16Opt(opt, out, rowMaxes, make([]int32, m), rowSums, make([]float32, n), a, b, bias)
				gelu.hold(t, isa+" DenseGELUBF16", out)
				rowMax.hold(t, isa+" DenseGELUBF16's maxima", layout.RowMajor(rowMaxes, m, 1))
				fused.ResidualF16Opt(opt, outs, layout.New[float32](m, n), make([]float32, n), ah, bh, residual.Slice(0, m, 0, n), .5)
				residualF16.hold(t, isa+" ResidualF16", outs)
				rowSum.hold(t, isa+" DenseGELUBF16's sums of rows", layout.RowMajor(rowSums, m, 1))
			}
			deep := layout.New[dtype.BF16](m, k)
			MLPBF16Opt(cpu.Options{ISA: isa}, deep, a, b, bias, back)
			layer.hold(t, isa+" MLPBF16", deep)
			other := layout.New[dtype.BF16](1, n)
			fused.MatMulBF16Grouped(cpu.Options{ISA: isa}, []fused.MatMulBF16Problem{{Out: other, A: a.Slice(0, 1, 0, k), B: b}, {Out: out, A: a, B: b}}[min(1, m/3):])
			group.hold(t, isa+" Grouped", out)
			each := layout.Matrix[dtype.BF16]{Data: make([]dtype.BF16, m*n), Rows: 1, Cols: n, RowStride: n, ColStride: 1}
			one := a.Slice(0, 1, 0, k)
			one.Data = a.Data
			cpu.MatMulBatchOf[float32](cpu.Options{ISA: isa}, cpu.Batch{Count: m, Out: n, A: k}, each, one, b)
			batch.hold(t, isa+" MatMulBatchOf", layout.RowMajor(each.Data, m, n))
		}
	}
}
