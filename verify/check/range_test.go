package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestDrawWithin: operands are of their range, with both ends, and no NaN or infinity; so is what the oracle moves them to.
func TestDrawWithin(t *testing.T) {
	for _, c := range []struct {
		t         dtype.Type
		low, high float64
	}{
		{dtype.F32, 1e-3, 1}, {dtype.F32, 0, 1}, {dtype.F32, -1, 0}, {dtype.F32, 1e-30, 1e30}, {dtype.F32, -5e-4, -1e-7}, {dtype.F32, 100, 101},
		{dtype.F32, 0, inf}, {dtype.F32, -inf, -3}, {dtype.F32, -inf, inf}, {dtype.F32, 3e38, inf}, {dtype.F32, -math.MaxFloat32, math.MaxFloat32},
		{dtype.F64, 1e-300, 1e300}, {dtype.F64, -math.MaxFloat64, math.MaxFloat64}, {dtype.F64, 1e308, inf},
		{dtype.TypeF16, 0.5, 2}, {dtype.TypeF16, 65472, inf}, {dtype.TypeBF16, 1, 256}, {dtype.TypeF8E4M3, -2, 448}, {dtype.TypeF8E5M2, 1, inf},
		{dtype.I8, -128, 127}, {dtype.I8, 3, 5}, {dtype.U8, 1, 255}, {dtype.U8, 0, 1}, {dtype.I16, -30000, -2}, {dtype.I32, math.MinInt32, math.MaxInt32}, {dtype.I32, 1, 1 << 30},
	} {
		c.low, c.high = roundTo(c.t, c.low), roundTo(c.t, c.high)
		s := Slot{Type: c.t, Row: true, Low: c.low, High: c.high}
		for _, exact := range []bool{true, false} {
			p := &Problem{M: 400, N: 1, exact: exact, rng: rand.New(level.PCG(1, 2)), slots: map[int]*operand{},
				c: &Case{A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: []Slot{{Type: dtype.F32, Out: true}, s}}}
			seen := map[float64]bool{}
			for i := range p.M {
				for _, by := range []float64{0, -3, 3} {
					p.nudge = nudge{1, by}
					x := p.At(1, i, 0)
					if !s.has(x) || x-x != 0 && by == 0 {
						t.Errorf("%v within %v and %v: %v", c.t, c.low, c.high, x)
					}
					seen[x] = seen[x] || by == 0
				}
			}
			for _, end := range []float64{c.low, c.high} {
				if !math.IsInf(end, 0) && !seen[end] {
					t.Errorf("%v within %v and %v: the end %v is not drawn", c.t, c.low, c.high, end)
				}
			}
			if len(seen) < 10 && c.high-c.low > 10 && c.t != dtype.TypeF16 {
				t.Errorf("%v within %v and %v: only %v", c.t, c.low, c.high, seen)
			}
		}
	}
}

// newton is a product whose epilogue is the square root of sum*sum + eps by Newton's iteration. It does not converge if that
// is negative.
type newton struct {
	low, high float64 // the range of eps
	lossy     float32 // relative error of the result
	step      bool    // the function is a jump at 0.5 in place of the root
}

func (n newton) root(x, eps float32, fused bool) float32 {
	if n.step {
		if eps > 0.5 {
			return 1000
		}
		return x
	}
	y := float32(x*x) + eps
	if fused {
		y = float32(math.FMA(float64(x), float64(x), float64(eps)))
	}
	r := max(y, 1)
	for range 20 {
		next := 0.5 * (r + y/r)
		if next == r {
			break
		}
		r = next
	}
	return r
}

func (n newton) described() Case {
	f := Slot{Type: dtype.F32}
	slots := []Slot{f, f}
	slots[0].Out, slots[1].Row, slots[1].Low, slots[1].High = true, true, n.low, n.high
	return Case{Name: "newton", MR: 3, NR: 8, KC: 16, A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: slots,
		Call: func(p *Problem) {
			out, a, b := Get[layout.Matrix[float32]](p, 0), Get[layout.Matrix[float32]](p, A), Get[layout.Matrix[float32]](p, B)
			eps := Get[[]float32](p, 1)
			for i := range p.M {
				for j := range p.N {
					var sum float32
					for k := range p.K {
						sum += a.At(i, k) * b.At(k, j)
					}
					out.Set(i, j, n.root(sum, eps[i], true)*(1+n.lossy))
				}
			}
		},
		Results: func(p *Problem, sum float64, i, j int) []float64 {
			return []float64{float64(n.root(float32(sum), float32(p.At(1, i, j)), false))}
		},
	}
}

// TestSteep: a failure at operands where the function is chaotic says so, and names them. With a range that
// excludes them the same kernel passes. A wrong kernel of a function that is not steep fails without such advice.
func TestSteep(t *testing.T) {
	failures := func(n newton) string {
		var r Recorder
		Run(&r, func(int) Case { return n.described() })
		return strings.Join(r.Failures, "\n")
	}
	const low = 0.125
	for _, c := range []struct {
		n    newton
		want []string // nil: no failure
		not  string
	}{
		{newton{}, []string{"the function is steep here", "parameter 2 from -", "the sum from ", "gemm.PerRow[float32](...).Within(low, high) for parameter 2"}, "is within"},
		{newton{low: low, high: 1}, nil, "x"},
		{newton{low: -1, high: 1}, []string{"or a narrower one: parameter 2 is within (-1, 1)"}, "(low, high)"},
		{newton{low: low, high: 1, lossy: 1e-3}, []string{"want"}, "steep"},
		{newton{step: true, lossy: 1e-3}, []string{"want"}, "steep"}, // whose jump is elsewhere
	} {
		have := failures(c.n)
		for _, w := range c.want {
			if !strings.Contains(have, w) {
				t.Errorf("%+v: no %q in\n%s", c.n, w, have)
			}
		}
		if c.want == nil && have != "" || strings.Contains(have, c.not) {
			t.Errorf("%+v:\n%s", c.n, have)
		}
	}
}

// TestSteepest: what counts is how much faster a result changes than an operand, both by itself and relative to the sizes.
func TestSteepest(t *testing.T) {
	for _, c := range []struct {
		name string
		x    float64
		f    func(x float64) float64
		want bool
	}{
		{"a factor", 3, func(x float64) float64 { return 1e6 * x }, false},
		{"a difference of nearly equal numbers", 1, func(x float64) float64 { return x - 1 }, false},
		{"near a pole", 1e-20, func(x float64) float64 { return 1 / x }, false},
		{"an exponential", 80, math.Exp, false},
		{"rounding to an integer", 0.5, func(x float64) float64 { return math.Round(x) }, true},
		{"a wave", 1, func(x float64) float64 { return math.Sin(1e6 * x) }, true},
		{"a jump at the operand", 2, func(x float64) float64 { return map[bool]float64{true: 5, false: -5}[x > 2] }, true},
		{"a jump elsewhere", 2.001, func(x float64) float64 { return map[bool]float64{true: 5, false: -5}[x > 2] }, false},
		{"an end of the numbers", 0, math.Log, true},
		{"no number", -3, math.Log, false},
	} {
		jump, have := steepest(func(y float64) float64 { return ulpOf(dtype.F32, y) }, func(n float64) (x, y float64) {
			x = roundTo(dtype.F32, c.x+n*ulpOf(dtype.F32, c.x))
			return x, roundTo(dtype.F32, c.f(x))
		})
		if have != c.want {
			t.Errorf("%s: %v, %+v", c.name, have, jump)
		}
	}
}
