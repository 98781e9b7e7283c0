package cpu

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothingDense: a dense product without elements, or of none, is done at once, however many rows or columns there are.
func TestNothingDense(t *testing.T) {
	for _, huge := range hostile.Huge {
		sides := []int{0, 1, 3, huge}
		for i := range len(sides) * len(sides) * len(sides) {
			m, n, k := sides[i%4], sides[i/4%4], sides[i/16]
			if m != 0 && n != 0 && (k != 0 || m == huge || n == huge) { // there is something to do
				continue
			}
			for name, call := range denseCalls(m, n, k) {
				hostile.AtOnce(t, fmt.Sprintf("%s of %d x %d x %d", name, m, n, k), call)
			}
		}
	}
}

// denseCalls are all dense products of m x k by k x n elements.
func denseCalls(m, n, k int) map[string]func() {
	out, a, b := hostile.Matrix[float32](m, n), hostile.Matrix[float32](m, k), hostile.Matrix[float32](k, n)
	narrow, bytes := hostile.Matrix[dtype.BF16](k, n), hostile.Matrix[int8](k, n)
	wide, sums := hostile.Matrix[float64](m, n), hostile.Matrix[int32](m, n)
	batch := Batch{Count: math.MaxInt}
	q := QuantProduct{A: Quant{Scale: []float32{1}}, B: Quant{Scale: []float32{1}}}
	calls := map[string]func(){
		"MatMul": func() { MatMul(out, a, b) },
		"MatMul of f64": func() {
			MatMul(wide, hostile.Matrix[float64](m, k), hostile.Matrix[float64](k, n))
		},
		"MatMul of c64": func() {
			MatMul(hostile.Matrix[complex64](m, n), hostile.Matrix[complex64](m, k), hostile.Matrix[complex64](k, n))
		},
		"MatMulOpt in Go":   func() { MatMulOpt(Options{ISA: "go", Scaling: Scale(2, 3)}, out, a, b) },
		"MatMulOpt":         func() { MatMulOpt(Options{Threads: 2, Scaling: Scale(2, 3)}, out, a, b) },
		"MatMulOf of bf16":  func() { MatMulOf[float32](out, hostile.Matrix[dtype.BF16](m, k), narrow) },
		"MatMulOf of bytes": func() { MatMulOf[int32](sums, hostile.Matrix[uint8](m, k), bytes) },
		"MatMulOf to bf16": func() {
			MatMulOf[float32](hostile.Matrix[dtype.BF16](m, n), hostile.Matrix[dtype.BF16](m, k), narrow)
		},
		"MatMulOf of a pair": func() { MatMulOf[float64](out, a, bytes) },
		"MatMulOf rounded":   func() { MatMulOf[float32](hostile.Matrix[dtype.F16](m, n), a, bytes) },
		"MatMulBatch":        func() { MatMulBatch(Options{}, batch, out, a, b) },
		"MatMulBatchOf":      func() { MatMulBatchOf[float32](Options{}, batch, out, hostile.Matrix[dtype.BF16](m, k), narrow) },
		"MatMulTriangle":     func() { MatMulTriangle(Lower, out, a, b) },
		"Symm":               func() { Symm(Upper, out, a, b) },
		"Syrk":               func() { Syrk(Lower, out, a) },
		"Syr2k":              func() { Syr2k(Lower, out, a, a) },
		"Trmm":               func() { Trmm(Lower, a, out) },
		"Trmm right":         func() { Trmm(Upper, b.T(), out) },
		"Trsm":               func() { Trsm(Lower, a, out) },
		"QuantMatMul":        func() { QuantMatMul(out, hostile.Matrix[int8](m, k), bytes, q) },
		"Quantise":           func() { Quantise(hostile.Matrix[int8](m, n), out, q.A) },
		"Dequantise":         func() { Dequantise(out, hostile.Matrix[int8](m, n), q.A) },
		"MatMul24": func() {
			if s, err := sparse24.New[dtype.BF16](m, k, nil, nil); err == nil {
				MatMul24[float32](Options{}, out, s, narrow)
			}
		},
		"Calibrate":            func() { Calibrate[uint8](out, QuantPerTensor) },
		"Calibrate by rows":    func() { Calibrate[uint8](out, QuantPerRow) },
		"Calibrate by columns": func() { Calibrate[int8](out, QuantPerColumn) },
	}
	if k == 0 || n == 0 {
		calls["Pack"] = func() { MatMulOpt(Options{B: Pack(b)}, out, a, b) }
		calls["PackOf"] = func() {
			MatMulOfOpt[float32](Options{B: PackOf[float32, dtype.BF16](narrow)}, out, hostile.Matrix[dtype.BF16](m, k), narrow)
		}
		calls["QuantPack"] = func() {
			QuantMatMulOpt(Options{B: QuantPack[float32, int8](bytes)}, out, hostile.Matrix[int8](m, k), bytes, q)
		}
	}
	return calls
}

// TestNothingSparse: no more does a sparse product without elements take time.
func TestNothingSparse(t *testing.T) {
	for _, n := range []int{sparse.MaxDim, 3, 0} {
		none := func(m, n int) sparse.Matrix[float32] {
			s, err := sparse.FromCOO[float32, int32](m, n, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		e := hostile.Matrix[float32]
		wide := none(3, n)
		packed, err := format.Pack(wide, format.COO)
		if err != nil {
			t.Fatal(err)
		}
		mask, err := mask.Full(n, n, 1<<27)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range append(hostile.Huge[:], 0) {
			for name, call := range map[string]func(){
				"SpMM":        func() { SpMM(e(3, 0), wide, e(n, 0)) },
				"SpMM scaled": func() { SpMMOpt(Options{Scaling: Scale(math.Inf(1), 1)}, e(3, 0), wide, e(n, 0)) },
				"SpMM packed": func() { SpMM(e(3, 0), packed, e(n, 0)) },
				"SpMM of i64": func() {
					SpMM(hostile.Matrix[int64](3, 0), sparse.Ones[int64](wide.Pattern()), hostile.Matrix[int64](n, 0))
				},
				"SpMMOf":          func() { SpMMOf[float32](e(3, 0), wide, hostile.Matrix[dtype.BF16](n, 0)) },
				"SpMMOf of bytes": func() { SpMMOf[float32](e(3, 0), wide, hostile.Matrix[int8](n, 0)) },
				"MulPruned":       func() { MulPruned(Options{}, e(3, 0), Prune(wide), e(n, 0)) },
				"SDDMM":           func() { SDDMM(wide, e(3, h), e(n, h)) },
				"GraphAttention":  func() { GraphAttention(AttentionOptions{}, e(3, 0), wide, e(3, 0), e(n, 0), e(n, 0)) },
				"BlockAttention":  func() { BlockAttention(BlockAttentionOptions{}, e(n, 0), mask, e(n, 0), e(n, 0), e(n, 0)) },
				"BlockAttentionBack": func() {
					x := e(n, 0)
					BlockAttentionBack(BlockAttentionOptions{}, x, x, x, mask, x, x, x, x, x)
				},
				"SegmentMax":           func() { SegmentMax(Options{}, e(1, 0), nil, []int{0, n}, e(n, 0)) },
				"SegmentMaxBack":       func() { SegmentMaxBack(Options{}, e(h, 0), nil, e(h, 0)) },
				"Dropout":              func() { Dropout[float32](Options{}, nil, nil, rand.Stream{}, .5) },
				"Dropout of 2":         func() { Dropout[float32](Options{}, nil, nil, rand.Stream{}, 2) },
				"SpMM of other shapes": func() { SpMM(e(h, 0), wide, e(h, 0)) },
			} {
				hostile.AtOnce(t, fmt.Sprintf("%s with sides of %d and %d", name, n, h), call)
			}
		}
	}
}

// TestScaleComplex: no factor of a product of real numbers has an imaginary part, and who gives one is told so in the name of what was
// called.
func TestScaleComplex(t *testing.T) {
	opt := Options{Scaling: ScaleComplex(1, 1i)}
	wrap := opt
	wrap.NoWrap = true
	f, d, h, w, i := layout.New[float32](2, 2), layout.New[float64](2, 2), layout.New[dtype.BF16](2, 2), layout.New[int8](2, 2), layout.New[int32](2, 2)
	out, b := layout.New[float32](2, 2), layout.New[float32](2, 2)
	pruned, err := sparse24.Pack(layout.New[int8](2, 2))
	if err != nil {
		t.Fatal(err)
	}
	s, err := sparse.FromCOO(2, 2, []int{0, 1}, []int{1, 0}, []float32{1, 2})
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
	relations, err := sparse.NewRelations(s)
	if err != nil {
		t.Fatal(err)
	}
	batch := Batch{Count: 100, Out: 4, A: 4, B: 4}
	many := layout.Matrix[float32]{Data: make([]float32, 400), Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}
	others := layout.Matrix[float32]{Data: make([]float32, 400), Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}
	for name, call := range map[string]func(){
		"cpu.MatMulOpt":             func() { MatMulOpt(opt, out, f, b) },
		"cpu.MatMulOfOpt":           func() { MatMulOfOpt[int32](opt, i, w, w) },
		"cpu.MatMulOfOpt of NoWrap": func() { MatMulOfOpt[int32](wrap, i, w, w) },
		"cpu.MatMulOfOpt of bf16":   func() { MatMulOfOpt[float32](opt, out, h, h) },
		"cpu.MatMulOfOpt in Go":     func() { MatMulOfOpt[float64](opt, d, w, f) },
		"cpu.MatMulBatch":           func() { MatMulBatch(opt, batch, many, others, others) },
		"cpu.MatMulBatchOf":         func() { MatMulBatchOf[float32](opt, Batch{Count: 1}, out, h, h) },
		"cpu.MatMul24":              func() { MatMul24[int32](opt, i, pruned, w) },
		"cpu.MatMulTriangle":        func() { MatMulTriangle(Lower, out, f, b, opt) },
		"cpu.Symm":                  func() { Symm(Lower, out, f, b, opt) },
		"cpu.Syrk":                  func() { Syrk(Lower, out, f, opt) },
		"cpu.Syr2k":                 func() { Syr2k(Lower, out, f, b, opt) },
		"cpu.Trmm":                  func() { Trmm(Lower, f, b, opt) },
		"cpu.Trsm":                  func() { Trsm(Lower, f, b, opt) },
		"cpu.SpMMOpt":               func() { SpMMOpt(opt, out, s, b) },
		"cpu.SpMMOpt of a pattern":  func() { SpMMOpt(opt, out, s.Pattern(), b) },
		"cpu.SpMMOpt of blocks":     func() { SpMMOpt(opt, out, blocks, b) },
		"cpu.SpMMOpt of a sum":      func() { SpMMOpt(opt, out, sum, b) },
		"cpu.SpMMBlocks":            func() { SpMMBlocks(opt, out, blocks, b) },
		"cpu.SpMMOfOpt":             func() { SpMMOfOpt[float32](opt, out, s, h) },
		"cpu.SpMVOpt":               func() { SpMVOpt(opt, out.Data[:2], s, b.Data[:2]) },
		"cpu.MulPruned":             func() { MulPruned(opt, out, Prune(s), b) },
		"cpu.MulRelations":          func() { MulRelations(opt, out, relations, f, b) },
		"cpu.SDDMMInto":             func() { SDDMMInto(SDDMMOptions{Options: opt}, out.Data[:2], s, f, b) },
		"cpu.SDDMMPattern":          func() { SDDMMPattern(opt, s.Pattern(), f, b) },
	} {
		want := "Options.Scaling is ScaleComplex((1+0i), (0+1i)), and elements are real; want factors without imaginary parts"
		what, _, _ := strings.Cut(name, " ")
		func() {
			defer func() {
				if have, ok := recover().(run.OptionError); !ok || have != (run.OptionError{What: what, Why: want}) {
					t.Errorf("%s panics with %v", name, have)
				}
			}()
			call()
		}()
	}
}
