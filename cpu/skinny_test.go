package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Products with few rows or columns and a big operand, which have kernels of their
// own, against a plain loop on small integers: every width of the small side, the
// large one along rows and columns, ends that fill no tile, k of several blocks.
func TestSkinny(t *testing.T) {
	t.Run("f32", func(t *testing.T) { skinnyProducts[float32](t) })
	t.Run("f64", func(t *testing.T) { skinnyProducts[float64](t) })
}

func skinnyProducts[T dtype.Float](t *testing.T) {
	small := func(i, j, seed int) T {
		h := uint32(i)*0x85ebca6b ^ uint32(j)*0xc2b2ae35 ^ uint32(seed)*0x9e3779b1
		h = (h ^ h>>15) * 0x2c1b3c6d
		return T(int(h>>20)%9 - 4)
	}
	// fill returns a rows x cols matrix; by columns if byCols is set.
	fill := func(rows, cols, seed int, byCols bool) layout.Matrix[T] {
		m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: cols + 3, ColStride: 1}
		if byCols {
			m.RowStride, m.ColStride = 1, rows+5
		}
		m.Data = make([]T, (rows-1)*m.RowStride+(cols-1)*m.ColStride+1)
		for i := range m.Data {
			m.Data[i] = T(math.NaN()) // between rows, where nothing may be read
		}
		for i := range rows {
			for j := range cols {
				m.Data[i*m.RowStride+j*m.ColStride] = small(i, j, seed)
			}
		}
		return m
	}
	for s := 1; s <= 17; s++ {
		for i, c := range []struct{ long, k int }{{1061, 150}, {517, 1031}, {131, 4219}, {1, 150_001}} {
			if level.Of(i != s%4, (i+s)%2 == 1, false) {
				continue
			}
			var wants [2][]float64 // of both orientations; layouts change no value
			// Orientations and layouts by turns: each size has all in a few widths.
			for count := range level.Of(1, 1, 8) {
				way := (s + 3*i + 5*count) % 8
				m, n := s, c.long
				if way&1 != 0 {
					m, n = n, m
				}
				a, b := fill(m, c.k, 1, way&2 != 0), fill(c.k, n, 2, way&4 != 0)
				if wants[way&1] == nil {
					want := make([]float64, m*n)
					for i := range m {
						for k := range c.k {
							x := float64(a.Data[i*a.RowStride+k*a.ColStride])
							for j := range n {
								want[i*n+j] += x * float64(b.Data[k*b.RowStride+j*b.ColStride])
							}
						}
					}
					wants[way&1] = want
				}
				want := wants[way&1]
				for v, isa := range run.PlainISAs() {
					if isa == "go" {
						continue
					}
					opt := cpu.Options{ISA: isa, Threads: 1 + (s+way+v)%3}
					out := fill(m, n, 3, false)
					switch (s + i + way + v) % 3 {
					case 0: // what out holds is not read
						for x := range out.Data {
							out.Data[x] = T(math.NaN())
						}
					case 1:
						opt.Scaling = cpu.Scale(2, -3)
					case 2: // no row of out is contiguous
						opt.Scaling = cpu.Scale(-1, 1)
						wide := layout.New[T](2*m, 2*n)
						strided := layout.Matrix[T]{Data: wide.Data, Rows: m, Cols: n, RowStride: 4 * n, ColStride: 2}
						for i := range m {
							for j := range n {
								strided.Data[i*4*n+2*j] = small(i, j, 3)
							}
						}
						out = strided
					}
					name := fmt.Sprintf("%d x %d x %d, a %v, b %v, %+v", m, n, c.k, way&2 != 0, way&4 != 0, opt)
					cpu.MatMulOpt(opt, out, a, b)
					for i := range m {
						for j := range n {
							alpha, beta := opt.Scaling.Factors()
							x := alpha * want[i*n+j]
							if beta != 0 {
								x += beta * float64(small(i, j, 3))
							}
							if have := float64(out.Data[i*out.RowStride+j*out.ColStride]); have != x {
								t.Fatalf("%s: out[%d,%d] = %v, want %v", name, i, j, have, x)
							}
						}
					}
				}
			}
		}
	}
}
