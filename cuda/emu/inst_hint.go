package emu

// Instructions that say how caches and grids should behave and have no effect on values
// (ISA 9.7.9.17, 9.7.13.13).

// createpolicy makes a cache policy. Here all are 0.
func (c *compiler) createpolicy() {
	evict := []string{".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged"}
	second := []string{".L2::evict_first", ".L2::evict_unchanged"}
	c.require(74, 80)
	t := c.oneOf("b64")
	switch c.one(".fractional", ".range", ".cvt") {
	case ".fractional":
		c.need("a priority such as .L2::evict_last", evict...)
		c.take(second...)
		c.arity(1, 2)
		if len(c.in.args) == 2 {
			a := c.arg(1)
			if a.kind != argFloat || !(f32(a.floatBits(types["f32"])) > 0) || f32(a.floatBits(types["f32"])) > 1 {
				c.failAt(a, "the fraction is a constant above 0 and at most 1")
			}
		}
	case ".range":
		sp := c.space()
		if sp != spaceGeneric && sp != spaceGlobal {
			c.fail("a range is of global memory")
		}
		c.need("a priority such as .L2::evict_last", evict...)
		c.take(second...)
		c.arity(4, 4)
		c.addr(1, sp)
		c.src(2, types["u32"])
		c.src(3, types["u32"])
	default:
		c.need(".L2", ".L2")
		c.arity(2, 2)
		c.src(1, t)
	}
	d := c.dst(0, t)
	c.ins.run = func(w *warp, m uint32) {
		w.setReg(d, m, 0)
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
	c.one(".wait", ".launch_dependents")
	c.arity(0, 0)
	c.ins.run = func(*warp, uint32) {}
}
