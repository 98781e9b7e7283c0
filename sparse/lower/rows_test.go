package lower

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// check interprets every kernel of a family.
func (r Rows) check(t *testing.T, target emit.Target, step func(acc, v, b float64) float64) {
	t.Helper()
	elem, _, _ := r.Op.Types()
	fs, full, tail, err := r.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	if len(full) != len(tail) || len(fs) != 2*len(full) {
		t.Fatalf("%d functions: %v, %v", len(fs), full, tail)
	}
	byName := map[string]*emit.Func{}
	for _, f := range fs {
		byName[f.Name] = f
	}
	zero := 0.0
	if s, ok := r.Op.(Semiring); ok {
		zero = s.Zero
	}
	for i := range full {
		for _, masked := range []bool{false, true} {
			f := byName[full[i]]
			if masked {
				f = byName[tail[i]]
			}
			base := run{elem: elem, vl: target.Lanes(elem), nv: i + 1, pattern: r.Pattern, step: step, zero: zero}
			for _, c := range runs(base, masked, r.Fetch) {
				if _, ok := r.Op.(Semiring); ok && c.mode != kernel.ModeStore {
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
	for _, target := range gemm.CPUTargets() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for _, fetch := range []bool{false, true} {
				for _, pattern := range []bool{false, true} {
					t.Run(target.Name+"/"+e.String(), func(t *testing.T) {
						Rows{Name: "rows", Op: NewSum(e), Vectors: 5, Fetch: fetch, Pattern: pattern}.check(t, target, nil)
					})
				}
			}
		}
	}
}

// Operators other than sums of products go through the same loop, and through the
// backend.
func TestSemirings(t *testing.T) {
	for _, target := range gemm.CPUTargets() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for _, c := range []struct {
				op   Semiring
				step func(acc, v, b float64) float64
			}{
				{MaxTimes(e), func(acc, v, b float64) float64 { return max(acc, v*b) }},
				{MinTimes(e), func(acc, v, b float64) float64 { return min(acc, v*b) }},
				{MaxPlus(e), func(acc, v, b float64) float64 { return max(acc, v+b) }},
				{MinPlus(e), func(acc, v, b float64) float64 { return min(acc, v+b) }},
			} {
				r := Rows{Name: "rows", Op: c.op, Vectors: 3}
				r.check(t, target, c.step)
				r.Pattern = true
				if strings.HasSuffix(c.op.Name, "times") { // v is 1
					r.check(t, target, c.step)
				}
				prints(t, target, r)
			}
		}
	}
}

// prints runs the backend on the widest kernels.
func prints(t *testing.T, target emit.Target, r Rows) {
	t.Helper()
	fs, _, _, err := r.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fs {
		if err := emit.Run(f, amd64.Backend{}.Passes(target), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := (amd64.Backend{}).Print(new(strings.Builder), target, "", fs); err != nil {
		t.Errorf("%v: %v", r.Op, err)
	}
}

// The mean of a row, and stores past the caches.
func TestRowModes(t *testing.T) {
	for _, target := range gemm.CPUTargets() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			fs, _, _, err := Rows{Name: "rows", Op: NewSum(e), Vectors: 2, Fetch: true}.Lower(target)
			if err != nil {
				t.Fatal(err)
			}
			vl := target.Lanes(e)
			c := run{elem: e, vl: vl, nv: 2, n: vl, mode: kernel.ModeMean, alpha: 3, beta: math.NaN(), rows: [2]int{0, len(testRows)}}
			if err := c.rowKernel(fs[2]); err != nil {
				t.Error(err)
			}
			c.mode, c.rows = kernel.ModeStream, [2]int{4, 5} // rows of the test begin anywhere, but for the first
			if err := c.rowKernel(fs[2]); err != nil {
				t.Error(err)
			}
			c.rows = [2]int{4, 6}
			if err := c.rowKernel(fs[2]); err == nil || !strings.Contains(err.Error(), "multiple of") {
				t.Errorf("a row that is not aligned: %v", err)
			}
		}
	}
}

func TestVec(t *testing.T) {
	for _, target := range gemm.CPUTargets() {
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
	mixed := Semiring{Name: "x", Elem: emit.I32}
	if _, _, _, err := (Rows{Name: "rows", Op: mixedTypes{mixed}}).Lower(amd64.AVX2); err == nil || !strings.Contains(err.Error(), "has one type") {
		t.Errorf("operands of several types: %v", err)
	}
	if _, _, _, err := (Nest{Name: "nest", Op: NewSum(emit.F32)}).Lower(amd64.AVX2); err == nil || !strings.Contains(err.Error(), "0 axes") {
		t.Errorf("no axes: %v", err)
	}
}

type mixedTypes struct{ Semiring }

func (mixedTypes) Types() (a, b, acc emit.Elem) { return emit.F32, emit.F64, emit.F32 }
