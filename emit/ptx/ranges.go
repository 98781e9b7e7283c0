package ptx

import (
	"math"
	"math/bits"

	"github.com/tilesmith/tilesmith/emit"
)

// interval is the signed numbers that an integer may be, both ends included.
type interval struct{ lo, hi int64 }

// all returns every number of a type.
func all(el emit.Elem) interval {
	n := el.Bits()
	return interval{math.MinInt64 >> (64 - n), math.MaxInt64 >> (64 - n)}
}

func (a interval) union(b interval) interval { return interval{min(a.lo, b.lo), max(a.hi, b.hi)} }
func (a interval) inside(b interval) bool    { return b.lo <= a.lo && a.hi <= b.hi }

// ranges is what scalar integers can be: the width of a block, masks and remainders
// bound most indices inside a tile.
//
// It is found by walks in program order, until one changes nothing. A value that a loop
// carries begins as what enters the loop and grows by what comes back. If it keeps
// growing, it is assumed to have no bound in that direction.
type ranges struct {
	known   map[*emit.Value]interval
	carried map[*emit.Value]*growth
	changed bool
}

// growth is what a loop has been seen to carry.
type growth struct {
	interval
	times int  // that it grew
	fixed bool // it does not grow
}

// maxWalks bounds the walks of functions that nobody would write.
const maxWalks = 32

func findRanges(f *emit.Func) *ranges {
	r := &ranges{known: map[*emit.Value]interval{}, carried: map[*emit.Value]*growth{}}
	for n := 0; ; n++ {
		r.changed = false
		r.block(f.Body)
		if !r.changed {
			return r
		}
		if n == maxWalks { // nothing is known of what loops carry
			for v, g := range r.carried {
				g.interval, g.fixed = all(v.Type.Elem), true
			}
		}
	}
}

func isInt(v *emit.Value) bool {
	return v.Type.Elem.Int() && v.Type.Lanes == 1 && v.Type.Regs == 0 && !v.Type.Ptr
}

// of returns what v can be; it has to be a scalar integer.
func (r *ranges) of(v *emit.Value) interval {
	if c, ok := intConst(v); ok {
		return interval{c, c}
	}
	if a, ok := r.known[v]; ok {
		return a
	}
	return all(v.Type.Elem)
}

func (r *ranges) block(b *emit.Block) {
	for _, op := range b.Ops {
		switch op.Def.Name {
		case "for":
			r.loop(op)
		case "while":
			r.while(op)
		case "if":
			then, otherwise := op.Blocks[0], op.Blocks[1]
			r.block(then)
			r.block(otherwise)
			for i, v := range op.Results {
				if isInt(v) {
					r.known[v] = r.of(yields(then)[i]).union(r.of(yields(otherwise)[i]))
				}
			}
		default:
			if v := op.Result(); v != nil && isInt(v) && op.Inst == nil {
				if a := r.result(op); a.inside(all(v.Type.Elem)) && a.lo <= a.hi {
					r.known[v] = a
				} else {
					delete(r.known, v)
				}
			}
		}
	}
}

// enter sets what a loop carries into args; inits come first.
func (r *ranges) enter(args, inits, back []*emit.Value) {
	for i, a := range args {
		if !isInt(a) {
			continue
		}
		g := r.carried[a]
		if g == nil {
			g = &growth{interval: r.of(inits[i])}
			if wrapped, ok := wrapping(a, inits[i], back[i]); ok {
				g.interval, g.fixed = wrapped, true
			}
			r.carried[a] = g
		}
		r.grow(a, inits[i])
		r.known[a] = g.interval
	}
}

// again adds what comes back, when the loop's blocks have been walked.
func (r *ranges) again(args, back []*emit.Value) {
	for i, a := range args {
		if isInt(a) {
			r.grow(a, back[i])
		}
	}
}

// grow adds what v can be to what a loop carries in a.
func (r *ranges) grow(a, v *emit.Value) {
	g, x := r.carried[a], r.of(v)
	if g.fixed || x.inside(g.interval) {
		return
	}
	g.times++
	if g.times > 2 {
		most := all(a.Type.Elem)
		if x.lo < g.lo {
			x.lo = most.lo
		}
		if x.hi > g.hi {
			x.hi = most.hi
		}
	}
	g.interval, r.changed = g.union(x), true
}

// wrapping returns the range of a carried value that wraps around: it becomes start when
// another step would make it end, which it meets.
func wrapping(a, init, back *emit.Value) (interval, bool) {
	none := interval{}
	if back.Op == nil || back.Op.Def.Name != "select" {
		return none, false
	}
	wrap, next := back.Op.Args[0].Op, back.Op.Args[2]
	start, ok := intConst(back.Op.Args[1])
	first, known := intConst(init)
	if !ok || !known || wrap == nil || wrap.Def.Name != "cmp" || wrap.Attr.Name != "eq" || wrap.Args[0] != next ||
		next.Op == nil || next.Op.Def.Name != "add" {
		return none, false
	}
	end, ok := intConst(wrap.Args[1])
	step, known := intConst(next.Op.Args[1])
	if !ok || !known || next.Op.Args[0] != a || step <= 0 || start >= end || first >= end ||
		start < math.MinInt32 || first < math.MinInt32 || (end-start)%step != 0 || (end-first)%step != 0 {
		return none, false
	}
	return interval{min(start, first), end - step}, true
}

func (r *ranges) loop(op *emit.Op) {
	body := op.Blocks[0]
	idx, lo, hi := body.Args[0], r.of(op.Args[0]), r.of(op.Args[1])
	delete(r.known, idx)
	if step, ok := intConst(op.Args[2]); ok && step > 0 {
		// The index stops at hi, if the step over it does not wrap round.
		if _, fits := addOK(hi.hi, step-1); fits && hi.hi+step-1 <= all(idx.Type.Elem).hi && hi.hi > math.MinInt64 {
			r.known[idx] = interval{lo.lo, max(hi.hi-1, lo.lo)}
		}
	}
	r.enter(body.Args[1:], op.Args[3:], yields(body))
	r.block(body)
	r.again(body.Args[1:], yields(body))
	for i, v := range op.Results {
		if isInt(v) {
			r.known[v] = r.of(body.Args[1+i]).union(r.of(op.Args[3+i]))
		}
	}
}

func (r *ranges) while(op *emit.Op) {
	head, body := op.Blocks[0], op.Blocks[1]
	r.enter(head.Args, op.Args, yields(body))
	r.block(head)
	for i, a := range body.Args {
		if isInt(a) {
			r.known[a] = r.of(yields(head)[1+i])
		}
	}
	r.block(body)
	r.again(head.Args, yields(body))
	for i, v := range op.Results {
		if isInt(v) {
			r.known[v] = r.of(yields(head)[1+i])
		}
	}
}

// greatest are the special registers' greatest values. CUDA programming guide,
// "Compute Capabilities".
var greatest = map[string]int64{
	"tid.x": 1023, "tid.y": 1023, "tid.z": 63, "ntid.x": 1024, "ntid.y": 1024, "ntid.z": 64,
	"ctaid.x": 1<<31 - 2, "ctaid.y": 65534, "ctaid.z": 65534, "nctaid.x": 1<<31 - 1, "nctaid.y": 65535, "nctaid.z": 65535,
	"laneid": 31, "warpid": 31, "warpgroup": 7, "cluster_ctarank": 15, "smid": 1 << 16,
}

// result returns what op makes of its operands. It may say more than the type holds,
// or nothing: then the result wraps round or is not known.
func (r *ranges) result(op *emit.Op) interval {
	v := op.Result()
	none := interval{1, 0}
	if op.Def.Name == "sreg" {
		if most, ok := greatest[op.Attr.Name]; ok {
			return interval{0, most}
		}
		return none
	}
	var a [3]interval
	for i, x := range op.Args {
		if i < 3 && isInt(x) {
			a[i] = r.of(x)
		}
	}
	x, y := a[0], a[1]
	switch op.Def.Name {
	case "copy":
		return x
	case "add":
		return between(addOK, x, y)
	case "sub":
		return between(addOK, x, interval{-y.hi, -y.lo}).unless(y.lo == math.MinInt64)
	case "mul":
		return between(mulOK, x, y)
	case "shl":
		if y.lo == y.hi && 0 <= y.lo && y.lo < 63 {
			return between(mulOK, x, interval{1 << y.lo, 1 << y.lo})
		}
	case "shr":
		if y.lo == y.hi && 0 <= y.lo && y.lo < int64(v.Type.Elem.Bits()) {
			switch {
			case x.lo >= 0:
				return interval{x.lo >> y.lo, x.hi >> y.lo}
			case y.lo > 0:
				return interval{0, int64(^uint64(0) >> (64 - v.Type.Elem.Bits()) >> y.lo)}
			}
		}
	case "sar":
		if y.lo == y.hi && 0 <= y.lo && y.lo < 64 {
			return interval{x.lo >> y.lo, x.hi >> y.lo}
		}
	case "and":
		switch {
		case x.lo >= 0 && y.lo >= 0:
			return interval{0, min(x.hi, y.hi)}
		case x.lo >= 0:
			return interval{0, x.hi}
		case y.lo >= 0:
			return interval{0, y.hi}
		}
	case "or", "xor":
		if x.lo >= 0 && y.lo >= 0 {
			return interval{0, 1<<bits.Len64(uint64(x.hi|y.hi)) - 1}
		}
	case "udiv":
		if x.lo >= 0 && y.lo > 0 {
			return interval{x.lo / y.hi, x.hi / y.lo}
		}
	case "urem":
		if x.lo >= 0 && y.lo > 0 {
			return interval{0, min(x.hi, y.hi-1)}
		}
	case "popcnt", "clz":
		return interval{0, int64(v.Type.Elem.Bits())}
	case "imin":
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}
	case "imax":
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}
	case "select":
		return y.union(a[2])
	case "sext":
		return x
	case "zext":
		if x.lo >= 0 {
			return x
		}
		return interval{0, 1<<op.Args[0].Type.Elem.Bits() - 1}
	case "trunc":
		if x.inside(all(v.Type.Elem)) {
			return x
		}
	case "sat":
		to := all(v.Type.Elem)
		if op.Attr.Name == "s" {
			return interval{min(max(x.lo, to.lo), to.hi), min(max(x.hi, to.lo), to.hi)}
		}
	}
	return none
}

func (a interval) unless(bad bool) interval {
	if bad {
		return interval{1, 0}
	}
	return a
}

// between returns from the least to the greatest result of f on the ends of x and y,
// for an f that is monotonic in each. It returns nothing if one overflows.
func between(f func(a, b int64) (int64, bool), x, y interval) interval {
	out := interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			c, ok := f(a, b)
			if !ok {
				return interval{1, 0}
			}
			out = out.union(interval{c, c})
		}
	}
	return out
}

func addOK(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func mulOK(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}
