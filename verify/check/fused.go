package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// FusedCase is a product with an epilogue under test, by the types of its operands
// and its sums.
type FusedCase[A, B dtype.Elem, Acc dtype.Sum] struct {
	Name       string
	MR, NR, KC int   // the tile, and the depth up to which sums are made in one go
	Only       Shape // the dimensions that are fixed; 0 is any
	// ULP is the error of the epilogue's functions, in units of the result's last
	// place.
	ULP float64
	// Strict says that each operation of the epilogue's function rounds on its own, as
	// where no product may be contracted with a sum: then results are the function's to
	// the bit wherever sums are exact, as those of integers are.
	Strict bool
	// Flushes says that sums may be of an instruction that takes denormal numbers for
	// zeros and makes none, as VDPBF16PS.
	Flushes bool
	// Structure says which elements there are of the matrices, if not all.
	Structure Structure
	// Call runs the kernel on p. It takes operands by slot from [OutOf], [RowOf] and
	// similar functions: outputs first, then operands.
	Call func(p *FusedProblem[A, B])
	// Results applies the epilogue's Go function to a sum that belongs to element
	// (i, j) and returns the outputs by [Float64].
	Results func(p *FusedProblem[A, B], sum Acc, i, j int) []float64
	// Have returns output o at (i, j), and Ulp the distance of its type's values.
	Have func(p *FusedProblem[A, B], o, i, j int) float64
	Ulp  func(o int, x float64) float64
	Outs int
	// Zeros returns the zero points of A and B, which are taken from their elements; nil: 0.
	Zeros func(p *FusedProblem[A, B]) (a, b float64)
	// Unstored lists the outputs that are only reduced: Have is not asked for them.
	Unstored []int
	Reduces  []Reduced[A, B]
}

// FusedProblem is one call: shapes, operands and what the epilogue needs.
type FusedProblem[A, B dtype.Elem] struct {
	M, N, K int
	A       layout.Matrix[A]
	B       layout.Matrix[B]
	exact   bool // small integers: every sum is exact
	wide    bool // larger ones
	strict  bool // results are to the bit, so that roundings of the epilogue may show
	pad     int  // beyond each row of matrices
	rng     *rand.Rand
	slots   map[int]any
	nudge   nudge  // what the oracle reads is moved by
	nudged  uint64 // the slots that results depend on: a bit each
	intact  []func() error
	sparse  any // of a sparse product: its matrix
	entries any // of a sampled product: the coordinates of its entries
	// sums, if not nil, is the sum at (i, j) in place of a*b, what its magnitudes add
	// up to, and how many roundings it has.
	sums       func(i, j int) (sum, abs float64, roundings int)
	absent     func(i, j int) bool // which elements of results there are not; nil: none
	rows, cols []float64           // a by rows and b by columns, made when they are first wanted
}

// numberOf is an element of an operand.
func numberOf[T, A, B dtype.Elem](p *FusedProblem[A, B]) T { return numbersOf[T](p)() }

// numbersOf draws elements of an operand. Where sums are of integers, so that no size of
// them is a risk, integers are of all sizes, and factors such that some results are in the
// range of a narrow type and some are not.
func numbersOf[T, A, B dtype.Elem](p *FusedProblem[A, B]) func() T {
	draw := p.draws(dtype.Of[T](), sumsOfIntegers[A, B]())
	return func() T { return toElem[T](draw()) }
}

// draws is numbersOf before they are rounded.
func (p *FusedProblem[A, B]) draws(t dtype.Type, sumsOfIntegers bool) func() float64 {
	lo, hi := limitsOf(t, 1)
	bits, _ := format(t)
	rng := p.rng
	switch {
	case p.exact && bits > 0 && sumsOfIntegers: // products end at halves
		return func() float64 { return math.Ldexp(float64(rng.IntN(7)-3), -rng.IntN(4)) }
	case p.exact && p.wide && lo != 0:
		return func() float64 { return float64(rng.IntN(49) - 24) }
	case p.exact && p.wide: // whose upper half has a sign if they are taken for signed ones
		return func() float64 { return float64(1 + rng.IntN(int(min(hi, 255)))) }
	case p.exact && lo == 0: // no sign
		return func() float64 { return float64(1 + rng.IntN(6)) }
	case p.exact:
		return func() float64 { return float64(rng.IntN(7) - 3) }
	case !sumsOfIntegers:
		return rng.NormFloat64
	case bits > 0:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), -rng.IntN(16)) }
	case t == dtype.I32:
		return func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(20)) }
	}
	return func() float64 {
		one := make([]int64, 1)
		scatter(rng, one, lo, hi)
		return float64(one[0])
	}
}

// sumsOfIntegers reports whether products of A and B have sums of int32.
func sumsOfIntegers[A, B dtype.Elem]() bool {
	a, _ := formatOf[A]()
	b, _ := formatOf[B]()
	return a == 0 && b == 0
}

// toSum is a sum that float64 has exactly, or nearly, in the type of sums, in which that
// of integers wraps.
func toSum[Acc dtype.Sum](sum float64) Acc {
	if dtype.Of[Acc]() == dtype.I32 {
		return Acc(int32(int64(sum)))
	}
	return Acc(sum)
}

func matrixOf[T, A, B dtype.Elem](p *FusedProblem[A, B], rows, cols int) layout.Matrix[T] {
	ld := cols + p.pad
	m := layout.Matrix[T]{Data: make([]T, max(0, (rows-1)*ld+cols)), Rows: rows, Cols: cols, RowStride: ld, ColStride: 1}
	draw := numbersOf[T](p)
	for i := range m.Data {
		m.Data[i] = draw()
	}
	return m
}

func slotOf[S any, A, B dtype.Elem](p *FusedProblem[A, B], slot int, make func() S) S {
	if s, ok := p.slots[slot]; ok {
		return s.(S)
	}
	s := make()
	p.slots[slot] = s
	return s
}

// OutOf returns the matrix of an output. It begins as arbitrary bytes, and the gaps
// between its rows must be as they were after the call.
func OutOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) layout.Matrix[T] {
	return slotOf(p, slot, func() layout.Matrix[T] {
		m := matrixOf[T](p, p.M, p.N)
		b := bytesOf(m.Data)
		for i := range b {
			b[i] = 0xa5
		}
		p.intact = append(p.intact, func() error {
			size := len(b) / max(1, len(m.Data))
			for i := range m.Data {
				if col := i % m.RowStride; col < p.N && (p.absent == nil || !p.absent(i/m.RowStride, col)) {
					continue
				}
				for _, x := range b[i*size : (i+1)*size] {
					if x != 0xa5 {
						return fmt.Errorf("output %d: place %d of row %d, which is a gap or is not there, was written", slot, i%m.RowStride, i/m.RowStride)
					}
				}
			}
			return nil
		})
		return m
	})
}

// operandOf returns a matrix of an epilogue's operand, of which some elements may be [telling].
func operandOf[T, A, B dtype.Elem](p *FusedProblem[A, B], rows, cols int) layout.Matrix[T] {
	m := matrixOf[T](p, rows, cols)
	for i := range m.Data {
		if x, ok := telling[T](p); ok {
			m.Data[i] = x
		}
	}
	return m
}

// FullOf returns the matrix of a full operand.
func FullOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) layout.Matrix[T] {
	return slotOf(p, slot, func() layout.Matrix[T] { return operandOf[T](p, p.M, p.N) })
}

// RowOf returns an operand with one element a row.
func RowOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) []T {
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, p.M).Data })
}

// ColumnOf returns an operand with one element a column.
func ColumnOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) []T {
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, p.N).Data })
}

// ScalarOf returns an operand with one element.
func ScalarOf[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int) T {
	return slotOf(p, slot, func() T {
		if large[T](p) {
			return toElem[T](float64(2*p.rng.IntN(1<<23) - (1<<23 - 1)))
		}
		return numberOf[T](p)
	})
}

// ShareScalar makes the operand of a slot x, as that of another problem is: products of a
// batch have one.
func ShareScalar[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int, x T) { p.slots[slot] = x }

// A nudge is by how many units in the last place operands of a slot are moved.
type nudge struct {
	slot int
	ulps float64
}

// Nudged returns x moved by as many units in the last place as the oracle is
// trying for slot: it evaluates the epilogue around its operands, too, since code
// that fuses a multiplication with an addition rounds as if they were there.
func Nudged[T, A, B dtype.Elem](p *FusedProblem[A, B], slot int, x T) T {
	if bits, _ := formatOf[T](); bits == 0 {
		return x // integers are exact
	}
	if slot < 64 {
		p.nudged |= 1 << slot
	}
	n := p.nudge.ulps
	if n == 0 || slot != p.nudge.slot {
		return x
	}
	v := Float64(x)
	return toElem[T](v + n*ulp[T](v))
}

// Fused checks a product with an epilogue: first on small integers, where sums are
// exact and the result is the function's, to its stated error; then on random
// numbers, where it must lie in the hull of what the function gives over the
// interval that the sum can be in.
func Fused[A, B dtype.Elem, Acc dtype.Sum](t TB, c FusedCase[A, B, Acc]) {
	t.Helper()
	for _, s := range some(onlyShapes(fusedShapes(c.MR, c.NR, c.KC), c.Only)) {
		for _, exact := range []bool{true, false} {
			s := c.Structure.square(s)
			name := fmt.Sprintf("%s m=%d n=%d k=%d exact=%v", c.Name, s.M, s.N, s.K, exact)
			p := &FusedProblem[A, B]{M: s.M, N: s.N, K: s.K, exact: exact, pad: (s.M + s.N) % 3, slots: map[int]any{}, rng: source(s, 77)}
			p.A, p.B = matrixOf[A](p, s.M, s.K), matrixOf[B](p, s.K, s.N)
			if s.M%2 == 0 { // column-major operands half of the time
				p.A, p.B = matrixOf[A](p, s.K, s.M).T(), matrixOf[B](p, s.N, s.K).T()
			}
			structured(p, c.Structure)
			c.Call(p)
			for _, intact := range p.intact {
				if err := intact(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			err := c.compare(p)
			if err == nil {
				err = c.reduced(p)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
		}
	}
}

// compare looks at every element of small results and at a sample of large ones.
func (c *FusedCase[A, B, Acc]) compare(p *FusedProblem[A, B]) error {
	all := p.M*p.N*max(p.K, 1) < 200_000
	for e := range min(p.M*p.N, 3000) {
		i, j := e/p.N, e%p.N
		if !all {
			x := p.rng.IntN(p.M * p.N)
			switch { // corners and the last row and column more often
			case e%8 == 0:
				x = x/p.N*p.N + p.N - 1
			case e%8 == 1:
				x = (p.M-1)*p.N + x%p.N
			}
			i, j = x/p.N, x%p.N
			if e > 400 {
				break
			}
		}
		if err := c.element(p, i, j); err != nil {
			return err
		}
	}
	return nil
}

// element compares the outputs at (i, j) that are stored.
func (c *FusedCase[A, B, Acc]) element(p *FusedProblem[A, B], i, j int) error {
	if p.absent != nil && p.absent(i, j) {
		return nil
	}
	if c.Strict && (p.exact || dtype.Of[Acc]() == dtype.I32) {
		return c.same(p, i, j)
	}
	have := make([]float64, c.Outs)
	for o := range have {
		if !slices.Contains(c.Unstored, o) {
			have[o] = c.Have(p, o, i, j)
		}
	}
	wrong := func(vs []value) int {
		return slices.IndexFunc(vs, func(v value) bool { return !slices.Contains(c.Unstored, v.out) && !v.allows(have[v.out]) })
	}
	vs := c.valuesUntil(p, i, j, func(vs []value) bool { return wrong(vs) < 0 })
	o := wrong(vs)
	if o < 0 {
		return nil
	}
	x := vs[o]
	if math.IsNaN(x.mid) || math.IsNaN(have[o]) {
		return fmt.Errorf("output %d at (%d, %d) is %v, want about %v", o, i, j, have[o], x.mid)
	}
	return fmt.Errorf("output %d at (%d, %d) is %v, want %v: between %v and %v for a sum of %v +- %v", o, i, j, have[o], x.mid, x.wide().lo, x.wide().hi, x.sum, x.d)
}

// A value is what is known of an output of an element: what the function gives for the sum,
// and the hull of what it gives over the interval that the sum can be in.
type value struct {
	interval
	out        int
	mid, slack float64
	nan        bool // some of it is NaN
	number     bool // some of it is not
	sum, d     float64
}

// wide is the interval with the function's own error.
func (x *value) wide() interval { return interval{x.lo - x.slack, x.hi + x.slack} }

// allows reports whether a kernel may give have. What a part of the hull allows, all of it does.
func (x *value) allows(have float64) bool {
	if x.nan || math.IsNaN(have) {
		return math.IsNaN(x.mid) == math.IsNaN(have) || x.nan && x.number
	}
	in := x.wide()
	return in.lo <= have && have <= in.hi || have == x.lo || have == x.hi
}

// sum is the sum at (i, j), what its magnitudes add up to, and how many roundings it has.
func (c *FusedCase[A, B, Acc]) sum(p *FusedProblem[A, B], i, j int) (sum, abs float64, n int) {
	if p.sums != nil {
		return p.sums(i, j)
	}
	za, zb := 0.0, 0.0
	if c.Zeros != nil {
		za, zb = c.Zeros(p)
	}
	if p.rows == nil {
		p.factors()
	}
	b := p.cols[j*p.K : j*p.K+p.K]
	triangular := c.Structure.A != 0 && !c.Structure.Symmetric
	for k, a := range p.rows[i*p.K : i*p.K+p.K] {
		if triangular && i != k && !c.Structure.A.has(i, k) {
			continue // not a zero: it is not multiplied
		}
		x := (a - za) * (b[k] - zb)
		sum, abs = sum+x, abs+math.Abs(x)
	}
	return sum, abs, p.K
}

// values evaluates the function for element (i, j).
func (c *FusedCase[A, B, Acc]) values(p *FusedProblem[A, B], i, j int) []value {
	return c.valuesUntil(p, i, j, func([]value) bool { return false })
}

// valuesUntil is values up to where a part of the hull is enough. Most results are what the function gives for the sum
// itself, and the function is called some twenty times for the whole hull.
func (c *FusedCase[A, B, Acc]) valuesUntil(p *FusedProblem[A, B], i, j int, enough func([]value) bool) []value {
	sum, abs, n := c.sum(p, i, j)
	d, ints := 0.0, dtype.Of[Acc]() == dtype.I32
	if !p.exact && !ints {
		bits, _ := formatOf[Acc]()
		d = gamma(float64(n+2), bits)*abs + gamma(float64(n+2), 53)*abs
		if c.Flushes { // a step may lose the sum; operands that are lost are not drawn here
			d += float64(n) * smallNormal[Acc]()
		}
	}
	vs := make([]value, c.Outs)
	for o, mid := range c.Results(p, toSum[Acc](sum), i, j) {
		vs[o] = value{interval: interval{mid, mid}, out: o, mid: mid, sum: sum, d: d, nan: math.IsNaN(mid), number: !math.IsNaN(mid)}
		vs[o].slack = c.slack(&vs[o])
	}
	// take widens the hull by the function at another sum, and reports whether that is enough.
	take := func(at float64) bool {
		for o, r := range c.Results(p, toSum[Acc](at), i, j) {
			v := &vs[o]
			v.nan, v.number = v.nan || math.IsNaN(r), v.number || !math.IsNaN(r)
			v.lo, v.hi = min(v.lo, r), max(v.hi, r)
			v.slack = c.slack(v)
		}
		return enough(vs)
	}
	if enough(vs) {
		return vs
	}
	near := ulp[Acc](sum)
	// Roundings inside the function act as small changes of what goes into it. One
	// unit could vanish in an addition, so it is a few.
	const units = 3
	if !ints { // a sum of integers is what it is
		for _, at := range [...]float64{sum - d, sum + d, sum - units*near, sum + units*near} {
			if take(at) {
				return vs
			}
		}
	}
	defer func() { p.nudge = nudge{} }()
	for slot := range 8 { // every operand that the function has, moved a little
		if p.nudged>>slot&1 == 0 {
			continue
		}
		for _, n := range []float64{-units, units} {
			p.nudge = nudge{slot, n}
			if take(sum) {
				return vs
			}
		}
	}
	return vs
}

// slack is how far outside the hull v a result may be: a function's error is relative to its own value, which may have
// cancelled since, as in 1 + erf(x): it counts at the size of what went in.
func (c *FusedCase[A, B, Acc]) slack(v *value) float64 {
	size := max(math.Abs(v.lo), math.Abs(v.hi))
	slack := c.Ulp(v.out, size) + (v.hi - v.lo)
	if c.ULP > 0 {
		slack += c.ULP * c.Ulp(v.out, max(size, math.Abs(float64(toSum[Acc](v.sum))), 1))
	}
	return slack
}

// reduced compares the reductions: of stored results, if these are small enough to be read
// whole, and of results that are not, in some rows or columns of large ones.
func (c *FusedCase[A, B, Acc]) reduced(p *FusedProblem[A, B]) error {
	for _, r := range c.Reduces {
		lines, result := p.M+p.N, func(i, j int) interval {
			x := c.Have(p, r.Of, i, j)
			return interval{x, x}
		}
		if slices.Contains(c.Unstored, r.Of) {
			across := p.N
			if r.Col {
				across = p.M
			}
			lines = max(2, reducedWork/max(1, across*(p.K+200)))
			result = func(i, j int) interval {
				x := c.values(p, i, j)[r.Of]
				if x.nan {
					return interval{math.NaN(), math.NaN()}
				}
				return x.wide()
			}
		} else if p.M*p.N > trialWork {
			continue
		}
		bits := 24 // of what is rounded to less, the sum's
		if c.Ulp(r.Of, 1) < 0x1p-40 {
			bits = 53
		}
		if err := r.compare(p, bits, lines, result); err != nil {
			return err
		}
	}
	return nil
}

// reducedWork is what the values of results that are not stored may take, in operations.
const reducedWork = 1 << 18

// fusedShapes has every edge of tiles and of k-blocks, in few calls.
func fusedShapes(mr, nr, kc int) []Shape {
	var s []Shape
	for _, m := range []int{1, mr - 1, mr, mr + 1, 2*mr + 3} {
		for _, n := range []int{1, nr/2 + 1, nr - 1, nr, nr + 1, 2*nr + 5} {
			if m > 0 && n > 0 {
				s = append(s, Shape{m, n, 3}, Shape{m, n, 17})
			}
		}
	}
	for _, k := range []int{0, 1, kc - 1, kc, kc + 1, 3*kc + 5} {
		s = append(s, Shape{mr + 2, nr + 3, k})
	}
	return append(s, Shape{13 * mr, 5*nr + 7, 64}, Shape{200, 3, 70}, Shape{3, 400, 70})
}

// BenchmarkFused times a case on n x n matrices of random numbers, after it was
// compared with the oracle, and reports GFLOP/s of the product.
func BenchmarkFused[A, B dtype.Elem, Acc dtype.Sum](b *testing.B, isa string, n int, c FusedCase[A, B, Acc]) {
	b.Run(fmt.Sprintf("isa=%s/n=%d", isa, n), func(b *testing.B) {
		s := Shape{n, n, n}.only(c.Only)
		p := &FusedProblem[A, B]{M: s.M, N: s.N, K: s.K, slots: map[int]any{}, rng: source(s, 78)}
		p.A, p.B = matrixOf[A](p, s.M, s.K), matrixOf[B](p, s.K, s.N)
		structured(p, c.Structure)
		c.Call(p)
		if err := c.compare(p); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c.Call(p)
		}
		b.ReportMetric(2*float64(s.MACs())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
