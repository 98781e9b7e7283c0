package fn

import (
	"math"
	"slices"
)

// interval bounds the numbers that a value can be, infinities included. NaN is not
// a number: it is in no interval, and what a conversion makes of it is the
// machine's business, as in Go.
type interval struct{ lo, hi float64 }

var everything = interval{math.Inf(-1), math.Inf(1)}

// typeRange returns the interval of all values of t. The upper ends of the widest
// integers are rounded up.
func typeRange(t Type) interval { return typeRanges[t] }

// typeRanges has the interval of each type: rangers ask for them all the time.
var typeRanges = func() (all [len(typeTable)]interval) {
	for t := range all {
		all[t] = newTypeRange(Type(t))
	}
	return all
}()

func newTypeRange(t Type) interval {
	switch {
	case t.Float(), t.Storage():
		return everything
	case t == Bool:
		return interval{0, 1}
	case t.Signed():
		return interval{-math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1) - 1}
	}
	return interval{0, math.Ldexp(1, t.Bits()) - 1}
}

// fits reports whether every number in r, its fraction cut off, is a t.
func fits(t Type, r interval) bool {
	if t.Signed() {
		end := math.Ldexp(1, t.Bits()-1)
		return (r.lo >= -end || r.lo > -end-1) && r.hi < end
	}
	return r.lo > -1 && r.hi < math.Ldexp(1, t.Bits())
}

func (r interval) within(s interval) bool { return s.lo <= r.lo && r.hi <= s.hi }

func (r interval) meet(s interval) interval { return interval{max(r.lo, s.lo), min(r.hi, s.hi)} }

func (r interval) hull(s interval) interval { return interval{min(r.lo, s.lo), max(r.hi, s.hi)} }

// fact is a condition that is known to hold, or not to hold. Or it is a promise: cond is then a parameter, which is
// a number within an interval.
type fact struct {
	cond   *node
	is     bool
	within *interval
}

// ranger computes intervals under facts.
type ranger struct {
	bounds []bound // what the facts say of nodes; the last is the newest
	ors    []*node // conditions of which one alternative holds
	not    []*node // conditions that do not hold
	nums   []*node // parameters that are promised not to be NaN
	memo   *rangeMemo
	work   int // done of what may be
	most   int
}

// How much is searched: for the number itself, and for each fact, which may say nothing
// of it.
const (
	maxRange = 100_000
	maxFact  = 2_000
)

type bound struct {
	n *node
	r interval
}

// rangeOf returns an interval that x is in wherever the facts hold.
func rangeOf(x *node, facts []fact) interval {
	r := &ranger{memo: rangeMemos.Get().(*rangeMemo), most: maxFact}
	r.memo.reset()
	for _, f := range facts {
		if f.within != nil {
			r.nums = append(r.nums, f.cond)
			r.bound(f.cond, *f.within)
			continue
		}
		r.assume(f.cond, f.is)
		if r.work > r.most { // a search that was given up is no use to others
			r.memo.forget(0)
		}
		r.work = 0
	}
	r.most = maxRange
	v := r.of(x)
	rangeMemos.Put(r.memo)
	return v
}

// assume adds what a condition says about the nodes that it compares.
func (r *ranger) assume(c *node, is bool) {
	switch {
	case c.op == opNot:
		r.assume(c.args[0], !is)
	case c.op == opAnd && is, c.op == opOr && !is:
		r.assume(c.args[0], is)
		r.assume(c.args[1], is)
	case c.op == opOr:
		r.ors = append(r.ors, c)
		r.exclude(c)
	}
	if !is {
		r.not = append(r.not, c)
		for _, or := range r.ors {
			r.exclude(or)
		}
	}
	if c.op == opCmp {
		name := c.name
		if !is {
			name = inverse[name]
		}
		x, y := c.args[0], c.args[1]
		a, b := r.of(x), r.of(y)
		if name == "ne" && x.t.Int() {
			r.bound(x, without(a, b))
			r.bound(y, without(b, a))
			return
		}
		// That x > y does not hold says something of x only if y is not NaN.
		if is || r.number(y) {
			r.bound(x, below(name, b, x.t))
		}
		if is || r.number(x) {
			r.bound(y, below(mirror[name], a, y.t))
		}
	}
}

// exclude assumes the alternative of an or whose other one does not hold.
func (r *ranger) exclude(or *node) {
	for i, c := range or.args {
		if slices.Contains(r.not, c) {
			r.ors = slices.DeleteFunc(slices.Clone(r.ors), func(o *node) bool { return o == or })
			r.assume(or.args[1-i], true)
			return
		}
	}
}

func (r *ranger) bound(n *node, by interval) {
	if n.isConst() || n.t == Bool {
		return
	}
	if v, ok := r.memo.known(n); ok && v.within(by) {
		return // nothing new
	}
	r.bounds = append(r.bounds, bound{n, by})
	r.memo.forget(n.id) // what was made before n does not depend on it
}

var mirror = map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}

// below returns what is known of an x of type t if "x name y" holds for a y in b.
func below(name string, b interval, t Type) interval {
	switch name {
	case "eq":
		return b
	case "lt":
		return interval{math.Inf(-1), step(b.hi, t, -1)}
	case "le":
		return interval{math.Inf(-1), b.hi}
	case "gt":
		return interval{step(b.lo, t, 1), math.Inf(1)}
	case "ge":
		return interval{b.lo, math.Inf(1)}
	}
	return everything
}

// step returns the number of type t after x towards the sign of dir.
func step(x float64, t Type, dir float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return x
	case t == Float32 && float64(float32(x)) == x:
		return float64(math.Nextafter32(float32(x), float32(math.Inf(int(dir)))))
	case t.Float():
		return math.Nextafter(x, math.Inf(int(dir)))
	case math.Abs(x) >= 1<<53: // the bound itself may have been rounded
		return x
	}
	return x + dir
}

// of returns the interval of n under the assumptions.
func (r *ranger) of(n *node) interval {
	if v, ok := r.memo.known(n); ok {
		return v
	}
	if r.work++; r.work > r.most {
		return typeRange(n.t)
	}
	v := r.made(n).meet(typeRange(n.t))
	for _, b := range r.bounds {
		if b.n == n {
			v = v.meet(b.r)
		}
	}
	r.memo.set(n, v)
	return v
}

// made returns the interval of n from those of its operands.
func (r *ranger) made(n *node) interval {
	full := typeRange(n.t)
	of := func(i int) interval { return r.of(n.args[i]) }
	monotone := func(f func(float64) float64) interval {
		x := of(0)
		return interval{f(x.lo), f(x.hi)}
	}
	switch n.op {
	case opConst:
		return constantEnds(n.t, n.bits)
	case opTable:
		ends, _ := tableEnds(n)
		return ends
	case opAdd, opSub, opMul, opDiv:
		return r.arithmetic(n, of(0), of(1))
	case opNeg:
		x := of(0)
		return interval{-x.hi, -x.lo}
	case opAbs:
		x := of(0)
		top := max(math.Abs(x.lo), math.Abs(x.hi))
		if x.lo <= 0 && x.hi >= 0 {
			return interval{0, top}
		}
		return interval{min(math.Abs(x.lo), math.Abs(x.hi)), top}
	case opSign:
		top := max(math.Abs(of(0).lo), math.Abs(of(0).hi))
		return interval{-top, top}
	case opSqrt:
		return interval{0, floatOf(n.t, floatBits(n.t, math.Sqrt(max(of(0).hi, 0))))}
	case opFloor, opCeil, opTrunc, opEven, opAway:
		f := ops[n.op].floats
		return monotone(func(x float64) float64 { return f([]float64{x}) })
	case opRounded:
		return of(0)
	case opMax, opMathMax, opVMax:
		return r.orSecond(n, of(1), interval{max(of(0).lo, of(1).lo), max(of(0).hi, of(1).hi)})
	case opMin, opMathMin, opVMin:
		return r.orSecond(n, of(1), interval{min(of(0).lo, of(1).lo), min(of(0).hi, of(1).hi)})
	case opSelect:
		return r.under(n.args[0], true, n.args[1]).hull(r.under(n.args[0], false, n.args[2]))
	case opCall:
		if n.name == "math.Mod" {
			c := math.Abs(n.args[1].float())
			return interval{-c, c}
		}
		if n.name == "math.Exp" { // its error is a part of it, but for denormals
			x := of(0)
			return interval{max(0, math.Exp(x.lo)/slack-math.SmallestNonzeroFloat32), math.Exp(x.hi) * slack}
		}
		if row := callRows[n.name]; row.ends != (interval{}) {
			return row.ends
		}
	case opAnd:
		if x, y := of(0), of(1); n.t.Int() && (x.lo >= 0 || y.lo >= 0) {
			if x.lo < 0 || y.lo >= 0 && y.hi < x.hi {
				x = y
			}
			return interval{0, x.hi}
		}
	case opShr:
		if x := of(0); x.lo >= 0 {
			return interval{math.Floor(math.Ldexp(x.lo, -int(n.bits))), math.Floor(math.Ldexp(x.hi, -int(n.bits)))}
		}
		return interval{0, math.Ldexp(1, n.t.Bits()-int(n.bits))}
	case opSar:
		return monotone(func(x float64) float64 { return math.Floor(math.Ldexp(x, -int(n.bits))) })
	case opShl:
		if x := monotone(func(x float64) float64 { return math.Ldexp(x, int(n.bits)) }); x.within(full) {
			return x
		}
	case opQuo, opRem, opShlBy, opShrBy, opSarBy, opOnes, opLeading:
		return r.integer(n)
	case opConv:
		x := of(0)
		switch from := n.args[0].t; {
		case n.t.Storage():
			return full
		case n.t == Float32: // rounding is monotone
			return interval{float64(float32(x.lo)), float64(float32(x.hi))}
		case n.t == Float64:
			return x
		case from.Float() && !r.number(n.args[0]): // a NaN becomes any integer
			return full
		case from.Float() && fits(n.t, x): // else it is what the machine makes of it
			return monotone(math.Trunc)
		case from.Float():
			return full
		case x.within(full):
			return x
		}
	}
	return full
}

// constantEnds returns the interval of one number.
func constantEnds(t Type, bits uint64) interval {
	x := 0.0
	switch {
	case t.Float():
		x = floatOf(t, bits)
	case t == Uint64:
		x = float64(bits)
	default:
		x = float64(intOf(t, bits))
	}
	if x != x {
		return interval{math.Inf(1), math.Inf(-1)} // no number
	}
	return interval{x, x}
}

// orSecond adds what VMAXPS and VMINPS give if their first operand is NaN.
func (r *ranger) orSecond(n *node, second, v interval) interval {
	if (n.op == opVMax || n.op == opVMin) && !r.number(n.args[0]) {
		return v.hull(second)
	}
	return v
}

func (r *ranger) number(x *node) bool { return number(x, r.nums) }

// number reports whether x is known not to be NaN, if some parameters are not.
func number(x *node, params []*node) bool {
	switch x.op {
	case opParam:
		return !differs(x.t) || slices.Contains(params, x)
	case opConst:
		return !x.t.Float() || x.float() == x.float()
	case opTable:
		_, numbers := tableEnds(x)
		return numbers || !x.t.Float()
	case opConv:
		return x.args[0].t.Int() || number(x.args[0], params)
	case opNeg, opAbs, opFloor, opCeil, opTrunc, opEven, opAway, opRounded:
		return number(x.args[0], params)
	case opVMax, opVMin:
		return number(x.args[1], params)
	case opMax, opMin:
		return number(x.args[0], params) && number(x.args[1], params)
	case opSelect:
		return number(x.args[1], params) && number(x.args[2], params)
	}
	return x.t.Int()
}

// arithmetic returns the interval of a sum, difference, product or quotient. All
// of them are monotone in each operand, so the ends come from ends; a product that
// may be fused comes in unrounded.
func (r *ranger) arithmetic(n *node, x, y interval) interval {
	full := typeRange(n.t)
	if x.lo > x.hi || y.lo > y.hi {
		return x // no number comes in, none goes out
	}
	if n.t.Float() && (n.op == opAdd || n.op == opSub) {
		if product(n.args[0]) != nil {
			x = unrounded(x, n.t)
		}
		if product(n.args[1]) != nil {
			y = unrounded(y, n.t)
		}
	}
	v := interval{math.Inf(1), math.Inf(-1)}
	square := n.op == opMul && n.args[0] == n.args[1]
	if square && x.lo <= 0 && x.hi >= 0 {
		v = interval{}
	}
	for _, a := range []float64{x.lo, x.hi} {
		for _, b := range []float64{y.lo, y.hi} {
			if square && a != b {
				continue
			}
			var z float64
			switch n.op {
			case opAdd:
				z = a + b
			case opSub:
				z = a - b
			case opMul:
				if z = a * b; z != z { // 0 * Inf as a limit: 0 times any number
					z = 0
				}
			case opDiv:
				if y.lo <= 0 && y.hi >= 0 || math.IsInf(b, 0) {
					return full
				}
				z = a / b
			}
			if z != z {
				return full
			}
			v = v.hull(interval{z, z})
		}
	}
	switch {
	case n.t.Float():
		if n.t == Float32 {
			v = interval{float64(float32(v.lo)), float64(float32(v.hi))}
		}
		return v
	case v.within(full) && math.Abs(v.lo) < 1<<53 && math.Abs(v.hi) < 1<<53:
		return v
	}
	return full // it may wrap
}

// unrounded returns an interval that has all that rounds to a number of r. A difference
// of nearly equal numbers may be nothing but what rounding would have dropped, and what
// rounds to infinity is finite.
func unrounded(r interval, t Type) interval {
	next := func(x float64, to int) float64 {
		if t == Float32 {
			return float64(math.Nextafter32(float32(x), float32(math.Inf(to))))
		}
		return math.Nextafter(x, math.Inf(to))
	}
	return interval{next(r.lo, -1), next(r.hi, 1)}
}

// under returns the interval of x where the condition c is as given.
func (r *ranger) under(c *node, is bool, x *node) interval {
	if c.op != opCmp && c.op != opAnd && c.op != opOr && c.op != opNot {
		return r.of(x)
	}
	outer, around := *r, r.memo.open()
	r.assume(c, is)
	v := r.of(x)
	r.memo.close(around)
	outer.work = r.work
	*r = outer
	return v
}
