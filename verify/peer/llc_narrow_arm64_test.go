package peer_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	cpurun "github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// TestLLCNarrow compares llc's code with ours where instructions multiply narrow elements. Of
// these package llvm has rows for arm64 only.
func TestLLCNarrow(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("compiles kernels with another compiler")
	}
	testLLCNarrow[dtype.BF16, dtype.BF16](t, gemmbf16.BF16Set())
	testLLCNarrow[int8, int8](t, gemmi8.I8Set())
	testLLCNarrow[uint8, uint8](t, gemmi8.U8Set())
	testLLCNarrow[uint8, int8](t, gemmi8.U8I8Set())
	testLLCNarrow[int8, uint8](t, gemmi8.I8U8Set())
}

func testLLCNarrow[A, B dtype.Elem, Acc int32 | float32](t *testing.T, ours *dense.Set[Acc]) {
	a, b := dtype.Of[A](), dtype.Of[B]()
	d := gemm.Spec[A, B, Acc, Acc]{Name: "Narrow"}.Describe()
	for _, target := range gemm.TargetsFor(a, b, dtype.Of[Acc]()) {
		if target.Arch == "arm64" && target.Name != arm64.NEON.Name {
			t.Run("isa="+target.Name+"/type="+a.String()+"x"+b.String(), func(t *testing.T) { compareNarrow[A, B](t, target, d, ours) })
		}
	}
}

func compareNarrow[A, B dtype.Elem, Acc int32 | float32](t *testing.T, target emit.Target, d gemm.Description, ours *dense.Set[Acc]) {
	m, err := simd.Lower(d, target, simd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := llctest.Compile(t, target, m.Funcs)
	set := dense.Set[Acc]{Name: "llc", A: ours.A, B: ours.B, Variants: []*kernel.Kernels{llctest.Kernels(o, m)}}
	r := rand.New(level.PCG(7, 8))
	shapes, scales := 0, 4
	if dtype.Of[Acc]() == dtype.I32 {
		scales = 2 // sums of integers are stored or added
	}
	compare := func(rows, cols, k int, tr string) {
		kind := llctest.Kinds[shapes%len(llctest.Kinds)]
		scale := [][2]float64{{1, 0}, {1, 1}, {2, 0}, {-3, 2}}[shapes%scales]
		shapes++
		x, y := layout.RowMajor(llctest.Fill[A](r, kind.Some, rows*k), rows, k), layout.RowMajor(llctest.Fill[B](r, kind.Some, k*cols), k, cols)
		if tr[0] == 'T' {
			x = layout.RowMajor(x.Data, k, rows).T()
		}
		if tr[1] == 'T' {
			y = layout.RowMajor(y.Data, cols, k).T()
		}
		want := layout.RowMajor(llctest.Fill[Acc](r, llctest.Kinds[0].Some, rows*cols), rows, cols)
		have := layout.RowMajor(slices.Clone(want.Data), rows, cols)
		opt := cpurun.Options{ISA: target.Name, Threads: 1, Scaling: cpurun.Scale(scale[0], scale[1])}
		dense.Gemm(dense.Call[Acc]{Set: ours, Name: "ours"}, &opt, &want, &x, &y)
		dense.Gemm(dense.Call[Acc]{Set: &set, Name: "llc"}, &opt, &have, &x, &y)
		if i := llctest.Differs(wide(have.Data), wide(want.Data)); i >= 0 {
			t.Fatalf("m=%d n=%d k=%d %s, alpha and beta %v, %s numbers: element %d is %v by llc, %v by our assembly",
				rows, cols, k, tr, scale, kind.Name, i, have.Data[i], want.Data[i])
		}
	}
	for mr := 1; mr <= m.MR; mr++ {
		for n := 1; n <= m.NV*m.VL; n++ {
			compare(mr, n, 1+r.IntN(70), "NN")
		}
	}
	for _, tr := range []string{"NN", "NT", "TN", "TT"} { // packing
		for panels := range 2 * m.NV {
			compare(3*m.MR+1, (5+panels)*m.VL-panels%2, 65+panels, tr)
			compare(130, (1+panels)*m.VL, 64, tr)
		}
		compare(20, m.VL+3, 1500, tr)
		compare(1, 40, 90, tr)
		compare(40, 1, 90, tr)
	}
	for rows := 1; rows <= m.MR; rows++ { // a few rows or columns of operands beyond the caches
		compare(rows, 4100+rows, 32, "NN")
		compare(4100+rows, rows, 32, "NT")
		compare(rows, 611, 1035, "NT")
	}
	if names := o.Missing(); len(names) > 0 {
		t.Errorf("%d of %d kernels were not called: %v", len(names), len(m.Funcs), names)
	}
	t.Logf("%d kernels agree, bit for bit, on %d products", len(m.Funcs), shapes)
}

// wide are the same numbers as float64.
func wide[T int32 | float32](x []T) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
