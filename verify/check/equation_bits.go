package check

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// EquationBits is [EquationMatrix] for a mask, which has a bit for each element. An operand has bits set that
// belong to no element; an output has none, and is checked for that.
func EquationBits(p *EquationProblem, step int) layout.Matrix[uint8] {
	_, width := p.size(p.step(step))
	cols, n := p.cols, (width+7)/8
	ld, size := n*cols+p.pad, 0
	if p.M > 0 && n > 0 {
		size = (p.M-1)*ld + (n-1)*cols + 1
	}
	m := layout.Matrix[uint8]{Data: equationMemory[uint8](p, size), Rows: p.M, Cols: n, RowStride: ld, ColStride: cols}
	for i := range m.Data {
		m.Data[i] = 77 // in gaps, and in outputs
	}
	bit := func(e int) (byte *uint8, shift int) {
		i, j := e/width, e%width
		return &m.Data[i*ld+j/8*cols], j % 8
	}
	if step >= 0 {
		for i := range p.M {
			for j := range n {
				m.Set(i, j, 0xff)
			}
		}
		x := make([]float64, p.M*width)
		for e := range x {
			at, shift := bit(e)
			if p.rng.IntN(2) == 1 {
				x[e] = 1
			} else {
				*at &^= 1 << shift
			}
		}
		p.numbers[step] = x
		return m
	}
	p.intact = append(p.intact, func() error {
		for i, v := range m.Data {
			r, c := i/ld, i%ld
			switch {
			case c%cols != 0 || c/cols >= n:
				if v != 77 {
					return fmt.Errorf("output %d: byte %d of its memory, in a gap, was written", -step, i)
				}
			case c/cols == n-1 && width%8 != 0 && v>>(width%8) != 0:
				return fmt.Errorf("output %d: row %d ends with byte %08b, whose bits beyond %d columns are to be 0", -step, r, v, width)
			}
		}
		return nil
	})
	p.have[step] = func() []float64 {
		x := make([]float64, p.M*width)
		for e := range x {
			at, shift := bit(e)
			x[e] = float64(*at >> shift & 1)
		}
		return x
	}
	return m
}
