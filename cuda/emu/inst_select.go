package emu

import "strings"

// Comparison and selection (ISA 9.7.6).

var comparisons = map[string]string{
	".eq": "eq", ".ne": "ne", ".lt": "lt", ".le": "le", ".gt": "gt", ".ge": "ge", ".lo": "lt", ".ls": "le", ".hi": "gt", ".hs": "ge",
	".equ": "equ", ".neu": "neu", ".ltu": "ltu", ".leu": "leu", ".gtu": "gtu", ".geu": "geu", ".num": "num", ".nan": "nan",
}

func ordered[T int64 | uint64 | float64](op string, a, b T) bool {
	switch op {
	case "eq", "equ":
		return a == b
	case "ne", "neu":
		return a != b
	case "lt", "ltu":
		return a < b
	case "le", "leu":
		return a <= b
	case "gt", "gtu":
		return a > b
	}
	return a >= b
}

// comparison takes an operator and returns how it compares two operands of type t,
// which comes after it.
func (c *compiler) comparison() (op string) {
	op, ok := takeOf(c, func(m string) (string, bool) { o, ok := comparisons[m]; return o, ok })
	if !ok {
		c.fail("a comparison such as .lt is missing")
	}
	return op
}

// unsignedWords are the comparisons that have a name of their own for unsigned integers.
var unsignedWords = map[string]bool{".lo": true, ".ls": true, ".hi": true, ".hs": true}

func (c *compiler) compare(op string, t typ, ftz bool) func(x, y uint64) bool {
	word := ""
	for _, m := range c.in.mods {
		if unsignedWords[m] {
			word = m
		}
	}
	if word != "" && (t.float() || t.is("bf16")) {
		c.fail("%s is for unsigned integers", word)
	}
	value := func(x uint64) float64 { return f64(x) }
	switch {
	case t.name == "f32":
		value = func(x uint64) float64 { return float64(floatMode{ftz: ftz}.in(x)) }
	case t.is("f16", "bf16"):
		h := halfOf(t)
		value = func(x uint64) float64 { return h.in(x, halfMode{ftz: ftz}) }
	case t.name == "f64":
	case len(op) > 2:
		c.fail(".%s is for floats", op)
	case unsignedWords[word] && (t.signed() || t.class == classBits):
		c.fail("%s is for unsigned integers", word)
	case t.class == classBits && op != "eq" && op != "ne":
		c.fail("%v is compared by .eq and .ne only", t)
	case t.signed():
		return func(x, y uint64) bool { return ordered(op, signExtend(x, t.size), signExtend(y, t.size)) }
	default:
		return func(x, y uint64) bool { return ordered(op, x, y) }
	}
	return func(x, y uint64) bool {
		a, b := value(x), value(y)
		nan := a != a || b != b
		switch {
		case op == "num":
			return !nan
		case op == "nan":
			return nan
		case nan:
			return len(op) > 2 // the u stands for unordered
		}
		return ordered(op, a, b)
	}
}

const (
	compareTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"
	halfCompares = " f16 f16x2 bf16 bf16x2"
)

// A comparing is what setp and set have in common.
type comparing struct {
	op   string
	t    typ    // of what is compared
	join string // .and, .or, .xor or ""
	s    int    // predicate that the result is joined with
	not  bool
	ftz  bool
}

// comparing takes the modifiers of setp and set; dest takes the type of set's result,
// which stands before that of the operands.
func (c *compiler) comparing(dest func()) (k comparing) {
	k.op = c.comparison()
	k.join = c.take(".and", ".or", ".xor")
	k.ftz = c.has(".ftz")
	dest()
	k.t = c.oneOf(compareTypes + halfCompares)
	if k.ftz && !k.t.is("f32", "f16", "f16x2") {
		c.fail(".ftz is for .f32 and .f16")
	}
	n := 3
	if k.join != "" {
		n = 4
	}
	c.arity(n, n)
	return k
}

// with takes the predicate that results are joined with.
func (c *compiler) with(k *comparing) {
	if k.join != "" {
		k.s, k.not = c.predSrc(c.arg(3))
	}
}

// joined is what a comparison of lanes gives.
func (k *comparing) joined(w *warp, t uint32) uint32 {
	switch k.join {
	case ".and":
		return t & w.pred(k.s, k.not)
	case ".or":
		return t | w.pred(k.s, k.not)
	case ".xor":
		return t ^ w.pred(k.s, k.not)
	}
	return t
}

// pair returns how the two halves of a packed type are compared.
func (c *compiler) pair(k comparing) (lo, hi func(x, y uint64) bool) {
	f := c.compare(k.op, types[strings.TrimSuffix(k.t.name, "x2")], k.ftz)
	return func(x, y uint64) bool { return f(x&0xffff, y&0xffff) }, func(x, y uint64) bool { return f(x>>16, y>>16) }
}

// setp.op.bool.type p|q, a, b, c: p = (a op b) bool c, q = !(a op b) bool c. For a
// packed type, p is of the lower half and q of the upper one.
func (c *compiler) setp() {
	k := c.comparing(func() {})
	first := c.arg(0)
	q := -1
	p := c.predDst(first)
	if first.pair != nil {
		if k.t.is("f16", "bf16") {
			c.failAt(first.pair, "a half float has no second result")
		}
		q = c.predDst(first.pair)
	}
	c.with(&k)
	a, b := c.src(1, k.t), c.src(2, k.t)
	if k.t.packed() {
		lo, hi := c.pair(k)
		one := func(f func(x, y uint64) bool, p int) func(*warp, uint32) {
			return test(p, a, b, f, func(w *warp, t uint32) (uint32, uint32) { return k.joined(w, t), 0 }, -1)
		}
		first, second := one(lo, p), one(hi, q)
		c.ins.run = func(w *warp, m uint32) {
			// The second must not see the first where that is the joined predicate.
			if q >= 0 && q != k.s {
				second(w, m)
				first(w, m)
				return
			}
			first(w, m)
			second(w, m)
		}
		return
	}
	f := c.compare(k.op, k.t, k.ftz)
	c.ins.run = test(p, a, b, f, func(w *warp, t uint32) (uint32, uint32) { return k.joined(w, t), k.joined(w, ^t) }, q)
}

// set is setp that writes all ones or 1.0.
func (c *compiler) set() {
	var d typ
	k := c.comparing(func() { d = c.oneOf("u32 s32 f32 u16 s16 f16 bf16 f16x2 bf16x2") })
	packed := k.t.packed()
	switch {
	case packed && !(d.name == k.t.name || d.is("u32", "s32")),
		!packed && d.packed(),
		d.is("u16", "s16") && !k.t.is("f16", "bf16"), d.name == "f32" && k.t.is("f16", "bf16"),
		d.name == "bf16" && k.t.class == classBits && k.t.name != "bf16" && k.t.name != "f16", d.name == "f16" && k.t.class == classBits,
		d.name == "bf16" && k.ftz:
		c.fail("%v of a comparison of %v is not written", d, k.t)
	}
	yes := map[string]uint64{"f32": 0x3f800000, "f16": 0x3c00, "bf16": 0x3f80, "f16x2": 0x3c00, "bf16x2": 0x3f80}[d.name]
	if yes == 0 {
		if yes = maskOf(d.size); packed {
			yes = 0xffff
		}
	}
	c.with(&k)
	dst, a, b := c.dst(0, d), c.src(1, k.t), c.src(2, k.t)
	var lo, hi func(x, y uint64) bool
	if packed {
		lo, hi = c.pair(k)
	} else {
		lo = c.compare(k.op, k.t, k.ftz)
	}
	c.ins.run = func(w *warp, m uint32) {
		A, B, D := &w.r[a], &w.r[b], &w.r[dst]
		for ; m != 0; m &= m - 1 {
			i := trailing(m) & 31
			at := func(f func(x, y uint64) bool) uint64 {
				return uint64(k.joined(w, uint32(btoi(f(A[i], B[i])))<<i) >> i & 1)
			}
			v := at(lo) * yes
			if hi != nil {
				v |= at(hi) * yes << 16
			}
			D[i] = v
		}
	}
}

func (c *compiler) selp() {
	t := c.oneOf(compareTypes)
	c.arity(4, 4)
	d, a, b := c.dst(0, t), c.src(1, t), c.src(2, t)
	p, not := c.predSrc(c.arg(3))
	c.ins.run = func(w *warp, m uint32) {
		D, A, B, v := &w.r[d], &w.r[a], &w.r[b], w.pred(p, not)
		for ; m != 0; m &= m - 1 {
			i := trailing(m) & 31
			if v>>i&1 != 0 {
				D[i] = A[i]
			} else {
				D[i] = B[i]
			}
		}
	}
}

// slct d, a, b, c: a if c >= 0, else b.
func (c *compiler) slct() {
	ftz := c.has(".ftz")
	t := c.oneOf(compareTypes)
	u := c.oneOf("s32 f32")
	if ftz && !u.float() {
		c.fail(".ftz is for .f32")
	}
	mode := floatMode{ftz: ftz}
	c.ternary(t, t, t, u, func(x, y, z uint64) uint64 {
		if u.signed() && int32(z) >= 0 || u.float() && mode.in(z) >= 0 {
			return x
		}
		return y
	})
}
