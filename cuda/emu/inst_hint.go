package emu

// Instructions that say how caches and grids should behave and have no effect on values
// (ISA 9.7.9.17, 9.7.13.13).

// createpolicy makes a cache policy. Here all are 0.
func (c *compiler) createpolicy() {
	evict := []string{".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged"}
	second := []string{".L2::evict_first", ".L2::evict_unchanged"}
	c.require(74, 80)
	t := c.oneOf("b64")
	switch c.take(".fractional", ".range", ".cvt") {
	case ".fractional":
		if c.take(evict...) == "" {
			c.fail("a priority such as .L2::evict_last is missing")
		}
		c.take(second...)
		c.arity(1, 2)
		if len(c.in.args) == 2 {
			a := c.arg(1)
			if a.kind != argFloat {
				c.failAt(a, "the fraction is a constant above 0 and at most 1")
			}
			bits, err := a.floatBits(types["f32"])
			if v := f32(bits); err != nil || !(v > 0 && v <= 1) {
				c.failAt(a, "the fraction is a constant above 0 and at most 1")
			}
		}
	case ".range":
		sp := c.space()
		if sp != spaceGeneric && sp != spaceGlobal {
			c.fail("a range is of global memory")
		}
		if c.take(evict...) == "" {
			c.fail("a priority such as .L2::evict_last is missing")
		}
		c.take(second...)
		c.arity(4, 4)
		c.addr(1, sp)
		c.src(2, types["u32"])
		c.src(3, types["u32"])
	case ".cvt":
		if !c.has(".L2") {
			c.fail(".L2 is missing")
		}
		c.arity(2, 2)
		c.src(1, t)
	default:
		c.fail("one of .fractional, .range and .cvt is missing")
	}
	d := c.dst(0, t)
	c.ins.run = func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			w.r[d][trailing(m)] = 0
		}
	}
}

// pmevent lets counters count that nobody reads here.
func (c *compiler) pmevent() {
	c.has(".mask")
	c.arity(1, 1)
	if a := c.arg(0); a.kind != argInt {
		c.failAt(a, "the event is a constant")
	}
	c.ins.run = func(*warp, uint32) {}
}

// griddepcontrol orders grids of a stream, which run one after the other here.
func (c *compiler) griddepcontrol() {
	if c.take(".wait", ".launch_dependents") == "" {
		c.fail("one of .wait and .launch_dependents is missing")
	}
	c.arity(0, 0)
	c.ins.run = func(*warp, uint32) {}
}
