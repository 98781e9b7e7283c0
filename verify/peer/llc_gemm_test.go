package peer_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	cpurun "github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// TestLLCGemm compares llc's code for every kernel of the dense products with ours.
func TestLLCGemm(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("compiles kernels with another compiler")
	}
	for i, target := range llctest.Targets() {
		t.Run("isa="+target.Name+"/type=f32", func(t *testing.T) {
			if level.Of(true, i > 0, false) {
				t.Skip("long: each type on each set of instructions")
			}
			testLLCGemm(t, target, gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM"}.Describe(), gemmf.SGEMMOpt, gemmf.SGEMMSet())
		})
		t.Run("isa="+target.Name+"/type=f64", func(t *testing.T) {
			if level.Of(true, i == 0, false) {
				t.Skip("long: each type on each set of instructions")
			}
			testLLCGemm(t, target, gemm.Spec[float64, float64, float64, float64]{Name: "DGEMM"}.Describe(), gemmf.DGEMMOpt, gemmf.DGEMMSet())
		})
	}
}

func testLLCGemm[T dtype.Float](t *testing.T, target emit.Target, d gemm.Description,
	native func(opt cpurun.Options, out, a, b layout.Matrix[T]), ours *dense.Set[T]) {
	m, err := simd.Lower(d, target, simd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := llctest.Compile(t, target, m.Funcs)
	set := dense.Set[T]{Name: "llc", Variants: []*kernel.Kernels{llctest.Kernels(o, m)}}
	r := rand.New(level.PCG(1, uint64(target.Bits)))
	shapes := 0
	const packed = 68 // deeper products have b packed beforehand, where it would be read in place
	compare := func(rows, cols, k int, tr string, alpha, beta float64, kind int) {
		shapes++
		some := llctest.Kinds[kind].Some
		matrix := func(m, n int, t bool) layout.Matrix[T] {
			if t {
				return layout.RowMajor(llctest.Fill[T](r, some, m*n), n, m).T()
			}
			return layout.RowMajor(llctest.Fill[T](r, some, m*n), m, n)
		}
		a, b, want := matrix(rows, k, tr[0] == 'T'), matrix(k, cols, tr[1] == 'T'), matrix(rows, cols, false)
		have := layout.RowMajor(slices.Clone(want.Data), rows, cols)
		opt := cpurun.Options{ISA: target.Name, Threads: 1, Scaling: cpurun.Scale(alpha, beta)}
		native(opt, want, a, b)
		if tr == "NN" && k > packed { // which has the same bits
			opt.B = dense.Pack(&set, nil, cpurun.Options{ISA: opt.ISA}, b)
		}
		set.Gemm(opt, have, a, b)
		if i := llctest.Differs(have.Data, want.Data); i >= 0 {
			t.Fatalf("m=%d n=%d k=%d %s alpha=%v beta=%v, %s numbers: element (%d, %d) is %v by llc, %v by our assembly",
				rows, cols, k, tr, alpha, beta, llctest.Kinds[kind].Name, i/cols, i%cols, have.Data[i], want.Data[i])
		}
	}
	scales := [][2]float64{{1, 0}, {-1.5, 0}, {1, 1}, {.5, -3}}
	for mr := 1; mr <= m.MR; mr++ {
		for nv := 1; nv <= m.NV; nv++ {
			half := m.VL / 2 // up to which there may be kernels of their own for what is left of a row
			for _, n := range []int{nv * m.VL, nv*m.VL - 1 - r.IntN(max(half-1+m.VL%2, 1)), nv*m.VL - half - r.IntN(half)} {
				for i, s := range scales {
					compare(mr, n, 1+r.IntN(40), "NN", s[0], s[1], (mr+nv+i)%len(llctest.Kinds))
				}
			}
		}
	}
	for _, tr := range []string{"NN", "NT", "TN", "TT"} { // packing
		for kind := range llctest.Kinds {
			compare(3*m.MR+1, 7*m.VL*m.NV+5, 65, tr, 1, 0, kind)
			compare(200, 64+m.VL, 64+r.IntN(9), tr, 2, 1, kind)
		}
		compare(20, m.VL+3, 1500, tr, 1, 0, 0) // two blocks of k
	}
	for i, s := range scales { // columns of b shuffled as they are read
		compare(m.MR-i%2, 2*m.VL, m.VL*(1+i), "NT", s[0], s[1], i%len(llctest.Kinds))
	}
	for i := range 2 * m.NV { // panels of every width
		compare(130, (i+1)*m.VL-i%2, 70, "TT", 1, 0, 0)
		compare(130, (i+1)*m.VL-i%2, 70, "NN", 1, 0, 0)
	}
	for small := range 16 { // a few rows or columns, and an operand beyond the caches
		compare(small+1, 4100+small, 32, "NN", 1, 0, small%len(llctest.Kinds))
		compare(4100+small, small+1, 32, "TN", 1, 0, 0)
		compare(small+1, 611, 135, "NT", 1, 1, 0)
		compare(611, small+1, 135, "NT", -1, 0, small%len(llctest.Kinds))
	}
	for nv := 1; nv <= m.NV; nv++ { // triangles, of whole tiles and of others
		for i, rows := range []int{2 * m.MR, 3*m.MR + 2} {
			tri := []dense.Triangle{dense.Lower, dense.Upper}[(i+nv)%2]
			a := layout.RowMajor(llctest.Fill[T](r, llctest.Kinds[0].Some, rows*rows), rows, rows)
			for d := range rows {
				a.Set(d, d, T(rows))
			}
			b := llctest.Fill[T](r, llctest.Kinds[0].Some, rows*(nv*m.VL-i))
			for _, f := range []func(s *dense.Set[T], opt cpurun.Options, t dense.Triangle, a, b layout.Matrix[T]){(*dense.Set[T]).MulTriangular, (*dense.Set[T]).SolveTriangular} {
				shapes++
				opt := cpurun.Options{ISA: target.Name, Threads: 1}
				want, have := layout.RowMajor(slices.Clone(b), rows, nv*m.VL-i), layout.RowMajor(slices.Clone(b), rows, nv*m.VL-i)
				f(ours, opt, tri, a, want)
				f(&set, opt, tri, a, have)
				if at := llctest.Differs(have.Data, want.Data); at >= 0 {
					t.Fatalf("%v of %d rows, %d columns: element %d is %v by llc, %v by our assembly", tri, rows, want.Cols, at, have.Data[at], want.Data[at])
				}
			}
		}
	}
	if names := o.Missing(); len(names) > 0 {
		t.Errorf("%d of %d kernels were not called: %v", len(names), len(m.Funcs), names)
	}
	t.Logf("%d kernels agree, bit for bit, on %d products", len(m.Funcs), shapes)
}
