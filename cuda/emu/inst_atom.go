package emu

import (
	"math"
	"slices"
	"strings"
)

// atom, red, membar and fence (ISA 9.7.13.5 to 9.7.13.7).

// reduction returns the operation of atom and redux on type t. The first operand is
// what is in memory.
func reduction(op string, t typ) func(old, x uint64) uint64 {
	mask := maskOf(t.size)
	switch op {
	case ".and":
		return func(a, b uint64) uint64 { return a & b }
	case ".or":
		return func(a, b uint64) uint64 { return a | b }
	case ".xor":
		return func(a, b uint64) uint64 { return a ^ b }
	case ".exch":
		return func(_, b uint64) uint64 { return b }
	case ".inc":
		return func(a, b uint64) uint64 {
			if a >= b {
				return 0
			}
			return a + 1
		}
	case ".dec":
		return func(a, b uint64) uint64 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		}
	case ".add":
		switch t.name {
		case "f32":
			return func(a, b uint64) uint64 { return bits32(f32(a) + f32(b)) }
		case "f64":
			return func(a, b uint64) uint64 { return math.Float64bits(f64(a) + f64(b)) }
		case "f16", "bf16", "f16x2", "bf16x2":
			h := halfOf(t)
			one := func(x, y, _ uint64) uint64 { return h.encode(addOdd(h.decode(x), h.decode(y)), roundNear, false) }
			return func(a, b uint64) uint64 { return h.each(one, a, b, 0) }
		}
		return func(a, b uint64) uint64 { return (a + b) & mask }
	}
	if t.half() {
		h := halfOf(t)
		one := func(x, y, _ uint64) uint64 {
			return h.encode(extreme(h.decode(x), h.decode(y), op == ".min", false), roundNear, false)
		}
		return func(a, b uint64) uint64 { return h.each(one, a, b, 0) }
	}
	return func(a, b uint64) uint64 {
		if t.less(a, b) == (op == ".min") {
			return a
		}
		return b
	}
}

var atomTypes = map[string]string{
	".and": "b32 b64", ".or": "b32 b64", ".xor": "b32 b64", ".exch": "b32 b64", ".cas": "b16 b32 b64",
	".inc": "u32", ".dec": "u32", ".min": "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2", ".max": "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2",
	".add": "u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2",
}

// atomic makes atom d, [a], b{, c} or red [a], b. A vector is done element by
// element.
func (c *compiler) atomic(result bool) {
	st := c.strength(".relaxed", ".acquire", ".release", ".acq_rel")
	if st.sem == "" {
		st.sem = ".relaxed"
	}
	sp := c.space()
	if sp != spaceGeneric && sp != spaceGlobal && sp != spaceShared {
		c.fail("there are no atomic operations on .%v", sp)
	}
	op := c.take(".and", ".or", ".xor", ".exch", ".cas", ".inc", ".dec", ".min", ".max", ".add")
	if op == "" || !result && (op == ".cas" || op == ".exch") {
		c.fail("an operation such as .add is missing")
	}
	noftz := c.has(".noftz")
	c.cacheHints()
	n := c.vec()
	t := c.oneOf(atomTypes[op])
	switch half := t.half(); {
	case half != noftz:
		c.fail(".noftz is for half floats, and they need it")
	case half && n == 1 && op != ".add":
		c.fail("%s of %v is of a vector only", op, t)
	}
	at, k := 0, 2
	if result {
		at, k = 1, 3
	}
	if op == ".cas" {
		k++
	}
	c.arity(k, k)
	var d []int
	if result {
		for _, a := range c.vector(0, n) {
			d = append(d, c.destOrSink(&a, t, false))
		}
	}
	base := c.addr(at, sp)
	b := c.sources(at+1, n, t)
	swap := -1
	var f func(old, x uint64) uint64
	if op == ".cas" {
		swap = c.src(3, t)
		c.ins.swaps = true
	} else {
		f = reduction(op, t)
	}
	// Half floats in a vector are atomic each; so are 32-bit pieces of it here.
	ac := access{space: sp, kind: atomicOp, does: "updates", size: t.size}
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) {
		bank := &w.cta.bank
		bank.size, bank.lanes = t.size*n, m
		for i := range lanesOf(m) {
			addr := base.of(w, i)
			bank.addr[i] = addr
			for j := range n {
				p := w.bytes(&ac, i, addr+uint64(j*t.size))
				old := little(p)
				v := w.r[b[j]][i]
				if swap >= 0 {
					if old == v {
						putLittle(p, w.r[swap][i])
					}
				} else {
					putLittle(p, f(old, v))
				}
				if result {
					w.r[d[j]][i] = old
					w.acquire(i, sp, addr+uint64(j*t.size), st)
				}
				w.publish(i, sp, addr+uint64(j*t.size), st, true)
			}
		}
		w.cta.count(w.pc, sp)
		w.cta.events++
		w.clock++
	}
}

func (c *compiler) membar() {
	if c.has(".proxy") {
		c.proxyFence()
		return
	}
	level := c.one(".cta", ".gl", ".sys")
	c.fenceOf("", level != ".cta")
}

func (c *compiler) fence() {
	if c.has(".proxy") {
		c.proxyFence()
		return
	}
	if c.take(".mbarrier_init") != "" {
		c.mods = nil
		c.ins.run = func(*warp, uint32) {}
		return
	}
	sem := c.take(".sc", ".acq_rel", ".acquire", ".release")
	if sem == "" {
		sem = ".acq_rel"
	}
	level := c.need("a scope such as .gpu", ".cta", ".cluster", ".gpu", ".sys")
	c.fenceOf(sem, level == ".gpu" || level == ".sys")
}

// proxyFence orders accesses of other kinds, as of asynchronous copies of tensors, of which
// there are none here.
func (c *compiler) proxyFence() {
	if !slices.ContainsFunc(c.mods, func(m string) bool {
		return m == ".alias" || strings.HasPrefix(m, ".async") || strings.HasPrefix(m, ".tensormap::")
	}) {
		c.fail("a proxy such as .async is missing")
	}
	c.mods = nil
	c.ins.run = func(*warp, uint32) {}
}

func (c *compiler) fenceOf(sem string, wide bool) {
	c.arity(0, 0)
	c.ins.switches = true
	c.ins.run = func(w *warp, m uint32) { w.fence(m, sem != ".release", sem != ".acquire", wide) }
}
