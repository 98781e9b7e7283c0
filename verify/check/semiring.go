package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
	v := newProduct(Shape{c.MR + 1, c.NR + semiring.SampleCols + 1, op.Depths[d]})
	for k := range v.K {
		for i := range v.M {
			v.a[i*v.K+k] = semiring.SampleA(i, k)
		}
		for j := range v.N {
			v.b[k*v.N+j] = semiring.SampleB(k, j)
		}
	}
	row := arrangements[0]
	return op.judged(c, v, call{la: row, lb: row, lo: row, alpha: 1, shift: d}, func(i, j int) float64 {
		bits := op.Sums[(d*semiring.SampleRows+i%semiring.SampleRows)*semiring.SampleCols+j%semiring.SampleCols]
		if c.Acc == dtype.F32 {
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	})
}

// problem makes operands that lie as the bits of kinds say: with gaps, by columns, or neither.
func (op Semiring) problem(c *Case, s Shape, salt, turn int) *Problem {
	special := []float64{nan, inf, -inf, 0, math.Copysign(0, -1)}
	draw := func(rng *rand.Rand) float64 {
		if !c.Arithmetic.Rounds && rng.IntN(3*max(s.K, 4)) == 0 {
			return special[rng.IntN(len(special))]
		}
		return rng.NormFloat64()
	}
	lay := func(kind int) arrangement {
		gap, apart := kind%2*3, 1+kind/4%2 // of columns: then neither they nor rows are contiguous
		return arrangement{fmt.Sprint(kind), func(rows, cols int) (int, int) {
			if kind/2%2 == 1 {
				return apart, apart*rows + gap
			}
			return apart*cols + gap, apart
		}}
	}
	v := random(c, s, fill{a: draw, b: draw}, uint64(83+salt))
	return op.judged(c, v, call{la: lay(turn), lb: lay(turn/2 + salt%2*2), lo: lay(turn), alpha: 1, shift: salt}, nil)
}

// judged is a problem whose results are compared with sums, or those of the Go functions: to the bit, but for which NaN it is,
// or within the bounds of what rounds.
func (op Semiring) judged(c *Case, v *product, x call, sums func(i, j int) float64) *Problem {
	p := c.laid(v, x)
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
	return p
}
