package dense

import (
	"errors"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestPlanFor: a plan for shapes is the plan for matrices, and covers the product.
func TestPlanFor(t *testing.T) {
	kern := tiling.Outline("avx512", 4)
	sides := level.Of([]int{1, 17, 2048}, []int{1, 2, 16, 17, 100, 2048}, []int{1, 2, 8, 16, 17, 48, 100, 500, 2048})
	for _, m := range sides {
		for _, n := range sides {
			for _, k := range sides {
				for op := range 4 {
					ta, tb := op&1 != 0, op&2 != 0
					opt := run.Options{Threads: 1 + op}
					q := (&Planned{Kernels: kern, A: dtype.F32, B: dtype.F32, Acc: dtype.F32, M: m, N: n, K: k, TransA: ta, TransB: tb}).Plan(machine.This(), opt)
					if q.M != m || q.N != n || q.K != k || q.Size != 4 || q.VL != 16 || q.ISA != "avx512" || q.KC < 1 || q.KC > k {
						t.Fatalf("%d x %d x %d: %+v", m, n, k, q)
					}
					total := func(c tiling.Cuts) int { return c.Count*(c.Size-1) + c.Tall }
					small, vecs := m, total(q.Vecs)
					switch {
					case q.Loop == tiling.TileLoop:
						if vecs != mem.Ceil(n, 16) || q.TilesPerBlock < 1 || q.PanelsAtOnce < 1 {
							t.Errorf("%d x %d x %d: %d vectors: %+v", m, n, k, vecs, q)
						}
					case q.Columns:
						small = n
						fallthrough
					default:
						if q.Long != m+n-small || q.Tile < 1 || q.Chunk < 1 {
							t.Errorf("%d x %d x %d: %+v", m, n, k, q)
						}
					}
					if total(q.Rows) != small {
						t.Errorf("%d x %d x %d: the tiles have %d rows: %+v", m, n, k, total(q.Rows), q)
					}
					if x := q.Predict(machine.Reference("avx512")); !(x.Share() > 0 && x.Share() <= 1) {
						t.Errorf("%d x %d x %d: %+v of %+v", m, n, k, x, q)
					}
					if m*k > 1<<20 || k*n > 1<<20 {
						continue
					}
					a, b := layout.New[float32](m, k), layout.New[float32](k, n)
					if ta {
						a = layout.New[float32](k, m).T()
					}
					if tb {
						b = layout.New[float32](n, k).T()
					}
					if r := planOf(kern, opt, layout.New[float32](m, n), a, b); r != q {
						t.Fatalf("%d x %d x %d, %v %v:\n%+v for matrices,\n%+v for shapes", m, n, k, ta, tb, r, q)
					}
				}
			}
		}
	}
}

// TestPlanOf: what a plan says of operands, and of a result by columns.
func TestPlanOf(t *testing.T) {
	kern := tiling.Outline("avx2", 8)
	s := &Set[float64]{Name: "test", Variants: []*kernel.Kernels{}}
	a, b, out := layout.New[float64](30, 40), layout.New[float64](40, 50), layout.New[float64](30, 50)
	if q := planOf(kern, run.Options{}, out.T(), b.T(), a.T()); q.M != 30 || q.N != 50 || q.A != tiling.ByRows || q.C != tiling.ByRows {
		t.Errorf("a result by columns: %+v, want the product of the transposes", q)
	}
	strided := layout.New[float64](60, 80)
	strided.Rows, strided.Cols, strided.RowStride, strided.ColStride = 30, 40, 160, 2
	q := planOf(kern, run.Options{Scaling: run.Scale(1, 2)}, out, strided, b.T().T())
	if q.A != tiling.Strided || q.StrideA != 160*8 || q.B != tiling.ByRows || q.StrideB != 50*8 || !q.Update {
		t.Errorf("%+v", q)
	}
	if q := s.Plan(run.Options{ISA: run.Portable}, out, a, b); q.Loop != tiling.GoLoop || q.ISA != run.Portable {
		t.Errorf("without assembly: %+v", q)
	}
	narrow := Planned{Kernels: tiling.Outline("avx512", 4), A: dtype.TypeBF16, B: dtype.TypeBF16, Acc: dtype.F32, M: 500, N: 500, K: 3000, Fused: true, Out: 2}
	fused := narrow.Plan(machine.Reference("avx512"), run.Options{Threads: 1})
	if !fused.Fused || !fused.PackA || !fused.PackB || fused.SizeA != 2 || fused.Size != 4 || fused.SizeC != 2 || fused.Slab != 3000 {
		t.Errorf("bfloat16 operands: %+v", fused)
	}
	for _, f := range []func(){
		func() {
			(&Planned{Kernels: kern, A: dtype.F64, B: dtype.F64, Acc: dtype.F64, N: 1, K: 1}).Plan(machine.This(), run.Options{})
		},
		func() {
			(&Planned{Kernels: kern, A: dtype.F64, B: dtype.F64, Acc: dtype.F64, Fused: true, Out: 8, M: 1, N: 1, K: -1}).Plan(machine.This(), run.Options{})
		},
		func() { s.Plan(run.Options{}, out, b, a) },
	} {
		func() {
			defer func() {
				var e layout.ShapeError
				if err, ok := recover().(error); !ok || !errors.As(err, &e) {
					t.Errorf("%v, want a layout.ShapeError", err)
				}
			}()
			f()
		}()
	}
}

// planOf is the plan of a product by kern.
func planOf[T dtype.Float](kern *kernel.Kernels, opt run.Options, out, a, b layout.Matrix[T]) tiling.Plan {
	s := &Set[T]{Name: "test", Variants: []*kernel.Kernels{kern}}
	s.choice.Force(1)
	return s.Plan(opt, out, a, b)
}
