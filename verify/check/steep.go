package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The oracle brackets a result by those of neighbours of the operands. Where a function is steep, a unit in the last place
// of an operand moves the result by thousands of units, as an iteration that does not converge does. Neighbours then bound
// nothing: a kernel that rounds one step otherwise may give any number.

// steepness is how many times faster than an operand a result has to change to be called steep. It is so in two ways: by
// themselves, and each relative to its size. Then neither a large factor counts nor a difference of nearly equal numbers.
const steepness = 1 << 10

// A jump is what the step of an operand to its neighbour does to a result.
type jump struct{ from, to, low, high float64 }

// steepest is the largest jump of a function, of which at gives the operand and the result n units away. ok says that
// it is steep: also by more than rounding to a result of so few bits explains.
func steepest(ulp func(y float64) float64, at func(n float64) (x, y float64)) (most jump, ok bool) {
	const far = 8
	x, y := at(-far)
	for n := 1.0 - far; n <= far; n++ {
		from, low := x, y
		if x, y = at(n); x == from || equal(low, y) {
			continue
		}
		dx, dy := math.Abs(x-from), math.Abs(y-low)
		steep := math.IsNaN(dy) || math.IsInf(dy, 0) || // from a number to none
			dy > 16*ulp(max(math.Abs(low), math.Abs(y))) && dy > steepness*dx &&
				dy*max(math.Abs(x), math.Abs(from)) > steepness*dx*max(math.Abs(y), math.Abs(low))
		if steep && (!ok || !(dy <= math.Abs(most.high-most.low))) {
			most, ok = jump{from, x, low, y}, true
		}
	}
	return most, ok
}

// steep is the end of a message about output o of element (i, j): the operands that move the result much faster than they
// change, "" if there are none.
func (c *Case) steep(p *Problem, o, i, j int) string {
	if c.Results == nil {
		return ""
	}
	defer func() { p.nudge = nudge{} }()
	sum := c.total(p, i, j).sum
	ulp := func(y float64) float64 { return c.ulp(o, y) }
	at := func(sum float64) float64 { return c.results(p, sum, i, j)[o] }
	var found, ranges []string
	add := func(name string, t, out dtype.Type, f func(n float64) (x, y float64)) bool {
		jump, ok := steepest(ulp, f)
		if ok {
			found = append(found, fmt.Sprintf("%s from %s to %s takes it from %s to %s", name,
				numberText(t, jump.from), numberText(t, jump.to), numberText(out, jump.low), numberText(out, jump.high)))
		}
		return ok
	}
	out := c.Slots[o].Type
	if c.Acc != dtype.I32 {
		add("the sum", c.Acc, out, func(n float64) (x, y float64) {
			x = toSum(c.Acc, sum+n*ulpOf(c.Acc, sum))
			return x, at(x)
		})
	}
	for slot := range c.Slots {
		s := &c.Slots[slot]
		if p.nudged>>slot&1 == 0 { // the function does not read it, or it is an integer
			continue
		}
		name := fmt.Sprintf("parameter %d", 2+slot-c.outs()) // after the sum
		if !add(name, s.Type, out, func(n float64) (x, y float64) {
			p.nudge = nudge{slot, n}
			return p.At(slot, i, j), at(sum)
		}) {
			continue
		}
		if s.ranged() {
			ranges = append(ranges, fmt.Sprintf("%s is within (%s, %s)", name, numberText(s.Type, s.Low), numberText(s.Type, s.High)))
		} else {
			ranges = append(ranges, fmt.Sprintf("gemm.%s[%s](...).Within(low, high) for %s", s.pattern(), s.Type.Go(), name))
		}
	}
	if found == nil {
		return ""
	}
	text := "; the function is steep here, so that rounding decides what it is: " + strings.Join(found, "; ")
	if ranges != nil {
		text += ". If such operands are not meant, give them a range, or a narrower one: " + strings.Join(ranges, ", ")
	}
	return text
}

// pattern is what package gemm calls an operand like it.
func (s *Slot) pattern() string {
	switch {
	case s.Row && s.Col:
		return "Full"
	case s.Row:
		return "PerRow"
	case s.Col:
		return "PerColumn"
	}
	return "Scalar"
}

// numberText is a number of a type, with as many digits as that has.
func numberText(t dtype.Type, x float64) string {
	bits := 32
	if t == dtype.F64 || t.Integer() {
		bits = 64
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}
