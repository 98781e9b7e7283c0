package emu

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
	for i, m := range c.mods {
		if o, ok := comparisons[m]; ok {
			c.mods = append(c.mods[:i:i], c.mods[i+1:]...)
			return o
		}
	}
	c.fail("a comparison such as .lt is missing")
	return ""
}

func (c *compiler) compare(op string, t typ, ftz bool) func(x, y uint64) bool {
	value := func(x uint64) float64 { return f64(x) }
	switch {
	case t.name == "f32":
		value = func(x uint64) float64 { return float64(floatMode{ftz: ftz}.in(x)) }
	case t.is("f16", "bf16"):
		value = formats[t.name].decode
	case t.name == "f64":
	case len(op) > 2:
		c.fail(".%s is for floats", op)
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

const compareTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16"

// setp.op.bool.type p|q, a, b, c: p = (a op b) bool c, q = !(a op b) bool c.
func (c *compiler) setp() {
	op := c.comparison()
	join := c.take(".and", ".or", ".xor")
	ftz := c.has(".ftz")
	t := c.oneOf(compareTypes)
	f := c.compare(op, t, ftz)
	n := 3
	if join != "" {
		n = 4
	}
	c.arity(n, n)
	first := c.arg(0)
	q := -1
	p := c.predDst(first)
	if first.pair != nil {
		q = c.predDst(first.pair)
	}
	var combine func(w *warp, t uint32) (uint32, uint32)
	if join != "" {
		s, not := c.predSrc(c.arg(3))
		combine = func(w *warp, t uint32) (uint32, uint32) {
			v := w.pred(s, not)
			switch join {
			case ".and":
				return t & v, ^t & v
			case ".or":
				return t | v, ^t | v
			}
			return t ^ v, ^t ^ v
		}
	}
	c.ins.run = test(p, c.src(1, t), c.src(2, t), f, combine, q)
}

// set is setp that writes all ones or 1.0.
func (c *compiler) set() {
	op := c.comparison()
	join := c.take(".and", ".or", ".xor")
	ftz := c.has(".ftz")
	d := c.oneOf("u32 s32 f32")
	t := c.oneOf(compareTypes)
	f := c.compare(op, t, ftz)
	yes := uint64(0xffffffff)
	if d.float() {
		yes = 0x3f800000
	}
	n := 3
	var s int
	var not bool
	if join != "" {
		n = 4
	}
	c.arity(n, n)
	if join != "" {
		s, not = c.predSrc(c.arg(3))
	}
	dst, a, b := c.dst(0, d), c.src(1, t), c.src(2, t)
	c.ins.run = func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			i := trailing(m)
			r := f(w.r[a][i], w.r[b][i])
			if join != "" {
				v := w.pred(s, not)>>i&1 != 0
				switch join {
				case ".and":
					r = r && v
				case ".or":
					r = r || v
				default:
					r = r != v
				}
			}
			if w.r[dst][i] = 0; r {
				w.r[dst][i] = yes
			}
		}
	}
}

func (c *compiler) selp() {
	t := c.oneOf("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16")
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
	c.take(".ftz")
	t := c.typ()
	u := c.oneOf("s32 f32")
	c.arity(4, 4)
	c.ins.run = lanes3(c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, u), func(x, y, z uint64) uint64 {
		if u.signed() && int32(z) >= 0 || u.float() && f32(z) >= 0 {
			return x
		}
		return y
	})
}
