package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestSmallColumns: a small product has the same bits whether b lies by rows, is read by
// columns, or is copied, and writes nothing beside its result. Kernels that read columns
// take whole vectors of columns and of k, so b ends where its slice does.
func TestSmallColumns(t *testing.T) {
	for _, isa := range cpu.SomeISAs() {
		t.Run("f32/"+isa, func(t *testing.T) { smallColumns[float32](t, isa) })
		t.Run("f64/"+isa, func(t *testing.T) { smallColumns[float64](t, isa) })
	}
}

func smallColumns[T dtype.Float](t *testing.T, isa string) {
	r := rand.New(level.PCG(1, 2))
	random := func(rows, cols, gap int) layout.Matrix[T] {
		x := layout.Matrix[T]{Data: make([]T, rows*(cols+gap)-gap), Rows: rows, Cols: cols, RowStride: cols + gap, ColStride: 1}
		for i := range x.Data {
			x.Data[i] = T(r.Float64() - 0.5)
		}
		return x
	}
	copied := func(x layout.Matrix[T]) layout.Matrix[T] {
		c := layout.New[T](x.Rows, x.Cols)
		for i := range x.Rows {
			for j := range x.Cols {
				c.Set(i, j, x.At(i, j))
			}
		}
		return c
	}
	options := []cpu.Options{{}, {Scaling: cpu.Scale(3, 0)}, {Scaling: cpu.Scale(0.5, -2)}}
	at := 0
	for _, m := range []int{1, 7, 8, 9, 15, 16, 17, 18, 24, 25, 27, 32, 33, 36, 48, 53, 54, 55} {
		for _, n := range []int{8, 16, 17, 24, 32, 48, 64} {
			for _, k := range []int{8, 15, 16, 32, 40} {
				at++
				opt := options[at%len(options)]
				opt.ISA, opt.Threads = isa, 1
				a, b := random(m, k, at%3), random(n, k, at%2*5).T()
				if at%4 < 2 {
					a = random(k, m, at%3).T()
				}
				want := random(m, n, 3)
				have := want
				have.Data = append([]T(nil), want.Data...)
				cpu.MatMulOpt(opt, want, a, copied(b))
				cpu.MatMulOpt(opt, have, a, b)
				for i := range have.Data {
					if math.Float64bits(float64(have.Data[i])) != math.Float64bits(float64(want.Data[i])) {
						t.Fatalf("%s: element %d is %v with columns of b, %v with rows", fmt.Sprint(m, "x", n, "x", k), i, have.Data[i], want.Data[i])
					}
				}
			}
		}
	}
}
