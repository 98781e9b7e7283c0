package check

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A value is what is known of an output of an element: the function's result for the sum,
// and the hull of its results over the interval that the sum can be in.
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

// allows reports whether a kernel may give have. If a part of the hull allows a result, all of
// it does.
func (x *value) allows(have float64) bool {
	if x.nan || math.IsNaN(have) {
		return math.IsNaN(x.mid) == math.IsNaN(have) || x.nan && x.number
	}
	in := x.wide()
	return in.lo <= have && have <= in.hi || have == x.lo || have == x.hi
}

// values evaluates the function for element (i, j).
func (c *Case) values(p *Problem, i, j int) []value {
	return c.valuesUntil(p, i, j, func([]value) bool { return false })
}

// valuesUntil is values up to where a part of the hull is enough. Most results are what the function gives for the sum
// itself, and the function is called some twenty times for the whole hull.
func (c *Case) valuesUntil(p *Problem, i, j int, enough func([]value) bool) []value {
	t := c.total(p, i, j)
	sum := t.sum
	d, ints := 0.0, c.Acc == dtype.I32
	if !p.exact && !ints {
		significand, _ := numberFormat(c.Acc)
		d = (gamma(float64(t.roundings+2), significand) + gamma(float64(t.roundings+2), 53)) * t.abs
		if c.Flushes { // a step may lose the sum; operands that are lost are not drawn here
			d += float64(t.roundings) * smallNormalOf(c.Acc)
		}
	}
	vs := make([]value, c.outs())
	for o, mid := range c.results(p, sum, i, j) {
		vs[o] = value{interval: interval{mid, mid}, out: o, mid: mid, sum: sum, d: d, nan: math.IsNaN(mid), number: !math.IsNaN(mid)}
		vs[o].slack = c.slack(&vs[o])
	}
	// take widens the hull by the function at another sum, and reports whether that is enough.
	take := func(at float64) bool {
		for o, r := range c.results(p, at, i, j) {
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
	near := ulpOf(c.Acc, sum)
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
	for set := p.nudged; set != 0; set &= set - 1 { // every operand that the function has, moved a little
		slot := bits.TrailingZeros64(set)
		for _, n := range []float64{-units, units} {
			p.nudge = nudge{slot, n}
			if take(sum) {
				return vs
			}
		}
	}
	return vs
}

// slack is how far outside the hull v a result may be. A function's error is relative to its own value, which
// may have cancelled since, as in 1 + erf(x). It counts at the size before that.
func (c *Case) slack(v *value) float64 {
	size := max(math.Abs(v.lo), math.Abs(v.hi))
	slack := c.ulp(v.out, size) + (v.hi - v.lo)
	if c.ULP > 0 {
		slack += c.ULP * c.ulp(v.out, max(size, math.Abs(toSum(c.Acc, v.sum)), 1))
	}
	return slack
}

// element compares the outputs at (i, j) that are stored.
func (c *Case) element(p *Problem, i, j int) error {
	if p.absent != nil && p.absent(i, j) {
		return nil
	}
	if c.Strict && (p.exact || c.Acc == dtype.I32) {
		return c.same(p, i, j)
	}
	have := make([]float64, c.outs())
	for o := range have {
		if c.Slots[o].Out {
			have[o] = p.Load(o, i, j)
		}
	}
	wrong := func(vs []value) int {
		return slices.IndexFunc(vs, func(v value) bool { return c.Slots[v.out].Out && !v.allows(have[v.out]) })
	}
	vs := c.valuesUntil(p, i, j, func(vs []value) bool { return wrong(vs) < 0 })
	o := wrong(vs)
	if o < 0 {
		return nil
	}
	x, steep := vs[o], c.steep(p, o, i, j)
	if math.IsNaN(x.mid) || math.IsNaN(have[o]) {
		return fmt.Errorf("output %d at (%d, %d) is %v, want about %v%s", o, i, j, have[o], x.mid, steep)
	}
	return fmt.Errorf("output %d at (%d, %d) is %v, want %v: between %v and %v for a sum of %v +- %v%s", o, i, j, have[o], x.mid, x.wide().lo, x.wide().hi, x.sum, x.d, steep)
}

// same compares the outputs at (i, j) to the bit.
func (c *Case) same(p *Problem, i, j int) error {
	sum, wants := c.total(p, i, j).sum, p.one[:]
	if c.Results != nil {
		wants = c.results(p, sum, i, j)
	} else {
		wants[0] = c.rounded(sum)
	}
	for o, want := range wants {
		if !c.Slots[o].Out {
			continue
		}
		if have := p.Load(o, i, j); !equal(have, want) {
			return &mismatch{i, j, have, want, " exactly" + outputName(o)}
		}
	}
	return nil
}

// outputName is what messages say of an output other than the first.
func outputName(o int) string {
	if o == 0 {
		return ""
	}
	return fmt.Sprintf(" in output %d", o)
}
