package emu

// The arithmetic instructions that exist for integers and floats. Each looks at its
// type and goes to inst_int.go, inst_float.go or inst_half.go.

const (
	intTypes   = "u16 s16 u32 s32 u64 s64"
	floatTypes = "f32 f64"
)

// A family is how an operation is done on each kind of number, nil where there is none.
type family struct{ ints, floats, halves func(c *compiler, t typ) }

func (c *compiler) arith(f family) {
	t := c.typ()
	make := f.ints
	switch {
	case t.is("f32", "f64"):
		make = f.floats
	case t.half():
		make = f.halves
	case !t.integer() || t.size < 2 || t.size > 8:
		make = nil
	}
	if make == nil {
		c.fail("%v is not one of its types", t)
	}
	make(c, t)
}

func (c *compiler) extremum(least bool) {
	c.arith(family{
		ints:   func(c *compiler, t typ) { c.intExtremum(t, least) },
		floats: func(c *compiler, t typ) { c.floatExtremum(t, least) },
		halves: func(c *compiler, t typ) { c.halfExtremum(t, least) },
	})
}
