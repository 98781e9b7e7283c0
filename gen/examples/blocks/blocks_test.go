package blocks

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// No call allocates, whatever way blocks are given.
func TestAllocations(t *testing.T) {
	x := make([]float32, 4096)
	half := make([]dtype.BF16, 4096)
	out := layout.RowMajor(make([]float32, 256), 16, 16)
	bias := make([]float32, 32)
	wide := layout.RowMajor(make([]float32, 192), 6, 32)
	at, list := []int{0, 100, 3840}, [][]float32{x[:256], x[256:512]}
	for name, f := range map[string]func(){
		"offsets": func() {
			BRGEMM16(out, blocks.Operand[float32]{Data: x, At: at}, blocks.Operand[float32]{Data: x, At: at})
		},
		"strides": func() {
			BRGEMM16(out, blocks.Operand[float32]{Data: x, Stride: 7, Count: 5}, blocks.Operand[float32]{Data: x, Stride: 0, Count: 5})
		},
		"list": func() { BRGEMM16(out, blocks.Operand[float32]{List: list}, blocks.Operand[float32]{List: list}) },
		"scaled": func() {
			BRGEMM16Opt(run.Options{Scaling: run.Scale(2, 1)}, out, blocks.Operand[float32]{List: list}, blocks.Operand[float32]{List: list})
		},
		"bf16": func() {
			BRGEMM16BF16(out, blocks.Operand[dtype.BF16]{Data: half, At: at}, blocks.Operand[dtype.BF16]{Data: half, At: at})
		},
		"epilogue": func() {
			BRGEMMBiasReLU(wide, blocks.Operand[float32]{Data: x, At: at}, blocks.Operand[float32]{Data: x, At: at}, bias)
		},
		"portable": func() {
			BRGEMM16Opt(run.Options{ISA: run.Portable}, out, blocks.Operand[float32]{Data: x, At: at}, blocks.Operand[float32]{Data: x, At: at})
		},
	} {
		f()
		if n := testing.AllocsPerRun(50, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Blocks of one matrix are distinct from a result beside them, whose rows lie between theirs, and a result that is
// one of them is refused.
func TestOneMatrix(t *testing.T) {
	const n = 21 // columns of all: a is 6 wide with rows 54 apart, b and out 7
	all := make([]float64, 400)
	for i := range all {
		all[i] = float64(i%5) - 2
	}
	b := make([]float64, 9*42)
	for i := range b {
		b[i] = float64(i%7) - 3
	}
	a := blocks.Operand[float64]{Data: make([]float64, 4*54+9*6), Stride: 6, Count: 9}
	for i := range a.Data {
		a.Data[i] = float64(i%3) - 1
	}
	out := layout.Matrix[float64]{Data: all[7:], Rows: 5, Cols: 7, RowStride: n, ColStride: 1}
	at := []int{14, 14, 14, 14, 14, 14, 14, 14, 14} // b beside out in the same rows
	wide := blocks.Operand[float64]{Data: all, At: at}
	refused := func(f func()) (why string) {
		defer func() {
			if err, ok := recover().(error); ok {
				why = err.Error()
			}
		}()
		f()
		return ""
	}
	// b's rows are 7 apart, so they run through out.
	if why := refused(func() { BRGEMMCount9(out, a, wide) }); !strings.Contains(why, "out shares memory with an operand") {
		t.Errorf("b runs through out: %q", why)
	}
	if why := refused(func() { BRGEMMCount9(out, a, blocks.Operand[float64]{Data: b, Stride: 42, Count: 9}) }); why != "" {
		t.Errorf("nothing is shared: %s", why)
	}
	if why := refused(func() {
		BRGEMMCount9(out, blocks.Operand[float64]{Data: a.Data, Stride: 6, Count: 8}, blocks.Operand[float64]{Data: b, Stride: 42, Count: 8})
	}); why !=
		"blocks.BRGEMMCount9: there are 8 pairs of blocks, and it was generated for 9" {
		t.Errorf("eight pairs: %q", why)
	}
}
