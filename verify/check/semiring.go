package check

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Semiring is the operation of a dense product with the arithmetic of a case. It compares with tabulated sums, and
// with the Go functions in the order of k, with NaN, infinities and both zeros among the
// operands. It tries every edge of a tile and of blocks of k, for operands and results
// in rows, columns and with gaps, and shapes without
// products. It checks that alpha and beta, which one problem has, are refused.
type Semiring struct {
	// Sums are the bits of sums over the first Depths[i] products of [semiring.SampleA] and [semiring.SampleB].
	// There are semiring.SampleRows x semiring.SampleCols of them for each depth. The interpreter computed them
	// from the kernels' code.
	Depths []int
	Sums   []uint64
}

func (op Semiring) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	for d, depth := range op.Depths {
		if !yield(fmt.Sprintf("tabulated sums of %d products", depth), op.tabulated(c, d), nil) {
			return
		}
	}
	shapes := append(fusedShapes(c.MR, c.NR, c.KC), Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{1, 1, 0})
	for m := range c.MR { // every height and width of a tile, whole and cut
		for _, n := range tidy([]int{c.NR / 4, c.NR/4 - 1, c.NR / 3, c.NR/3 - 1, c.NR / 2, c.NR/2 - 1, 2 * c.NR / 3, 2*c.NR/3 - 1, c.NR, c.NR - 1}) {
			shapes = append(shapes, Shape{m + 1, n, 9})
		}
	}
	for i, s := range some(shapes) {
		for turn := range 5 {
			if !yield(fmt.Sprintf("%v layout=%d", s, turn), op.problem(c, s, i+turn, turn), nil) {
				return
			}
		}
	}
	if !yield("threads", op.problem(c, Shape{161, 170, 163}, 0, 0), nil) {
		return
	}
	p := op.problem(c, Shape{2, 2, 2}, 0, 0)
	p.Alpha, p.refused = 2, func(err error) bool { return errors.Unwrap(err) != nil && !errors.As(err, new(runtime.Error)) }
	yield("alpha and beta", p, nil)
}

// timed is a product of square matrices, of which a step, a Times and a Plus, counts as a multiply-add.
func (op Semiring) timed(c *Case, _ any, n int, _ bool) (*Problem, error) {
	p := op.problem(c, Shape{n, n, n}, 0, 0)
	p.macs = n * n * n
	return p, nil
}

// tabulated is a problem of the operands whose sums are known.
func (op Semiring) tabulated(c *Case, d int) *Problem {
	p := c.problem(Shape{c.MR + 1, c.NR + semiring.SampleCols + 1, op.Depths[d]}, 0, false)
	p.Alpha, p.guarded, p.turn = 1, true, d
	a, b := p.factor(A, c.A, p.M, p.K, false), p.factor(B, c.B, p.K, p.N, false)
	for k := range p.K {
		for i := range p.M {
			a.set(i, k, semiring.SampleA(i, k))
		}
		for j := range p.N {
			b.set(k, j, semiring.SampleB(k, j))
		}
	}
	op.judge(c, p, func(i, j int) float64 {
		bits := op.Sums[(d*semiring.SampleRows+i%semiring.SampleRows)*semiring.SampleCols+j%semiring.SampleCols]
		if c.Acc == dtype.F32 {
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	})
	return p
}

// problem makes operands whose memory lies as the bits of kinds say: with gaps,
// by columns, or neither.
func (op Semiring) problem(c *Case, s Shape, salt, turn int) *Problem {
	p := c.problem(s, uint64(83+salt), false)
	p.Alpha, p.guarded, p.turn = 1, true, salt
	special := []float64{nan, inf, -inf, 0, math.Copysign(0, -1)}
	matrix := func(slot int, t dtype.Type, m, n, kind int) {
		gap, apart := kind%2*3, 1+kind/4%2 // of columns: then neither they nor rows are contiguous
		o := p.lay(slot, t, m, n, arrangement{Strides: func(rows, cols int) (int, int) {
			if kind/2%2 == 1 {
				return apart, apart*rows + gap
			}
			return apart*cols + gap, apart
		}})
		if slot >= 0 {
			return
		}
		o.fill(func() float64 {
			x := p.rng.NormFloat64()
			if !c.Arithmetic.Rounds && p.rng.IntN(3*max(s.K, 4)) == 0 {
				x = special[p.rng.IntN(len(special))]
			}
			return x
		})
	}
	matrix(A, c.A, s.M, s.K, turn)
	matrix(B, c.B, s.K, s.N, turn/2+salt%2*2)
	matrix(0, c.Slots[0].Type, s.M, s.N, turn)
	op.judge(c, p, nil)
	return p
}

// judge compares with sums, or those of the Go functions: to the bit, but for which NaN it is, or within
// the bounds of what rounds.
func (op Semiring) judge(c *Case, p *Problem, sums func(i, j int) float64) {
	p.look = func() error {
		return c.near(p, p.elements(p.M*p.N*p.K <= 100_000), func(i, j int, t *total) float64 {
			slack := -1.0
			switch bits, _ := numberFormat(c.Acc); {
			case c.Arithmetic.Rounds:
				if t.abs > 0 { // else nothing was added
					slack = gamma(float64(p.K)*(1+math.Ceil(c.Arithmetic.StepULP))+2, bits) * t.abs
				}
			case c.Arithmetic.StepULP > 0 && sums == nil: // the products' own
				slack = c.Arithmetic.StepULP * ulpOf(c.Acc, t.sum)
			}
			if sums != nil {
				t.sum = sums(i, j)
			}
			return slack
		})
	}
}
