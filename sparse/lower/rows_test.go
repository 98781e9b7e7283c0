package lower

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// check interprets every kernel of a family.
func (r Rows) check(t *testing.T, target emit.Target, step func(acc, v, b float64) float64) {
	t.Helper()
	elem, _, _ := r.Op.Types()
	fs, k, err := r.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	full, tail := k.Both(kernel.Panel)
	if r.Fetch {
		full, tail = k.Both(kernel.Fetch)
	}
	byName, listed := named(fs), map[string]bool{} // one that backs is in both lists
	for _, e := range slices.Concat(full, tail) {
		listed[e.F] = true
	}
	if len(full) != len(tail) || len(fs) != len(listed) {
		t.Fatalf("%d functions: %v, %v", len(fs), full, tail)
	}
	zero := 0.0
	if s, ok := r.Op.(gemm.Semiring); ok {
		zero = s.Zero
	}
	for i := range full {
		for _, masked := range []bool{false, true} {
			f := byName[full[i].F]
			if masked {
				f = byName[tail[i].F]
			}
			base := run{elem: elem, vl: k.VL, nv: i + 1, pattern: r.Pattern, step: step, zero: zero}
			for _, c := range runs(base, masked, r.Fetch) {
				if _, ok := r.Op.(gemm.Semiring); ok && c.mode != kernel.ModeStore {
					continue
				}
				if err := c.rowKernel(f); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
			}
		}
	}
}

func TestRows(t *testing.T) {
	at := 0
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for _, fetch := range []bool{false, true} {
				for _, pattern := range []bool{false, true} {
					if at++; level.Of(at%3 > 0, false, false) {
						continue
					}
					t.Run(target.Name+"/"+e.String(), func(t *testing.T) {
						Rows{Name: "rows", Op: NewSum(e), Vectors: 5, Fetch: fetch, Pattern: pattern}.check(t, target, nil)
					})
				}
			}
		}
	}
}

// TestLanes: a vector may have fewer lanes than a register, where a step computes with wider types.
func TestLanes(t *testing.T) {
	for _, target := range []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON} {
		Rows{Name: "rows", Op: NewSum(emit.F32), Vectors: 2, Lanes: target.Lanes(emit.F64)}.check(t, target, nil)
	}
}

// semirings are the stock ones that are not sums of products, over e.
func semirings(e emit.Elem) []gemm.Semiring {
	over := func(f32 semiring.Semiring[float32], f64 semiring.Semiring[float64]) gemm.Semiring {
		if e == emit.F32 {
			return gemm.Over(f32).(gemm.Semiring)
		}
		return gemm.Over(f64).(gemm.Semiring)
	}
	return []gemm.Semiring{
		over(semiring.MaxPlus[float32](), semiring.MaxPlus[float64]()),
		over(semiring.MinPlus[float32](), semiring.MinPlus[float64]()),
		over(semiring.MaxTimes[float32](), semiring.MaxTimes[float64]()),
		over(semiring.MinTimes[float32](), semiring.MinTimes[float64]()),
		over(semiring.MaxMin[float32](), semiring.MaxMin[float64]()),
		over(semiring.PlusMin[float32](), semiring.PlusMin[float64]()),
		over(semiring.OrAnd[float32](), semiring.OrAnd[float64]()),
	}
}

// goStep is a step by the Go functions of a semiring.
func goStep(s gemm.Semiring) func(acc, v, b float64) float64 {
	if plus, ok := s.Plus.(func(x, y float64) float64); ok {
		times := s.Times.(func(x, y float64) float64)
		return func(acc, v, b float64) float64 { return plus(acc, times(v, b)) }
	}
	plus, times := s.Plus.(func(x, y float32) float32), s.Times.(func(x, y float32) float32)
	return func(acc, v, b float64) float64 {
		return float64(plus(float32(acc), times(float32(v), float32(b))))
	}
}

// Operators other than sums of products go through the same loop, and through the
// backend unless a Go function stands in them.
func TestSemirings(t *testing.T) {
	at := 0
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for _, op := range semirings(e) {
				if at++; level.Of(at%5 > 0, false, false) {
					continue
				}
				r := Rows{Name: "rows", Op: op, Vectors: 3}
				r.check(t, target, goStep(op))
				r.Pattern = true
				if strings.HasSuffix(op.Name, "times") { // v is 1
					r.check(t, target, goStep(op))
				}
				if !op.Translates() {
					prints(t, target, r)
				}
			}
		}
	}
}

// prints runs the backend on the widest kernels.
func prints(t *testing.T, target emit.Target, r Rows) {
	t.Helper()
	fs, _, err := r.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fs {
		if err := emit.Run(f, gemmtest.Backend(target).Passes(target), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := gemmtest.Backend(target).Print(new(strings.Builder), target, "", fs); err != nil {
		t.Errorf("%v: %v", r.Op, err)
	}
}

// The mean of a row, and stores past the caches.
func TestRowModes(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			fs, k, err := Rows{Name: "rows", Op: NewSum(e), Vectors: 2, Fetch: true}.Lower(target)
			if err != nil {
				t.Fatal(err)
			}
			vl := target.Lanes(e)
			whole := named(fs)[k.Of(kernel.Fetch)[1].F]
			c := run{elem: e, vl: vl, nv: 2, n: vl, mode: kernel.ModeMean, alpha: 3, beta: math.NaN(), rows: [2]int{0, len(testRows)}}
			if err := c.rowKernel(whole); err != nil {
				t.Error(err)
			}
			if inst.Stream(emit.Vector(e, vl)) == nil {
				continue
			}
			c.mode, c.rows = kernel.ModeStream, [2]int{4, 5} // rows of the test begin anywhere, but for the first
			if err := c.rowKernel(whole); err != nil {
				t.Error(err)
			}
			c.rows = [2]int{4, 6}
			if err := c.rowKernel(whole); err == nil || !strings.Contains(err.Error(), "multiple of") {
				t.Errorf("a row that is not aligned: %v", err)
			}
		}
	}
}

func TestVec(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			f, err := Vec{Name: "vec", Elem: e}.Lower(target)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range runs(run{elem: e, vl: 1, nv: 1}, false, false) {
				if err := c.rowKernel(f); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	broken := semiring.MaxPlus[float32]()
	broken.Zero = 0
	if _, _, err := (Rows{Name: "rows", Op: gemm.Over(broken)}).Lower(amd64.AVX2); err == nil || !strings.Contains(err.Error(), "not neutral") {
		t.Errorf("a semiring that is none: %v", err)
	}
	if _, _, err := (Rows{Name: "rows", Op: mixedTypes{NewSum(emit.F32)}}).Lower(amd64.AVX2); err == nil || !strings.Contains(err.Error(), "has one type") {
		t.Errorf("operands of several types: %v", err)
	}
	if _, _, err := (Nest{Name: "nest", Op: NewSum(emit.F32)}).Lower(amd64.AVX2); err == nil || !strings.Contains(err.Error(), "0 axes") {
		t.Errorf("no axes: %v", err)
	}
}

type mixedTypes struct{ Operator }

func (mixedTypes) Types() (a, b, acc emit.Elem) { return emit.F32, emit.F64, emit.F32 }
