package cpu

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// TestAllHidden: a row whose scores are all -Inf is NaN, and so are its sum and all gradients that it has a part in, by
// whatever kernels.
func TestAllHidden(t *testing.T) {
	mask, err := mask.Full(2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	column := func(x, y float64) layout.Matrix[float64] { return layout.RowMajor([]float64{x, y}, 2, 1) }
	q, k, v, dout := column(math.Inf(-1), 0), column(1, 1), column(1, 0), column(1, 0)
	for _, isa := range run.PlainISAs() {
		out, sums := column(0, 0), make([]float64, 2)
		opt := BlockAttentionOptions{Options: Options{ISA: isa}, LogSums: sums}
		BlockAttention(opt, out, mask, q, k, v)
		dq, dk, dv := column(0, 0), column(0, 0), column(0, 0)
		BlockAttentionBack(opt, dq, dk, dv, mask, q, k, v, out, dout)
		for name, x := range map[string]float64{"out": out.Data[0], "LogSums": sums[0], "dq": dq.Data[0], "dk": dk.Data[0], "dv": dv.Data[1]} {
			if !math.IsNaN(x) {
				t.Errorf("%s: %s is %v, want NaN", isa, name, x)
			}
		}
		if out.Data[1] != .5 || sums[1] != math.Log(2) {
			t.Errorf("%s: a row that sees something is %v, %v", isa, out.Data[1], sums[1])
		}
	}
}

// TestLogSumsApart: LogSums are written, and read again, so that nothing else may lie there.
func TestLogSumsApart(t *testing.T) {
	mask, err := mask.Full(2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := func() layout.Matrix[float64] { return layout.New[float64](2, 1) }
	out := m()
	refuses(t, "cpu.BlockAttention", "LogSums shares memory with out; it wants memory of its own", func() {
		BlockAttention(BlockAttentionOptions{LogSums: out.Data}, out, mask, m(), m(), m())
	})
	dk := m()
	refuses(t, "cpu.BlockAttentionBack", "LogSums shares memory with dk; it wants memory of its own", func() {
		BlockAttentionBack(BlockAttentionOptions{LogSums: dk.Data}, m(), dk, m(), mask, m(), m(), m(), m(), m())
	})
}

// TestNoColumns: products without columns have nothing to do.
func TestNoColumns(t *testing.T) {
	eye, err := sparse.Identity[float64](2)
	if err != nil {
		t.Fatal(err)
	}
	SpMMOf[float64](layout.New[float32](2, 0), eye, layout.New[float64](2, 0))
	rel, err := sparse.NewRelations(eye, eye)
	if err != nil {
		t.Fatal(err)
	}
	x, w := layout.New[float64](2, 3), layout.New[float64](6, 0)
	dx, dw := layout.New[float64](2, 3), layout.New[float64](6, 0)
	dx.Data[0] = 1
	MulRelationsBack(Options{}, dx, dw, rel, rel.Transpose(), x, w, layout.New[float64](2, 0))
	if dx.Data[0] != 0 {
		t.Errorf("the gradient of nothing is %v", dx.Data[0])
	}
}
