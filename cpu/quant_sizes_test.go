package cpu_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
)

// TestQuantSizes: sizes that no slice has are refused, or cost nothing where there are no elements.
func TestQuantSizes(t *testing.T) {
	huge := math.MaxInt / 64
	one := cpu.Quant{Scale: []float32{1}}
	q := cpu.QuantProduct{A: one, B: one, Out: one}
	of := func(rows, cols int) layout.Matrix[int8] { return layout.Matrix[int8]{Rows: rows, Cols: cols} }
	var shape layout.ShapeError
	for i, call := range []func(){
		func() { cpu.QuantMatMul(of(10, huge), of(10, 10), of(10, huge), q) },
		func() { cpu.QuantMatMul(of(huge, 10), of(huge, 10), of(10, 10), q) },
		func() { cpu.QuantMatMul(of(10, -1), of(10, 10), of(10, -1), q) },
		func() { cpu.QuantPack[int8, int8](of(5, -1)) },
	} {
		if err := refused(call); !errors.As(err, &shape) {
			t.Errorf("call %d: %v, want a layout.ShapeError", i, err)
		}
	}
	if err := refused(func() { cpu.Calibrate[int8](layout.Matrix[float32]{Rows: huge}, cpu.QuantPerRow) }); err == nil || !strings.Contains(err.Error(), "without elements to calibrate") {
		t.Errorf("%v", err)
	}
	cpu.QuantMatMul(of(0, huge), of(0, 0), of(0, huge), q)
	cpu.QuantMatMul(of(huge, 0), of(huge, 0), of(0, 0), q)
	cpu.QuantPack[int8, int8](of(0, huge))
	cpu.Quantise(of(huge, 0), layout.Matrix[float32]{Rows: huge}, one)
	cpu.Dequantise(layout.Matrix[float32]{Rows: huge}, of(huge, 0), one)
	if q := cpu.Calibrate[int8](layout.Matrix[float32]{Rows: huge}, cpu.QuantPerTensor); len(q.Scale) != 1 {
		t.Errorf("%d scales", len(q.Scale))
	}
}

// TestQuantMatMulScale: the scales are multiplied before one division, in float64. The other order
// is 1 here.
func TestQuantMatMulScale(t *testing.T) {
	q := cpu.QuantProduct{
		A: cpu.Quant{Scale: []float32{float32(math.Ldexp(14614528, -42))}}, B: cpu.Quant{Scale: []float32{float32(math.Ldexp(12176590, -27))}},
		Out: cpu.Quant{Scale: []float32{41}}, Bias: []int32{68000652},
	}
	out := layout.New[int8](1, 1)
	cpu.QuantMatMul(out, layout.New[int8](1, 1), layout.New[int8](1, 1), q)
	if out.Data[0] != 0 {
		t.Errorf("%d, want 0", out.Data[0])
	}
}
