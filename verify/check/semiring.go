package check

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// SemiringCase is a generated dense product of a semiring under test: out is Plus, over
// k, of Times(a, b).
type SemiringCase[T dtype.Float] struct {
	Name        string
	MR, NR, KC  int // the tile, and the depth up to which sums are made in one go
	Zero        T
	Plus, Times func(x, y T) T
	// Rounds says that Plus does: then results are compared with bounds. StepULP is the
	// error of the math functions in a step, in units of the sum's last place.
	Rounds  bool
	StepULP float64
	// Sums are the bits of sums over the first Depths[i] products of [SemiringA] and [SemiringB].
	// There are SemiringRows x SemiringCols of them for each depth. The interpreter computed them
	// from the kernels' code.
	Depths []int
	Sums   []uint64
	// Call computes the product, Scaled with alpha and beta, which it must refuse.
	Call   func(threads int, out, a, b layout.Matrix[T])
	Scaled func(out, a, b layout.Matrix[T])
}

// The operands of tabulated sums are periodic, SemiringRows in m and SemiringCols in n.
const SemiringRows, SemiringCols = 3, 4

// SemiringA and SemiringB are those operands. They are never zero and move away from it with
// every k, up and down in turn. So the largest and the smallest change to the end.
func SemiringA(i, k int) float64 {
	return semiringNumber(7*(i%SemiringRows)+3*k+k/5, i%SemiringRows+k, k)
}

// SemiringB is described with [SemiringA].
func SemiringB(k, j int) float64 {
	return semiringNumber(11*(j%SemiringCols)+3*k+k/7, j%SemiringCols+k, k)
}

func semiringNumber(x, turn, k int) float64 {
	far := float64(k) / 8
	if turn%2 != 0 {
		far = -far
	}
	return float64(x%5-2) + 9.0/16 + far
}

// Semiring checks a dense product of a semiring. It compares with tabulated sums, and
// with its Go functions in the order of k, with NaN, infinities and both zeros among the
// operands. It tries every edge of a tile and of blocks of k, for operands and results
// in rows, columns and with gaps, next to inaccessible pages. It tries shapes without
// products and any number of threads, and checks that alpha and beta are refused.
func Semiring[T dtype.Float](t TB, c SemiringCase[T]) {
	t.Helper()
	if err := c.tabulated(); err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
	var ga, gb Guard[T]
	defer func() {
		for _, g := range []*Guard[T]{&ga, &gb} {
			if g.mem != nil {
				g.Close()
			}
		}
	}()
	shapes := append(fusedShapes(c.MR, c.NR, c.KC), Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{1, 1, 0})
	for m := range c.MR { // every height and width of a tile, whole and cut
		for _, n := range tidy([]int{c.NR / 4, c.NR/4 - 1, c.NR / 3, c.NR/3 - 1, c.NR / 2, c.NR/2 - 1, 2 * c.NR / 3, 2*c.NR/3 - 1, c.NR, c.NR - 1}) {
			shapes = append(shapes, Shape{m + 1, n, 9})
		}
	}
	for i, s := range some(shapes) {
		for turn := range 5 {
			if err := c.try(s, i+turn, turn, &ga, &gb); err != nil {
				t.Errorf("%s %v layout=%d: %v", c.Name, s, turn, err)
				return
			}
		}
	}
	if err := c.threads(Shape{161, 170, 163}); err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
	out, a, b := layout.New[T](2, 2), layout.New[T](2, 2), layout.New[T](2, 2)
	paint(out.Data)
	e, ok := panicOf(func() { c.Scaled(out, a, b) }).(error)
	if bug := runtime.Error(nil); !ok || errors.As(e, &bug) || unpainted(out.Data) >= 0 {
		t.Errorf("%s: alpha and beta are not refused before an element is written: %v", c.Name, e)
	}
}

// tabulated compares with Sums.
func (c *SemiringCase[T]) tabulated() error {
	for d, depth := range c.Depths {
		m, n := c.MR+1, c.NR+SemiringCols+1
		a, b, out := layout.New[T](m, depth), layout.New[T](depth, n), layout.New[T](m, n)
		for k := range depth {
			for i := range m {
				a.Set(i, k, T(SemiringA(i, k)))
			}
			for j := range n {
				b.Set(k, j, T(SemiringB(k, j)))
			}
		}
		c.Call(1, out, a, b)
		for i := range m {
			for j := range n {
				want := valueOf[T](c.Sums[(d*SemiringRows+i%SemiringRows)*SemiringCols+j%SemiringCols])
				slack := 0.0
				if c.Rounds {
					_, slack = c.element(a, b, i, j)
				}
				if have := out.At(i, j); !within(have, want, slack) {
					return fmt.Errorf("tabulated sums of %d products: (%d, %d) is %v, want %v +- %v", depth, i, j, have, want, slack)
				}
			}
		}
	}
	return nil
}

// valueOf returns the number with the given bits.
func valueOf[T dtype.Float](bits uint64) T {
	if dtype.Of[T]() == dtype.F32 {
		return T(math.Float32frombits(uint32(bits)))
	}
	return T(math.Float64frombits(bits))
}

// within reports whether have is want to the bit, but for which NaN it is, or no further
// away than slack.
func within[T dtype.Float](have, want T, slack float64) bool {
	if have != have || want != want {
		return have != have && want != want
	}
	return have == want && (slack > 0 || math.Signbit(float64(have)) == math.Signbit(float64(want))) ||
		math.Abs(float64(have)-float64(want)) <= slack
}

// element is the sum at (i, j) in the order of k, and how far from it another may be.
func (c *SemiringCase[T]) element(a, b layout.Matrix[T], i, j int) (sum T, slack float64) {
	acc, abs := c.Zero, 0.0
	for k := range a.Cols {
		x := c.Times(a.At(i, k), b.At(k, j))
		acc = c.Plus(acc, x)
		abs += math.Abs(float64(x))
		if !math.IsInf(float64(acc), 0) { // each step at the size of what it leaves
			abs += math.Abs(float64(acc))
		}
	}
	bits, _ := formatOf[T]()
	n := float64(a.Cols) * (1 + math.Ceil(c.StepULP))
	switch {
	case c.Rounds:
		return acc, gamma(n+2, bits) * abs
	case c.StepULP > 0: // the products' own
		return acc, c.StepULP * ulp[T](float64(acc))
	}
	return acc, 0
}

// operand makes an m x n matrix whose memory lies as the bits of kind say: with gaps,
// by columns, or neither. It lies between inaccessible pages if g is not nil.
func (c *SemiringCase[T]) operand(g *Guard[T], m, n, kind int, at bool, number func() T) (layout.Matrix[T], error) {
	rows, cols, gap := m, n, kind%2*3
	if kind/2%2 == 1 {
		rows, cols = n, m
	}
	apart := 1 + kind/4%2 // of columns: neither they nor rows are contiguous
	ld := apart*cols + gap
	x := layout.Matrix[T]{Data: make([]T, max(0, (rows-1)*ld+apart*(cols-1)+1)), Rows: rows, Cols: cols, RowStride: ld, ColStride: apart}
	if m == 0 || n == 0 {
		x.Data = nil
	}
	for i := range x.Data {
		x.Data[i] = number()
	}
	if g != nil {
		if err := guardRows(g, &x, at); err != nil {
			return x, err
		}
	}
	if kind/2%2 == 1 {
		x = x.T()
	}
	return x, nil
}

// try makes one call and compares some elements of every row.
func (c *SemiringCase[T]) try(s Shape, salt, turn int, ga, gb *Guard[T]) error {
	rng := source(s, uint64(83+salt))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	number := func() T {
		if !c.Rounds && rng.IntN(3*max(s.K, 4)) == 0 {
			return T(special[rng.IntN(len(special))])
		}
		return T(rng.NormFloat64())
	}
	a, err := c.operand(ga, s.M, s.K, turn, salt%2 == 0, number)
	if err != nil {
		return err
	}
	b, err := c.operand(gb, s.K, s.N, turn/2+salt%2*2, salt%2 == 1, number)
	if err != nil {
		return err
	}
	out, err := c.operand(nil, s.M, s.N, turn, false, func() T { return T(math.NaN()) })
	if err != nil {
		return err
	}
	gaps := append([]T(nil), out.Data...)
	if err := caught(func() { c.Call(1, out, a, b) }); err != nil {
		return err
	}
	for i := range s.M {
		for j := range s.N {
			gaps[i*out.RowStride+j*out.ColStride] = out.At(i, j)
			if s.MACs() > 100_000 && j != 0 && j != s.N-1 && rng.IntN(1+s.N/4) != 0 {
				continue
			}
			want, slack := c.element(a, b, i, j)
			if have := out.At(i, j); !within(have, want, slack) {
				return fmt.Errorf("(%d, %d) is %v, want %v +- %v", i, j, have, want, slack)
			}
		}
	}
	for i, x := range out.Data {
		if math.Float64bits(float64(x)) != math.Float64bits(float64(gaps[i])) {
			return fmt.Errorf("a gap of out was written, at Data[%d]", i)
		}
	}
	return nil
}

// threads wants the bits of one thread from several.
func (c *SemiringCase[T]) threads(s Shape) error {
	rng := source(s, 84)
	number := func() T { return T(rng.NormFloat64()) }
	a, _ := c.operand(nil, s.M, s.K, 0, false, number)
	b, _ := c.operand(nil, s.K, s.N, 0, false, number)
	one := layout.New[T](s.M, s.N)
	c.Call(1, one, a, b)
	for _, threads := range []int{2, 4} {
		out := layout.New[T](s.M, s.N)
		c.Call(threads, out, a, b)
		for i := range out.Data {
			if !within(out.Data[i], one.Data[i], 0) {
				return fmt.Errorf("with %d threads element %d of %v is %v, with one %v", threads, i, s, out.Data[i], one.Data[i])
			}
		}
	}
	return nil
}

// BenchmarkSemiring reports billions of steps, a Times and a Plus each, per second on
// one core.
func BenchmarkSemiring[T dtype.Float](b *testing.B, isa string, n int, c SemiringCase[T]) {
	b.Run(fmt.Sprintf("isa=%s/n=%d", isa, n), func(b *testing.B) {
		x, y, out := layout.New[T](n, n), layout.New[T](n, n), layout.New[T](n, n)
		rng := source(Shape{n, n, n}, 85)
		for i := range x.Data {
			x.Data[i], y.Data[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
		}
		for b.Loop() {
			c.Call(1, out, x, y)
		}
		b.ReportMetric(float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gstep/s")
	})
}
