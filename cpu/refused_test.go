package cpu

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// TestRefused: what a call cannot do is an error in the name of the function that was
// called, with what is wrong and what would be right, and nothing has been written then.
func TestRefused(t *testing.T) {
	const (
		threads = "-3 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS"
		noPack  = "Options.B is for dense products, a sparse one has no use for a packed b; leave it nil"
		sizes   = "out is 3 x 5, a is 4 x 5, b is 3 x 4; want m x n, m x k, k x n"
		overlap = "out shares memory with an operand; copy the operand first"
	)
	m := func(rows, cols int) layout.Matrix[float64] { return layout.New[float64](rows, cols) }
	out, a, b := m(3, 5), m(3, 4), m(4, 5)
	sq, other := m(4, 4), m(4, 4)
	s, err := sparse.FromCOO(3, 4, []int{0, 2}, []int{1, 3}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := format.Pack(s, format.BSR(2))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := rule.Decompose(s, rule.Columns(1))
	if err != nil {
		t.Fatal(err)
	}
	pack, packSq := Pack(b), Pack(sq)
	small := m(3, 4)
	y, x := make([]float64, 3), make([]float64, 4)
	negative, packed := Options{Threads: -3}, Options{B: pack}
	strided := layout.Matrix[float64]{Data: make([]float64, 40), Rows: 4, Cols: 5, RowStride: 5, ColStride: 1}
	twin := layout.Matrix[float64]{Data: strided.Data, Rows: 4, Cols: 5, RowStride: 6, ColStride: 1}
	square := layout.New[float64](3, 4)
	batch := m(2*3, 5)
	one := layout.Matrix[float64]{Data: batch.Data, Rows: 3, Cols: 5, RowStride: 5, ColStride: 1}
	dgemm := func(tA, tB blas.Transpose, c, a, b []float64) {
		BLAS64{}.Dgemm(tA, tB, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2)
	}
	shape := func(what, why string) error { return layout.ShapeError{What: what, Why: why} }
	option := func(what, why string) error { return run.OptionError{What: what, Why: why} }
	portable := Options{ISA: run.Portable}
	for _, c := range []struct {
		call func()
		want error
	}{
		{func() { MatMul(out, b, a) }, shape("cpu.MatMul", sizes)},
		{func() { MatMulOpt(portable, out, b, a) }, shape("cpu.MatMulOpt", sizes)},
		{func() { MatMulOpt(Options{Caller: "mine.Multiply"}, out, b, a) }, shape("mine.Multiply", sizes)},
		{func() { MatMul(out, layout.RowMajor(out.Data, 3, 4), b) }, shape("cpu.MatMul", overlap)},
		{func() { MatMulOpt(Options{ISA: "avx3"}, out, a, b) }, run.ISAError{What: "cpu.MatMulOpt", From: "Options.ISA", ISA: "avx3", Have: run.ISAs()}},
		{func() { MatMulOpt(Options{ISA: "avx3", Scaling: Scale(0, 1)}, out, a, b) }, run.ISAError{What: "cpu.MatMulOpt", From: "Options.ISA", ISA: "avx3", Have: run.ISAs()}},
		{func() { MatMulOpt(negative, out, a, b) }, option("cpu.MatMulOpt", threads)},
		{func() { MatMulOpt(Options{Threads: -3, Scaling: Scale(0, 0)}, out, a, b) }, option("cpu.MatMulOpt", threads)},
		{func() { MatMulOpt(negative, m(0, 5), m(0, 4), b) }, option("cpu.MatMulOpt", threads)},
		{func() { MatMulOpt(negative, m(700, 700), m(700, 700), m(700, 700)) }, option("cpu.MatMulOpt", threads)},
		{func() { SetThreads(-3) }, option("cpu.SetThreads", threads)},
		{func() { run.SetThreads(-3) }, option("run.SetThreads", threads)},

		{func() { MatMulOpt(packed, out, a, m(4, 5)) }, shape("cpu.MatMulOpt", "Options.B was packed from another matrix than b, at another address; pack this b, or leave Options.B nil")},
		{func() { MatMulOpt(Options{B: packSq}, m(3, 4), a, sq.T()) }, shape("cpu.MatMulOpt", "Options.B was packed from a matrix with strides (4, 1), b has (1, 4); pack this b, or leave Options.B nil")},
		{func() { MatMulOpt(Options{B: Pack(strided)}, out, a, twin) }, shape("cpu.MatMulOpt", "Options.B was packed from a matrix with strides (5, 1), b has (6, 1); pack this b, or leave Options.B nil")},
		{func() { MatMulOpt(Options{B: packSq, Scaling: Scale(0, 1)}, square, a, other) }, shape("cpu.MatMulOpt", "Options.B was packed from another matrix than b, at another address; pack this b, or leave Options.B nil")},
		{func() { MatMulOpt(packed, m(3, 4), a, sq) }, shape("cpu.MatMulOpt", "Options.B was packed from 4 x 5 of f64, b is 4 x 4 of f64; pack this b")},
		{func() {
			MatMulOpt(packed, layout.New[float32](3, 5), layout.New[float32](3, 4), layout.New[float32](4, 5))
		}, shape("cpu.MatMulOpt", "Options.B was packed from 4 x 5 of f64, b is 4 x 5 of f32; pack this b")},
		{func() { MatMulOpt(Options{B: new(run.Packed)}, out, a, b) }, shape("cpu.MatMulOpt", "Options.B was not made by a function that packs; want what the Pack of this kernel returns")},
		{func() {
			Pack(layout.Matrix[float64]{Data: make([]float64, 3), Rows: 2, Cols: 2, RowStride: 2, ColStride: 1})
		},
			shape("cpu.Pack", "b: 3 elements do not hold 2 x 2 with strides (2, 1); want at least 4")},
		{func() { dense.Pack(gemmf.DGEMMSet(), nil, negative, b) }, option("gemmf.DGEMM", "Options.Threads, Scaling and B belong to products; want only ISA and Caller where b is packed")},

		{func() { MatMulBatch(Options{}, Batch{Count: 2, Out: 14}, one, a, b) }, shape("cpu.MatMulBatch", "results of 3 x 5 that begin 14 elements apart share places; want them apart")},
		{func() { MatMulBatch(Options{}, Batch{Count: 2, Out: -15}, one, a, b) }, shape("cpu.MatMulBatch", "a batch of 2 products that begin -15 elements apart in out, 0 in a and 0 in b; none may be negative")},
		{func() { MatMulBatch(Options{}, Batch{Count: 3, Out: 15}, one, a, b) }, shape("cpu.MatMulBatch", "30 elements of out do not hold 3 of 3 x 5 that begin 15 elements apart; want more, or a smaller stride")},
		{func() { MatMulBatch(negative, Batch{Count: 0}, one, a, b) }, option("cpu.MatMulBatch", threads)},
		{func() { MatMulBatch(packed, Batch{Count: 2, Out: 15}, one, a, m(4, 5)) }, shape("cpu.MatMulBatch", "Options.B was packed from another matrix than b, at another address; pack this b, or leave Options.B nil")},

		{func() { SpMM(out, s, a) }, shape("cpu.SpMM", "out is 3 x 5, a is 3 x 4, b is 3 x 4; want m x n, m x k, k x n")},
		{func() { SpMM(out, blocks, a) }, shape("cpu.SpMM", "out is 3 x 5, a is 3 x 4, b is 3 x 4; want m x n, m x k, k x n")},
		{func() { SpMM(out, sum, a) }, shape("cpu.SpMM", "out is 3 x 5, a is 3 x 4, b is 3 x 4; want m x n, m x k, k x n")},
		{func() { SpMMOpt(negative, out, s, b) }, option("cpu.SpMMOpt", threads)},
		{func() { SpMMOpt(negative, out, sum, b) }, option("cpu.SpMMOpt", threads)},
		{func() { SpMMOpt(packed, out, s, b) }, option("cpu.SpMMOpt", noPack)},
		{func() { SpMMOpt(Options{ISA: "avx3"}, out, s, b) }, run.ISAError{What: "cpu.SpMMOpt", From: "Options.ISA", ISA: "avx3", Have: run.ISAs()}},
		{func() { SpMV(y[:2], s, x) }, shape("cpu.SpMV", "y has 2 elements, a is 3 x 4, x has 4; want m, m x k, k")},
		{func() { SpMVOpt(portable, y[:2], s, x) }, shape("cpu.SpMVOpt", "y has 2 elements, a is 3 x 4, x has 4; want m, m x k, k")},
		{func() { SpMVOpt(negative, y, s, x) }, option("cpu.SpMVOpt", threads)},
		{func() { SpMMBlocks(negative, out, blocks, b) }, option("cpu.SpMMBlocks", threads)},
		{func() { MulPruned(negative, out, Prune(s), b) }, option("cpu.MulPruned", threads)},
		{func() { SDDMM(s, a, b) }, shape("cpu.SDDMM", "s is 3 x 4, a is 3 x 4, b is 4 x 5; want m x n, m x f, n x f")},
		{func() { SDDMMInto(SDDMMOptions{Options: negative}, y[:2], s, small, sq) }, option("cpu.SDDMMInto", threads)},
		{func() { GraphAttention(AttentionOptions{Options: negative}, small, s, small, sq, sq) }, option("cpu.GraphAttention", threads)},
		{func() {
			BlockAttention(BlockAttentionOptions{Options: negative}, small, mustMask(mask.Full(3, 4, 2)), small, sq, sq)
		}, option("cpu.BlockAttention", threads)},

		{func() { dgemm(blas.NoTrans, blas.Trans, sq.Data[:4], sq.Data[:4], x) }, shape("cpu.BLAS64.Dgemm", overlap)},
	} {
		for _, d := range [][]float64{out.Data, square.Data, small.Data, batch.Data, y} {
			for i := range d {
				d[i] = 7
			}
		}
		wantPanic(t, c.want, c.call)
		for _, d := range [][]float64{out.Data, square.Data, small.Data, batch.Data, y} {
			if slices.ContainsFunc(d, func(x float64) bool { return x != 7 }) {
				t.Errorf("%v: something was written", c.want)
			}
		}
	}
}

// TestScaling: no factor goes unheard, and 1 and 0 are what a call has without any.
func TestScaling(t *testing.T) {
	for _, c := range []struct{ alpha, beta, want float64 }{{1, 0, 6}, {2, 0, 12}, {0, 2, 20}, {1, 1, 16}, {-1, 0.5, -1}, {0, 0, 0}} {
		a, b, out := layout.RowMajor([]float64{2}, 1, 1), layout.RowMajor([]float64{3}, 1, 1), layout.RowMajor([]float64{10}, 1, 1)
		MatMulOpt(Options{Scaling: Scale(c.alpha, c.beta)}, out, a, b)
		if have := out.Data[0]; have != c.want {
			t.Errorf("alpha %v and beta %v give %v, want %v", c.alpha, c.beta, have, c.want)
		}
	}
	if Scale(1, 0) != (run.Scaling{}) {
		t.Error("1 and 0 are not the zero Scaling")
	}
}

// TestPackOfViews: a pack goes with every view of the same elements that is the same matrix.
func TestPackOfViews(t *testing.T) {
	data := []float64{1, 2, 3, 4}
	column := layout.RowMajor(data, 4, 1)
	a, out := layout.RowMajor([]float64{1, 2, 3, 4}, 1, 4), layout.New[float64](1, 1)
	for _, b := range []layout.Matrix[float64]{column, column.Slice(0, 4, 0, 1), layout.ColMajor(data, 4, 1), layout.RowMajor(data, 1, 4).T()} {
		MatMulOpt(Options{B: Pack(column)}, out, a, b)
		if out.Data[0] != 30 {
			t.Errorf("%v, want 30", out.Data[0])
		}
	}
	row, one, wide := layout.RowMajor(data, 1, 4), layout.RowMajor([]float64{2}, 1, 1), layout.New[float64](1, 4)
	for _, b := range []layout.Matrix[float64]{row, layout.ColMajor(data, 1, 4), column.T()} {
		MatMulOpt(Options{B: Pack(row)}, wide, one, b)
		if !slices.Equal(wide.Data, []float64{2, 4, 6, 8}) {
			t.Errorf("%v, want 2 4 6 8", wide)
		}
	}
	empty := Pack(layout.New[float64](0, 3))
	MatMulOpt(Options{B: empty}, layout.New[float64](2, 3), layout.New[float64](2, 0), layout.New[float64](0, 3))
}
