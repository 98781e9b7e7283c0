package simd

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// plainRow is what a kernel does with one row, element by element: it may change a and y, and returns what is
// added to the row's sum.
type plainRow func(a, x, y *float64, s, t float64) float64

// plainRows are all kernels by the names of the table.
var plainRows = map[string]plainRow{
	"Dot":   func(a, x, y *float64, s, t float64) float64 { return *a * *y },
	"DotW":  func(a, x, y *float64, s, t float64) float64 { return *a * *y },
	"Axpy":  func(a, x, y *float64, s, t float64) float64 { *y += s * *a; return 0 },
	"Scal":  func(a, x, y *float64, s, t float64) float64 { *a *= s; return 0 },
	"Swap":  func(a, x, y *float64, s, t float64) float64 { *a, *y = *y, *a; return 0 },
	"Rot":   func(a, x, y *float64, s, t float64) float64 { *a, *y = s**a+t**y, s**y-t**a; return 0 },
	"Asum":  func(a, x, y *float64, s, t float64) float64 { return math.Abs(*a) },
	"SumSq": func(a, x, y *float64, s, t float64) float64 { return *a * *a },
	"Amax":  func(a, x, y *float64, s, t float64) float64 { return math.Abs(*a) },
	"Gemv":  func(a, x, y *float64, s, t float64) float64 { return *a * *x },
	"GemvT": func(a, x, y *float64, s, t float64) float64 { *y += s * *a; return 0 },
	"Ger":   func(a, x, y *float64, s, t float64) float64 { *a += s * *x; return 0 },
	"Symv":  func(a, x, y *float64, s, t float64) float64 { *y += s * *a; return *a * *x },
	"Syr2":  func(a, x, y *float64, s, t float64) float64 { *a += s**x + t**y; return 0 },
}

// vectorKernels are the kernels of a target by the names of the table.
func vectorKernels(t *testing.T, target emit.Target, e emit.Elem) map[string]*emit.Func {
	t.Helper()
	fs, k, err := Vectors{Elem: e}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*emit.Func{}
	for _, f := range fs {
		byName[f.Name] = f
	}
	all := map[string]*emit.Func{}
	for _, e := range k.Entries {
		all[e.Op] = byName[e.F]
	}
	return all
}

// checkVector interprets a kernel for rows of n elements, in integers, in memory that ends where they do. The greatest
// element for Amax is at most.
func checkVector[T dtype.Float](name string, f *emit.Func, n, tiles, most int) error {
	rows, lda := 1, n+3
	if strings.Contains("Gemv GemvT Ger Symv Syr2", name) {
		rows = kernel.VectorRows * tiles
	}
	wide := name == "DotW" || name == "SumSq"
	e, err := emit.ElemOf(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	vector := func(n, from int) (x []T) {
		for i := range n {
			x = append(x, T((i*5+from)%11-5))
		}
		return x
	}
	a, x, y, s, t := vector((rows-1)*lda+n, 1), vector(n, 2), vector(n, 3), vector(rows, 4), vector(rows, 7)
	if name == "Amax" && n > 2 { // NaNs are passed over; one of them is in front
		a[0], a[n/2], a[most%n] = T(math.NaN()), T(math.NaN()), -7
	}
	floats := func(x []T) (f []float64) {
		for _, v := range x {
			f = append(f, float64(v))
		}
		return f
	}
	wantA, wantX, wantY := floats(a), floats(x), floats(y)
	wantSums := make([]float64, rows)
	for r := range rows {
		for i := range n {
			v := plainRows[name](&wantA[r*lda+i], &wantX[i], &wantY[i], float64(s[r]), float64(t[r]))
			switch {
			case name == "Amax" && v == v:
				wantSums[r] = max(wantSums[r], v)
			case name != "Amax":
				wantSums[r] += v
			}
		}
	}
	mem := func(name string, x []T) *emit.Memory { return emit.MemoryOf(name, emit.Generic, x) }
	ma, mx, my, ms, mt := mem("A", a), mem("X", x), mem("Y", y), mem("S", s), mem("T", t)
	oe := e
	if wide {
		oe = emit.F64
	}
	out := &emit.Memory{Name: "Out", Data: make([]byte, rows*oe.Bytes()+kernel.OutSlack)}
	m := &emit.Machine{MaxSteps: 300_000}
	for field, w := range map[string]emit.Word{
		"a": emit.PtrTo(ma, 0), "x": emit.PtrTo(mx, 0), "y": emit.PtrTo(my, 0), "s": emit.PtrTo(ms, 0), "t": emit.PtrTo(mt, 0), "out": emit.PtrTo(out, 0),
		"lda": emit.IntWord(int64(lda * e.Bytes())), "n": emit.IntWord(int64(n)), "tiles": emit.IntWord(int64(tiles)),
	} {
		m.Bind(field, w)
	}
	if err := m.Run(f); err != nil {
		return err
	}
	for _, o := range []struct {
		m    *emit.Memory
		have []T
		want []float64
	}{{ma, a, wantA}, {mx, x, wantX}, {my, y, wantY}} {
		o.m.Decode(o.have)
		for i, w := range o.want {
			if h := float64(o.have[i]); h != w && w == w {
				return fmt.Errorf("n=%d, %d tiles: %s[%d] is %v, want %v", n, tiles, o.m.Name, i, h, w)
			}
		}
	}
	for r, w := range wantSums {
		if !sums(name) {
			break
		}
		var bits uint64
		for b := range oe.Bytes() {
			bits |= uint64(out.Data[r*oe.Bytes()+b]) << (8 * b)
		}
		if h := oe.Decode(bits); h != w {
			return fmt.Errorf("n=%d, %d tiles: sum %d is %v, want %v", n, tiles, r, h, w)
		}
	}
	return nil
}

func sums(name string) bool {
	return strings.Contains("Dot DotW Asum SumSq Amax Gemv Symv", name)
}

// vectorSizes reach every loop of a kernel, and each part of the rest.
func vectorSizes(vl int) []int {
	return []int{0, 1, 2, 3, vl - 1, vl, vl + 1, 2*vl - 1, 4*vl + 2, 8*vl + vl/2, 17*vl + 3, 24*vl - 1}
}

func checkVectors(name string, f *emit.Func, e emit.Elem, vl int) error {
	for i, n := range vectorSizes(vl) {
		var err error
		if tiles := 1 + i%3; e == emit.F32 {
			err = checkVector[float32](name, f, n, tiles, n-1)
		} else {
			err = checkVector[float64](name, f, n, tiles, n-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestVectors interprets every kernel of every target.
func TestVectors(t *testing.T) {
	for _, target := range gemm.CPUTargets() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for name, f := range vectorKernels(t, target, e) {
				if err := checkVectors(name, f, e, target.Lanes(e)); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
				for most := range 11 * target.Lanes(e) {
					if name != "Amax" {
						break
					}
					if err := checkVector[float64](name, f, 11*target.Lanes(e), 1, most); e == emit.F64 && err != nil {
						t.Errorf("%s, greatest at %d: %v", f.Name, most, err)
					}
				}
			}
		}
	}
}

// sameSum is what leaves a sum of products as it is, where it is exact: x and y change places, sums do before
// they are joined, and lanes of them.
var sameSum = regexp.MustCompile(`values \d+ and \d+ trade places|two lanes exchanged|rotated$`)

// TestVectorMutants: mistakes in the loop that all passes have, and in their steps, are seen. What survives is the same
// for every n: loops whose bound is a multiple of their step begin one later or end one sooner, what is left
// is masked twice, rows but the last are read beyond their end where the vector beside them is not.
func TestVectorMutants(t *testing.T) {
	skipShort(t)
	total, caught, made := 0, 0, 0
	for _, some := range []struct {
		target emit.Target
		e      emit.Elem
		names  []string
	}{
		{amd64.AVX512, emit.F64, []string{"Dot", "Symv"}},
		{amd64.AVX2, emit.F32, []string{"Axpy", "GemvT"}},
	} {
		fs := vectorKernels(t, some.target, some.e)
		for _, name := range some.names {
			vl := some.target.Lanes(some.e)
			b := breed(fs[name], vl)
			made += b.Len()
			for m := range tried(b, 40) {
				if name == "Dot" && sameSum.MatchString(m.What) {
					continue
				}
				if total++; m.Func.Check() != nil || checkVectors(name, m.Func, some.e, vl) != nil {
					caught++
				} else {
					t.Logf("%s survives: %s", fs[name].Name, m.What)
				}
			}
		}
	}
	if t.Logf("mutants tried %d of %d, caught %d", total, made, caught); caught*100 < total*95 || total < 100 {
		t.Errorf("%d of %d mutants caught, want 95 %% and more than 100", caught, total)
	}
}
