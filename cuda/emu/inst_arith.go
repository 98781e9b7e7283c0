package emu

// The arithmetic instructions that exist for integers and floats. Each looks at its
// type and goes to inst_int.go, inst_float.go or inst_half.go.

const (
	intTypes   = "u16 s16 u32 s32 u64 s64"
	floatTypes = "f32 f64"
	halfTypes  = "f16 f16x2 bf16 bf16x2"
)

// A family is how an operation is done on each kind of number.
type family struct {
	ints   func(c *compiler, t typ)
	floats func(c *compiler, t typ)
	halves func(c *compiler, t typ)
}

func (c *compiler) arith(f family) {
	t := c.typ()
	switch {
	case t.is("f32", "f64") && f.floats != nil:
		f.floats(c, t)
	case t.is("f16", "f16x2", "bf16", "bf16x2") && f.halves != nil:
		f.halves(c, t)
	case f.ints != nil && (t.integer() && t.size >= 2 && t.size <= 8):
		f.ints(c, t)
	default:
		c.fail("%v is not one of its types", t)
	}
}

func (c *compiler) add() {
	c.arith(family{
		ints:   func(c *compiler, t typ) { c.intSum(t, 1) },
		floats: func(c *compiler, t typ) { c.float2(t, add32, add64) },
		halves: func(c *compiler, t typ) { c.half2(t, addOdd) },
	})
}

func (c *compiler) sub() {
	c.arith(family{
		ints: func(c *compiler, t typ) { c.intSum(t, -1) },
		floats: func(c *compiler, t typ) {
			c.float2(t, func(a, b float32, r rounding) float32 { return add32(a, -b, r) },
				func(a, b float64, r rounding) float64 { return add64(a, -b, r) })
		},
		halves: func(c *compiler, t typ) { c.half2(t, func(a, b float64) float64 { return addOdd(a, -b) }) },
	})
}

func (c *compiler) mul() {
	c.arith(family{
		ints:   (*compiler).intMul,
		floats: func(c *compiler, t typ) { c.float2(t, mul32, mul64) },
		halves: func(c *compiler, t typ) { c.half2(t, func(a, b float64) float64 { return a * b }) },
	})
}

func (c *compiler) mad() {
	c.arith(family{ints: (*compiler).intMad, floats: (*compiler).floatFma})
}

func (c *compiler) fma() {
	c.arith(family{floats: (*compiler).floatFma, halves: (*compiler).halfFma})
}

func (c *compiler) div() {
	c.arith(family{ints: (*compiler).intDiv, floats: (*compiler).floatDiv})
}

func (c *compiler) abs() {
	c.arith(family{ints: (*compiler).intAbs, floats: (*compiler).floatAbs, halves: (*compiler).halfAbs})
}

func (c *compiler) neg() {
	c.arith(family{
		ints: func(c *compiler, t typ) {
			c.want(t, "s16 s32 s64")
			mask := maskOf(t.size)
			c.setUnary(t, func(x uint64) uint64 { return -x & mask })
		},
		floats: (*compiler).floatNeg, halves: (*compiler).halfNeg,
	})
}

func (c *compiler) min() { c.extremum(true) }
func (c *compiler) max() { c.extremum(false) }

func (c *compiler) extremum(least bool) {
	c.arith(family{
		ints:   func(c *compiler, t typ) { c.intExtremum(t, least) },
		floats: func(c *compiler, t typ) { c.floatExtremum(t, least) },
		halves: func(c *compiler, t typ) { c.halfExtremum(t, least) },
	})
}
