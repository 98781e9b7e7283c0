package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
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
	// What does not depend on s, the width of the small side, is made once: large operands, and the products of the
	// widest small ones, whose first rows or columns are those of narrower ones.
	const widest = 17
	type operand struct {
		i     int
		right bool
		byCol bool
	}
	large := map[operand]layout.Matrix[T]{}
	wants := map[operand][]float64{}
	for s := 1; s <= widest; s += level.Of(3, 1, 1) {
		for i, c := range []struct{ long, k int }{{1061, 150}, {517, 1031}, {131, 4219}, {1, 150_001}} {
			if level.Of(i != s%4, (i+s)%2 == 1, false) {
				continue
			}
			// Orientations and layouts by turns: each size has all in a few widths.
			for count := range level.Of(1, 1, 8) {
				way := (s + 3*i + 5*count) % 8
				m, n := s, c.long
				if way&1 != 0 {
					m, n = n, m
				}
				right := way&1 == 0 // b is the large one
				key := operand{i, right, right && way&4 != 0 || !right && way&2 != 0}
				big, ok := large[key]
				if !ok {
					if big = fill(c.long, c.k, 1, key.byCol); right {
						big = fill(c.k, c.long, 2, key.byCol)
					}
					large[key] = big
				}
				a, b := big, big
				if right {
					a = fill(m, c.k, 1, way&2 != 0)
				} else {
					b = fill(c.k, n, 2, way&4 != 0)
				}
				product := operand{i, right, false} // layouts change no value
				stride := c.long
				if !right {
					stride = widest
				}
				want := wants[product]
				if want == nil {
					want = skinnyProduct(big, right, widest, c.k, small)
					wants[product] = want
				}
				for v, isa := range cpu.SomeISAs() {
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
							x := alpha * want[i*stride+j]
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

// skinnyProduct is the product of a large matrix and a small one of so many rows or columns, by the plain loop.
func skinnyProduct[T dtype.Float](big layout.Matrix[T], right bool, narrow, depth int, small func(i, j, seed int) T) []float64 {
	m, n := big.Rows, narrow
	a, b := big.At, func(k, j int) T { return small(k, j, 2) }
	if right {
		m, n = narrow, big.Cols
		a, b = func(i, k int) T { return small(i, k, 1) }, big.At
	}
	want, row := make([]float64, m*n), make([]float64, n)
	for k := range depth {
		for j := range row {
			row[j] = float64(b(k, j))
		}
		for i := range m {
			x := float64(a(i, k))
			to := want[i*n:][:n]
			for j, y := range row {
				to[j] += x * y
			}
		}
	}
	return want
}
