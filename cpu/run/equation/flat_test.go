package equation

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestFlat: matrices whose rows lie end to end, or nearly so, with each kind of operand beside them, as the equation has it that is computed row by row.
func TestFlat(t *testing.T) {
	kinds := []string{"none", "full", "row", "column", "scalar", "bits", "temporary"}
	try := func(m, n, strides int) {
		for _, kind := range kinds {
			have, want := flatOf(kind, m, n, strides)
			for i, v := range want.Data {
				if have.Data[i] != v {
					t.Fatalf("%d x %d, %s, %d: element %d is %v, want %v", m, n, kind, strides, i, have.Data[i], v)
				}
			}
		}
	}
	for m := range 4 {
		for n := range 18 {
			for strides := range 16 {
				try(m, n, strides)
			}
		}
	}
	try(5, 8000, 0) // several calls
	try(5, 8000, 6)
}

// flatOf computes x and one operand more of a kind, twice: by an equation, and as it should be.
func flatOf(kind string, m, n, strides int) (have, want layout.Matrix[float64]) {
	matrix := func(rows, cols, gap, step int) layout.Matrix[float64] {
		x := layout.Matrix[float64]{Rows: rows, Cols: cols, RowStride: cols*step + gap, ColStride: step}
		x.Data = make([]float64, rows*x.RowStride)
		for i := range x.Data {
			x.Data[i] = float64(i % 101)
		}
		return x
	}
	gap := strides % 2
	x := matrix(m, n, strides/2%2, 1+strides/4%2)
	have, want = matrix(m, n, gap, 1+strides/8), matrix(m, n, gap, 1+strides/8)
	mask := layout.Matrix[uint8]{Data: make([]uint8, m*((n+7)/8+gap)), Rows: m, Cols: (n + 7) / 8, RowStride: (n+7)/8 + gap, ColStride: 1}
	vector := make([]float64, m+n)
	for i := range vector {
		vector[i] = float64(1000 * (i + 1))
	}
	for i := range mask.Data {
		mask.Data[i] = uint8(37 * i)
	}
	e := epilogue.New("Flat", m, n)
	epilogue.Out(&e, "out", have)
	epilogue.Full(&e, "x", x)
	q := &Equation{Name: "Flat"}
	load := func(a *kernel.EpiArgs, i, j int) float64 { return epilogue.Load[float64](a, 2, i, j) }
	other := func(i, j int) float64 { return 0 }
	switch kind {
	case "none":
		load = func(*kernel.EpiArgs, int, int) float64 { return 0 }
	case "full":
		y := matrix(m, n, gap, 1)
		epilogue.Full(&e, "y", y)
		other = y.At
	case "row":
		epilogue.PerRow(&e, "v", vector[:m])
		other = func(i, _ int) float64 { return vector[i] }
	case "column":
		epilogue.PerColumn(&e, "v", vector[:n])
		other = func(_, j int) float64 { return vector[j] }
	case "scalar":
		epilogue.Scalar(&e, 5.5)
		other = func(int, int) float64 { return 5.5 }
	case "bits":
		epilogue.Bits(&e, "mask", mask)
		q.Bits = []int{2}
		load = func(a *kernel.EpiArgs, i, j int) float64 { return LoadBit[float64](a, 2, i, j) }
		other = func(i, j int) float64 { return float64(mask.At(i, j/8) >> (j % 8) & 1) }
	case "temporary": // sums of columns
		q.Temps = []Temp{{Bytes: 8}}
		q.Stages = []Stage{{Reduces: []Reduction{{Slot: 2, Op: Sum, Type: dtype.F64}}, Go: func(a *kernel.EpiArgs) {
			for i := range int(a.Rows) {
				for j := range int(a.Cols) {
					epilogue.Store(a, 2, i, j, epilogue.Load[float64](a, 2, i, j)+epilogue.Load[float64](a, 1, i, j))
				}
			}
		}}}
		other = func(_, j int) (sum float64) {
			for i := range m {
				sum += x.At(i, j)
			}
			return sum
		}
	}
	q.Stages = append(q.Stages, Stage{Chop: true, Go: func(a *kernel.EpiArgs) {
		for i := range int(a.Rows) {
			for j := range int(a.Cols) {
				epilogue.Store(a, 0, i, j, epilogue.Load[float64](a, 1, i, j)+load(a, i, j))
			}
		}
	}})
	for i := range m {
		for j := range n {
			want.Set(i, j, x.At(i, j)+other(i, j))
		}
	}
	q.Run(run.Options{}, &e, Stream{})
	return have, want
}

// TestFlatIsUsed: so that the test above has both ways to test.
func TestFlatIsUsed(t *testing.T) {
	for _, c := range []struct {
		rs, cs int
		want   bool
	}{{10, 1, true}, {20, 2, true}, {0, 0, true}, {11, 1, false}, {0, 1, false}, {1, 0, false}} {
		x := layout.Matrix[float64]{Data: make([]float64, 200), Rows: 5, Cols: 10, RowStride: c.rs, ColStride: c.cs}
		e := epilogue.New("Flat", 5, 10)
		epilogue.Full(&e, "x", x)
		if have := (&call{equation: &Equation{}, e: e.Fusion, n: 10, slots: e.Slots}).flat(); have != c.want {
			t.Error(fmt.Sprint(c), have)
		}
	}
}
