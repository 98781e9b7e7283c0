package simd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func shape(m, n, k int) gemm.Shape { return gemm.Shape{M: m, N: n, K: k} }

func lowerShape(t *testing.T, e emit.Elem, target emit.Target, s gemm.Shape) *Module {
	t.Helper()
	if e == emit.F32 {
		return lower(t, gemm.Spec[float32, float32, float32, float32]{Name: "S", Shape: s}, target)
	}
	return lower(t, gemm.Spec[float64, float64, float64, float64]{Name: "S", Shape: s}, target)
}

func functionOf(t *testing.T, m *Module, name string) *emit.Func {
	t.Helper()
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%v has no function %q", m.Shape, name)
	return nil
}

// far is number with a range so wide that two of them are hardly ever equal; sums of
// 100 products are exact in f32.
func far(seed, i, j int) float64 { return number(seed, i, j) + 11*number(seed+99, j, i) }

// fixedProducts runs a kernel of a fixed shape on count of them, with gaps between,
// and compares with a plain loop.
func fixedProducts(f *emit.Func, e emit.Elem, s gemm.Shape, count int) error {
	size := int64(e.Bytes())
	type operand struct {
		array
		step int64
	}
	batch := func(name string, rows, cols, gap int) operand {
		lead, step := 3*size, int64(rows*cols+gap)*size
		bytes := lead + int64(count-1)*step + int64(rows*cols)*size
		return operand{array{emit.NewMemory(name, emit.Generic, int(bytes)), e, lead, int64(cols) * size, size}, step}
	}
	a, b, c := batch("A", s.M, s.K, 1), batch("B", s.K, s.N, 2), batch("C", s.M, s.N, 5)
	at := func(o operand, p int) array { x := o.array; x.off += int64(p) * o.step; return x }
	for p := range count {
		at(a, p).fill(s.M, s.K, func(i, k int) float64 { return far(10+p, i, k) })
		at(b, p).fill(s.K, s.N, func(k, j int) float64 { return far(20+p, k, j) })
	}
	m := &emit.Machine{MaxSteps: 1_000_000}
	for name, w := range map[string]emit.Word{
		"a": emit.PtrTo(a.mem, a.off), "b": emit.PtrTo(b.mem, b.off), "c": emit.PtrTo(c.mem, c.off), "count": emit.IntWord(int64(count)),
		"stepa": emit.IntWord(a.step), "stepb": emit.IntWord(b.step), "stepc": emit.IntWord(c.step),
	} {
		m.Bind(name, w)
	}
	if err := m.Run(f); err != nil {
		return err
	}
	written := 0
	for p := range count {
		out := at(c, p)
		for i := range s.M {
			for j := range s.N {
				want := 0.0
				for k := range s.K {
					want += far(10+p, i, k) * far(20+p, k, j)
				}
				have, err := out.get(i, j)
				if err != nil {
					return fmt.Errorf("product %d, element (%d, %d): %w", p, i, j, err)
				}
				if have != want {
					return fmt.Errorf("product %d, element (%d, %d) is %g, want %g", p, i, j, have, want)
				}
			}
		}
	}
	for at := range int64(len(c.mem.Data)) {
		if c.mem.Undef[at/64]>>(at%64)&1 == 0 {
			written++
		}
	}
	if want := count * s.M * s.N * int(size); written != want {
		return fmt.Errorf("%d bytes of C were written, want %d", written, want)
	}
	return nil
}

var fixedShapes = []gemm.Shape{
	shape(1, 1, 1), shape(3, 5, 2), shape(5, 3, 3), shape(2, 2, 9), shape(8, 8, 8), shape(13, 13, 13), shape(2, 23, 5), shape(9, 40, 6), shape(6, 32, 10), shape(16, 16, 16), shape(3, 100, 41), shape(30, 7, 50), shape(1, 17, 100),
}

// Kernels of a fixed shape, as lowered and as the backend's passes leave them.
func TestFixed(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			for _, s := range fixedShapes[:level.Of(7, len(fixedShapes), len(fixedShapes))] {
				m := lowerShape(t, e, target, s)
				f := functionOf(t, m, m.Fixed)
				counts := []int{3, 1}
				for _, count := range counts[:level.Of(1, 1, 2)] {
					if err := fixedProducts(f, e, s, count); err != nil {
						t.Errorf("%s %v %v, %d products: %v", target.Name, e, s, count, err)
					}
				}
				if err := emit.Run(f, gemmtest.Backend(target).Passes(target), nil); err != nil {
					t.Fatal(err)
				}
				if err := fixedProducts(f, e, s, 2); err != nil {
					t.Errorf("%s %v %v after the passes: %v", target.Name, e, s, err)
				}
			}
		}
	}
}

// Every mutant of kernels of a fixed shape is caught: one with blocks of A, masks,
// loops of panels, tiles and k, and vectors that overlap.
func TestFixedMutants(t *testing.T) {
	skipShort(t)
	for _, c := range []struct {
		elem   emit.Elem
		target emit.Target
		shape  gemm.Shape
	}{
		{emit.F32, amd64.AVX2, shape(5, 8, 5)}, {emit.F64, amd64.AVX2, shape(2, 3, 2)}, {emit.F64, amd64.AVX512, shape(4, 11, 3)}, {emit.F64, amd64.AVX2, shape(12, 17, 31)}, {emit.F64, amd64.AVX2, shape(4, 48, 61)},
	} {
		m := lowerShape(t, c.elem, c.target, c.shape)
		run := func(f *emit.Func) error {
			if err := fixedProducts(f, c.elem, c.shape, 2); err != nil {
				return err
			}
			return fixedProducts(f, c.elem, c.shape, 1)
		}
		b := breed(functionOf(t, m, m.Fixed), m.VL)
		if err := run(b.Base); err != nil {
			t.Fatal(err)
		}
		caught, same := 0, 0
		for mu := range tried(b, 60) {
			switch {
			case mu.Func.Check() != nil || run(mu.Func) != nil:
				caught++
			case strings.HasSuffix(mu.What, "rotated"):
				same++ // all blocks of the register are equal
			default:
				t.Errorf("%s %v %v survives: %s", c.target.Name, c.elem, c.shape, mu.What)
			}
		}
		t.Logf("%s %v %v: mutants tried %d of %d, caught %d", c.target.Name, c.elem, c.shape, caught+same, b.Len(), caught)
		if caught < 45 {
			t.Errorf("%d mutants, want at least 45", caught)
		}
	}
}

// A shape leaves the kernels that it needs and no others.
func TestShapeFamily(t *testing.T) {
	for _, c := range []struct {
		target emit.Target
		shape  gemm.Shape
		want   []string // what is left of the names of functions without prefix, packing apart
	}{
		{amd64.AVX512, shape(6, 32, 10), []string{"6x32", "fixed"}},
		{amd64.AVX512, shape(4, 40, 0), []string{"4x48tail"}},
		{amd64.AVX2, shape(8, 8, 8), []string{"8x8", "fixed"}},
		{amd64.AVX2, shape(7, 20, 0), []string{"2x24tail", "3x24tail"}},
	} {
		m := lowerShape(t, emit.F32, c.target, c.shape)
		var have []string
		for _, f := range m.Funcs {
			if _, name, _ := strings.Cut(f.Name, "_"+c.target.Name+"_"); !strings.HasPrefix(name, "pack") {
				have = append(have, name)
			}
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s %v, tile %v (-want +have):\n%s", c.target.Name, c.shape, []int{m.MR, m.NV}, diff)
		}
	}
}

// A fixed k is a constant of micro-kernels, which then read no field for it, if it is
// summed in one go and no other kernels call them with part of it.
func TestShapeDepth(t *testing.T) {
	for _, c := range []struct {
		shape gemm.Shape
		reads bool
	}{
		{gemm.Shape{N: 24}, true}, {gemm.Shape{N: 24, K: 7}, false}, {gemm.Shape{N: 24, K: 100}, false}, {gemm.Shape{N: 24, K: tiling.KCMax}, false},
		{gemm.Shape{N: 24, K: tiling.KCMax + 1}, true}, {gemm.Shape{N: 1000, K: 100}, true}, {gemm.Shape{N: 16, K: 100}, true}, {gemm.Shape{M: 20, K: 100}, false},
	} {
		m := lowerShape(t, emit.F32, amd64.AVX2, c.shape)
		if open := m.Joins(); open != c.reads && c.shape.K <= tiling.KCMax {
			t.Errorf("%v: there are kernels for few rows: %v, want %v", c.shape, open, c.reads)
		}
		for _, tile := range m.Of(kernel.Panel) {
			if name := tile.F; name != "" {
				f := functionOf(t, m, name)
				if reads := strings.Contains(f.String(), `param {name="k"}`); reads != c.reads {
					t.Errorf("%s for %v reads k: %v, want %v", name, c.shape, reads, c.reads)
				}
				base := call{elem: emit.F32, vl: 8, mr: tile.MR, nv: tile.NV, n: 8, k: c.shape.K, tiles: 2, alpha: 1}
				if base.k > 100 {
					continue // takes the interpreter too long
				}
				if err := base.micro(f); err != nil {
					t.Errorf("%s for %v: %v", name, c.shape, err)
				}
			}
		}
	}
}

func TestShapeRefused(t *testing.T) {
	type f32 = gemm.Spec[float32, float32, float32, float32]
	for _, c := range []struct {
		shape gemm.Shape
		want  string
	}{
		{shape(8, -1, 8), "gemm: S: the shape 8 x -1 x 8 has a negative dimension; 0 leaves one to the run time"},
		{shape(1<<25, 0, 0), "gemm: S: the shape 33554432 x 0 x 0 has a dimension above 16777216; leave it to the run time"},
		{shape(1<<20, 1<<20, 1), "gemm: S: the shape 1048576 x 1048576 x 1 has a matrix of more than 268435456 elements; leave a dimension to the run time"},
	} {
		if _, err := Lower(f32{Name: "S", Shape: c.shape}.Describe(), amd64.AVX2, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
	// What takes too long for one call, needs a conversion or has an epilogue has no
	// kernel of a fixed shape.
	if m := lowerShape(t, emit.F32, amd64.AVX2, shape(1<<14, 1<<14, 1)); m.Fixed != "" {
		t.Errorf("a huge product has %s", m.Fixed)
	}
}
