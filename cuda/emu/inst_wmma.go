package emu

import "strings"

// wmma.load, wmma.mma and wmma.store (ISA 9.7.14.4). The ISA leaves open which lane holds
// which element of a fragment; a kernel has to treat all elements alike. Here the elements
// of A and B lie in the order of memory, and those of sums row by row. Lane i has the i-th
// part of them. If the fragments have room for each element more than once, as those of
// f16 do, they begin again. The copy of the last lane counts.

// A wmmaFragment is a matrix in the registers of a warp.
type wmmaFragment struct {
	rows, cols int
	byColumn   bool // the order of elements
	elem       typ  // in memory
	reg        typ
	regs, per  int // registers of a lane, and elements of each
}

// at returns the row and the column of element i of a lane.
func (f *wmmaFragment) at(lane, i int) (row, col int) {
	k := (lane*f.regs*f.per + i) % (f.rows * f.cols)
	if f.byColumn {
		return k % f.rows, k / f.rows
	}
	return k / f.cols, k % f.cols
}

// wmmaShapes are the shapes of each type of A.
var wmmaShapes = map[string]string{
	"f16": ".m16n16k16 .m32n8k16 .m8n32k16", "bf16": ".m16n16k16 .m32n8k16 .m8n32k16", "s8": ".m16n16k16 .m32n8k16 .m8n32k16", "u8": ".m16n16k16 .m32n8k16 .m8n32k16",
	"tf32": ".m16n16k8", "f64": ".m8n8k4",
}

// wmmaNeeds are what the types ask of a module.
func (c *compiler) wmmaNeeds(t typ) {
	switch {
	case t.is("bf16", "tf32", "f64"):
		c.require(70, 80)
	case t.is("s8", "u8", "s32"):
		c.require(63, 72)
	default:
		c.require(63, 70)
	}
}

// wmmaShape takes a shape that A of type t may have, or sums of it.
func (c *compiler) wmmaShape(t typ, kinds ...string) (m, n, k int) {
	var shapes []string
	for _, kind := range kinds {
		shapes = append(shapes, strings.Fields(wmmaShapes[kind])...)
	}
	s := c.take(shapes...)
	if s == "" {
		c.fail("one of %s is wanted with %v", strings.Join(shapes, " "), t)
	}
	c.wmmaNeeds(t)
	return sizesOf(s[1:])
}

// wmmaOperand is the fragment of A or B.
func wmmaOperand(rows, cols int, byColumn bool, t typ) *wmmaFragment {
	f := &wmmaFragment{rows: rows, cols: cols, byColumn: byColumn, elem: t, reg: types["b32"], per: max(4/t.size, 1)}
	if f.regs = rows * cols / 32 / f.per; t.is("f16") {
		f.regs = 8
	} else if t.is("f64") {
		f.reg = t
	}
	return f
}

// wmmaSum is the fragment of C or D.
func wmmaSum(m, n int, t typ) *wmmaFragment {
	f := &wmmaFragment{rows: m, cols: n, elem: t, reg: t, per: 1}
	if t.is("f16") {
		f.reg, f.per = types["b32"], 2
	}
	f.regs = m * n / 32 / f.per
	return f
}

// sumKinds are the types of A whose sums are of a type.
var sumKinds = map[string][]string{"f16": {"f16"}, "f32": {"f16", "tf32"}, "s32": {"s8"}, "f64": {"f64"}}

func (c *compiler) wmma() {
	what := c.take(".load", ".mma", ".store")
	part := ""
	if what == ".load" || what == ".store" {
		part = c.take(".a", ".b", ".c", ".d")
	}
	c.sync()
	if c.ins.aligned = c.has(".aligned"); !c.ins.aligned {
		c.fail("wants .sync.aligned")
	}
	c.ins.switches = true
	switch {
	case what == ".mma":
		c.wmmaMultiply()
	case what == ".load" && part != "" && part != ".d", what == ".store" && part == ".d":
		c.wmmaMove(part)
	default:
		c.fail("is wmma.load.a, .b or .c, wmma.mma or wmma.store.d")
	}
}

// layout takes .row or .col and reports whether it is .col.
func (c *compiler) layout() bool {
	return c.need(".row or .col", ".row", ".col") == ".col"
}

// wmmaMove is wmma.load and wmma.store.
func (c *compiler) wmmaMove(part string) {
	byColumn := c.layout()
	sp := c.space()
	if sp != spaceGeneric && sp != spaceGlobal && sp != spaceShared {
		c.fail("the matrix lies in .global or .shared")
	}
	t := c.typ()
	var f *wmmaFragment
	switch part {
	case ".a":
		c.want(t, "f16 bf16 tf32 s8 u8 f64")
		m, _, k := c.wmmaShape(t, t.name)
		f = wmmaOperand(m, k, byColumn, t)
	case ".b":
		c.want(t, "f16 bf16 tf32 s8 u8 f64")
		_, n, k := c.wmmaShape(t, t.name)
		f = wmmaOperand(k, n, byColumn, t)
	default:
		c.want(t, "f16 f32 s32 f64")
		m, n, _ := c.wmmaShape(t, sumKinds[t.name]...)
		f = wmmaSum(m, n, t)
	}
	c.arity(2, 3)
	load := part != ".d"
	registers, address := 0, 1
	if !load {
		registers, address = 1, 0
	}
	take := c.dests
	if !load {
		take = c.sources
	}
	slots := take(registers, f.regs, f.reg)
	lead := f.cols
	if byColumn {
		lead = f.rows
	}
	stride := c.constant(uint64(lead))
	if len(c.in.args) == 3 {
		stride = c.src(2, types["u32"])
	}
	mv := &wmmaMover{wmmaFragment: *f, slots: slots, at: c.addr(address, sp), stride: stride, columns: byColumn,
		ac: access{space: sp, kind: plainRead, does: "reads"}}
	if !load {
		mv.ac.kind, mv.ac.does = plainWrite, "writes"
	}
	// Neighbours in memory are moved together, up to 16 bytes.
	mv.run = 1
	if f.byColumn == byColumn {
		mv.run = min(f.regs*f.per, lead, 16/t.size)
	}
	mv.ac.size = mv.run * t.size
	c.ins.run = mv.move
}

// A wmmaMover copies a fragment between memory and registers.
type wmmaMover struct {
	wmmaFragment
	slots   []int
	at      addressing
	stride  int // slot of the elements from one row, or column, to the next
	columns bool
	ac      access
	run     int // elements that are moved together
}

func (mv *wmmaMover) move(w *warp, _ uint32) {
	w.fullWarp()
	size := mv.elem.size
	base, stride := mv.at.of(w, 0), w.r[mv.stride][0]
	for lane := range 32 {
		if mv.at.of(w, lane) != base || w.r[mv.stride][lane] != stride {
			w.fault(Diverged, lane, "all lanes give the same address and stride of a matrix; this one gives %#x and %d, lane 0 %#x and %d", mv.at.of(w, lane), w.r[mv.stride][lane], base, stride)
		}
	}
	// The ISA wants rows aligned to the bytes of a lane's fragment, CUDA to 16 of them.
	if align := uint64(min(mv.regs*mv.per*size, 16)); base%align != 0 || stride*uint64(size)%align != 0 {
		w.fault(Misaligned, 0, "%s a matrix at %#x with %d bytes from row to row; both have to be multiples of %d", mv.ac.does, base, stride*uint64(size), align)
	}
	w.stores = storing{}
	b := &w.cta.bank
	write := mv.ac.kind == plainWrite
	if !write {
		for _, s := range mv.slots {
			clear(w.r[s][:])
		}
	}
	for i := 0; i < mv.regs*mv.per; i += mv.run {
		b.size, b.lanes = mv.ac.size, fullMask
		for lane := range 32 {
			row, col := mv.wmmaFragment.at(lane, i)
			if mv.columns {
				row, col = col, row
			}
			addr := base + (uint64(row)*stride+uint64(col))*uint64(size)
			b.addr[lane] = addr
			p := w.bytes(&mv.ac, lane, addr)
			for e := range mv.run {
				r, shift := &w.r[mv.slots[(i+e)/mv.per]][lane], (i+e)%mv.per*8*size
				if bytes := p[e*size : (e+1)*size]; write {
					putLittle(bytes, *r>>shift)
				} else {
					*r |= little(bytes) << shift
				}
			}
		}
		w.cta.count(w.pc, mv.ac.space)
	}
}

// wmmaMultiply is wmma.mma.
func (c *compiler) wmmaMultiply() {
	colA, colB := c.layout(), c.layout()
	sat := c.has(".satfinite")
	round := roundings[c.take(".rn", ".rz", ".rm", ".rp")]
	td := c.typ()
	ta, tb, tc := types["f16"], types["f16"], c.typ()
	if !tc.is("f16", "f32") || td.is("s32", "f64") {
		tb = c.typ()
		ta, tc = tc, c.typ()
	} else if len(c.mods) > 0 && types[c.mods[len(c.mods)-1][1:]].name != "" {
		c.fail("types %v %v and more do not go together", td, tc)
	}
	if _, ok := wmmaShapes[ta.name]; !ok || ta.name != tb.name {
		c.fail("A of %v and B of %v are not multiplied", ta, tb)
	}
	half := td.is("f16", "f32") && tc.is("f16", "f32")
	switch want := map[bool]string{true: "s32", false: "f32"}[ta.integer()]; {
	case ta.is("f16") && half:
	case ta.is("f64") && td.is("f64") && tc.is("f64"):
	case !ta.is("f16", "f64") && td.is(want) && tc.is(want):
	default:
		c.fail("sums of %v and %v of products of %v are not formed", td, tc, ta)
	}
	m, n, k := c.wmmaShape(ta, ta.name)
	c.arity(4, 4)
	held := func(f *wmmaFragment, slots []int) warpMatrix {
		return warpMatrix{placesOf(f.regs*f.per, f.per, func(lane, i int) int { row, col := f.at(lane, i); return row*f.cols + col }), slots, f.per}
	}
	source := func(i int, f *wmmaFragment) warpMatrix { return held(f, c.sources(i, f.regs, f.reg)) }
	fd := wmmaSum(m, n, td)
	p := &warpProduct{m: m, n: n, k: k, round: round, sat: sat, d: held(fd, c.dests(0, fd.regs, fd.reg))}
	p.a, p.b, p.c = source(1, wmmaOperand(m, k, colA, ta)), source(2, wmmaOperand(k, n, colB, tb)), source(3, wmmaSum(m, n, tc))
	c.multiplies(p, ta, tb, tc, td)
}
