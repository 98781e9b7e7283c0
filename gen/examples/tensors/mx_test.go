package tensors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// blocks is a matrix whose rows lie end to end, as rows of 32.
func blocks[T dtype.Elem](x layout.Matrix[T]) layout.Matrix[T] {
	return layout.Matrix[T]{Data: x.Data, Rows: x.Rows * x.Cols / 32, Cols: 32, RowStride: 32, ColStride: 1}
}

// TestMXBlocks rounds a matrix to blocks and back: what comes back is as near as the format has numbers.
func TestMXBlocks(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	x, back := layout.New[float32](7, 96), layout.New[float32](7, 96)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64() * math.Exp2(float64(i/32-10)))
	}
	elements, scales := layout.New[uint8](7, 96), make([]uint8, 21)
	for _, c := range []struct {
		name     string
		to       func(elements layout.Matrix[uint8], scales []uint8, x layout.Matrix[float32])
		from     func(out layout.Matrix[float32], elements layout.Matrix[uint8], scales []uint8)
		off      float64 // of a number
		ofLeast  float64 // of the greatest of its block
		clipping float64
	}{
		{"E4M3", QuantiseMX8, DequantiseMX8, 1. / 16, 1. / 65536, 0.125},
		{"E2M1", QuantiseMX4, DequantiseMX4, 1. / 4, 1. / 16, 0.25},
	} {
		c.to(blocks(elements), scales, blocks(x))
		c.from(blocks(back), blocks(elements), scales)
		for b := range 21 {
			most := 0.0
			for _, v := range x.Data[32*b : 32*b+32] {
				most = max(most, math.Abs(float64(v)))
			}
			for i, v := range x.Data[32*b : 32*b+32] {
				size := math.Abs(float64(v))
				limit := max(c.off*size, c.ofLeast*most)
				if size > most/2 {
					limit = max(limit, c.clipping*size) // beyond the greatest element, it may be
				}
				if off := math.Abs(float64(back.Data[32*b+i] - v)); off > limit {
					t.Errorf("%s: element %d of block %d is %v, comes back as %v, off by more than %v", c.name, i, b, v, back.Data[32*b+i], limit)
				}
			}
		}
	}
}

// Weights of four bits and a scale for each 32 of them.
func ExampleQuantiseMX4() {
	w := layout.New[float32](1, 32)
	for j := range w.Cols {
		w.Data[j] = float32(j-16) / 8
	}
	elements, scales, back := layout.New[uint8](1, 32), make([]uint8, 1), layout.New[float32](1, 32)
	QuantiseMX4(elements, scales, w)
	DequantiseMX4(back, elements, scales)
	fmt.Println(w.Data[:6], back.Data[:6], scales)
	// Output: [-2 -1.875 -1.75 -1.625 -1.5 -1.375] [-2 -2 -2 -1.5 -1.5 -1.5] [126]
}
