package emu

import "math/bits"

// Arithmetic of several words (ISA 9.7.2): add, sub and mad with .cc write a carry,
// addc, subc and madc read it.

// carrySlot is the predicate that stands for the condition code CC.CF.
func (c *compiler) carrySlot() int {
	if c.prog.carry < 0 {
		c.prog.carry = c.prog.preds
		c.prog.preds++
	}
	return c.prog.carry
}

// carries takes .cc and returns the predicates that carry comes from and goes to, -1
// for none.
func (c *compiler) carries(reads bool) (in, out int) {
	in, out = -1, -1
	if reads {
		in = c.carrySlot()
		c.ins.psrcs = append(c.ins.psrcs, in)
	}
	if c.has(".cc") {
		out = c.carrySlot()
		c.ins.pdsts = append(c.ins.pdsts, out)
	}
	return in, out
}

const carryTypes = "u32 s32 u64 s64"

// carrySum makes d = a + b + carry, or with minus d = a - (b + borrow).
func (c *compiler) carrySum(reads, minus bool) {
	in, out := c.carries(reads)
	t := c.oneOf(carryTypes)
	c.arity(3, 3)
	c.ins.run = addCarry(c.dst(0, t), c.src(1, t), c.src(2, t), in, out, t.size, minus)
}

func addCarry(d, a, b, in, out, size int, minus bool) func(*warp, uint32) {
	shift := 64 - 8*size
	return func(w *warp, m uint32) {
		carry, next := uint32(0), uint32(0)
		if in >= 0 {
			carry = w.p[in]
		}
		for i := range lanesOf(m) {
			// At the upper end of 64 bits the carry of every size is that of 64.
			x, y, k := w.r[a][i]<<shift, w.r[b][i]<<shift, uint64(carry>>i&1)
			var sum, over uint64
			if minus {
				// The flag is the carry of a + ^b + 1, as it is in hardware: 0 after a
				// borrow. The ISA calls it borrow; addc behind sub.cc shows which.
				sum, over = bits.Sub64(x, y, 0)
				if in >= 0 && k == 0 {
					var more uint64
					sum, more = bits.Sub64(sum, 1<<shift, 0)
					over |= more
				}
				over ^= 1
			} else {
				sum, over = bits.Add64(x, y, 0)
				if k != 0 {
					var more uint64
					sum, more = bits.Add64(sum, 1<<shift, 0)
					over |= more
				}
			}
			w.r[d][i] = sum >> shift
			next |= uint32(over) << i
		}
		if out >= 0 {
			w.p[out] = w.p[out]&^m | next
		}
	}
}

// carryMad makes d = half of a*b + c + carry.
func (c *compiler) carryMad(reads bool) {
	half := c.one(".lo", ".hi")
	in, out := c.carries(reads)
	t := c.oneOf(carryTypes)
	c.arity(4, 4)
	d, a, b, z := c.dst(0, t), c.src(1, t), c.src(2, t), c.src(3, t)
	p := c.newSlot()
	sum := addCarry(d, p, z, in, out, t.size, false)
	c.ins.run = func(w *warp, m uint32) {
		for i := range lanesOf(m) {
			lo, hi := product(w.r[a][i], w.r[b][i], t)
			if half == ".hi" {
				lo = hi
			}
			w.r[p][i] = lo
		}
		sum(w, m)
	}
}
