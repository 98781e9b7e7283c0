package emu

// ldmatrix, stmatrix and movmatrix (ISA 9.7.14.5.15 to 9.7.14.5.17). A matrix is 8
// rows of 16 bytes; lane 8i+j has the address of row j of matrix i.
//
//	lane 4j+t holds, of every matrix, elements 2t and 2t+1 of row j;
//	with .trans elements (2t, j) and (2t+1, j)

// matrixOf takes the modifiers of ldmatrix and stmatrix.
func (c *compiler) matrixOf() (n int, trans bool, sp space) {
	c.sync()
	c.ins.aligned = c.has(".aligned")
	if !c.ins.aligned || !c.has(".m8n8") {
		c.fail("wants .sync.aligned.m8n8")
	}
	n = int(c.need("one of .x1, .x2 and .x4", ".x1", ".x2", ".x4")[2] - '0')
	trans = c.has(".trans")
	sp = spaceGeneric
	if c.take(".shared", ".shared::cta") != "" {
		sp = spaceShared
	}
	c.want(c.typ(), "b16")
	c.arity(2, 2)
	c.ins.switches = true
	return n, trans, sp
}

// fullWarp faults if threads are missing that the instruction needs.
func (w *warp) fullWarp() {
	if w.live != fullMask {
		w.fault(Diverged, trailing(w.live), "needs all 32 threads of a warp; %d have exited or never were", 32-popcount(w.live))
	}
}

// rows checks the addresses of 8n rows and returns their offsets in shared memory.
func (w *warp) rows(sp space, at addressing, n int, does string) (rows [32]int) {
	w.fullWarp()
	s := &w.cta.shared
	b := &w.cta.bank
	b.size, b.lanes = 16, uint32(1<<(8*n)-1)
	for i := range 8 * n {
		in, addr := resolve(sp, at.of(w, i))
		if in != spaceShared {
			w.fault(Bounds, i, "%s a row at %#x, which is not in shared memory", does, addr)
		}
		off := addr - sharedBase
		if addr&15 != 0 {
			w.fault(Misaligned, i, "%s a row at the shared address %#x, which is no multiple of 16", does, addr)
		}
		if addr < sharedBase || off > uint64(len(s.data)) || 16 > uint64(len(s.data))-off {
			w.fault(Bounds, i, "%s 16 bytes at offset %d of shared memory, which has %d bytes", does, int64(off), len(s.data))
		}
		w.inside(i, does, int(off), 16)
		b.addr[i], rows[i] = addr, int(off)
	}
	w.cta.countShared(w.pc)
	return rows
}

// touchWords leaves the traces of lanes that read or write a word of each matrix.
func (w *warp) touchWords(rows *[32]int, n int, trans bool, kind accessKind, does string) {
	s := &w.cta.shared
	for lane := range 32 {
		a := w.actor(lane, kind)
		row, word := lane>>2, lane&3
		for i := range n {
			at := rows[8*i+row] + 4*word
			if trans {
				// The lane's two elements lie in two rows; lanes j and j+1 share words.
				at = rows[8*i+2*(lane&3)+lane>>2&1] + lane>>3*4
			}
			if x := s.shadow.touch(at/4, a, 15); x != nil {
				w.racing(lane, does+" a matrix in shared memory", x)
			}
		}
	}
}

func (c *compiler) ldmatrix() {
	n, trans, sp := c.matrixOf()
	if c.together(c.arg(0)) == nil {
		c.failAt(c.arg(0), "the registers of ldmatrix stand in braces")
	}
	d := c.dests(0, n, types["b32"])
	at := c.addr(1, sp)
	c.ins.run = func(w *warp, _ uint32) {
		s := &w.cta.shared
		rows := w.rows(sp, at, n, "reads")
		if w.cta.checks {
			w.touchWords(&rows, n, trans, plainRead, "reads")
			for i, off := range rows[:8*n] {
				if !s.written.all(off, 16) {
					w.fault(UninitMemory, i, "reads 16 bytes at offset %d of shared memory: %s was never written", off, firstUnset(s.written, off, 16))
				}
			}
		}
		for i, r := range d {
			D := &w.r[r]
			for lane := range D {
				g, t := lane>>2, lane&3
				if trans {
					lo, hi := rows[8*i+2*t]+2*g, rows[8*i+2*t+1]+2*g
					D[lane] = little(s.data[lo:lo+2]) | little(s.data[hi:hi+2])<<16
				} else {
					off := rows[8*i+g] + 4*t
					D[lane] = little(s.data[off : off+4])
				}
			}
		}
	}
}

func (c *compiler) stmatrix() {
	n, trans, sp := c.matrixOf()
	at := c.addr(0, sp)
	src := c.sources(1, n, types["b32"])
	c.ins.run = func(w *warp, _ uint32) {
		s := &w.cta.shared
		rows := w.rows(sp, at, n, "writes")
		if w.cta.checks {
			w.touchWords(&rows, n, trans, plainWrite, "writes")
		}
		for i, r := range src {
			for lane, v := range w.r[r] {
				g, t := lane>>2, lane&3
				if trans {
					lo, hi := rows[8*i+2*t]+2*g, rows[8*i+2*t+1]+2*g
					putLittle(s.data[lo:lo+2], v)
					putLittle(s.data[hi:hi+2], v>>16)
				} else {
					off := rows[8*i+g] + 4*t
					putLittle(s.data[off:off+4], v)
				}
			}
			for _, off := range rows[8*i : 8*i+8] {
				s.written.set(off, 16)
			}
		}
	}
}

// movmatrix transposes one matrix in registers.
func (c *compiler) movmatrix() {
	c.sync()
	c.ins.aligned = c.has(".aligned")
	if !c.ins.aligned || !c.has(".m8n8") || !c.has(".trans") {
		c.fail("is movmatrix.sync.aligned.m8n8.trans.b16")
	}
	c.want(c.typ(), "b16")
	c.arity(2, 2)
	d, a := c.dst(0, types["b32"]), c.src(1, types["b32"])
	c.ins.run = func(w *warp, _ uint32) {
		w.fullWarp()
		in := w.r[a]
		element := func(row, col int) uint64 { return in[4*row+col/2] >> (16 * (col & 1)) & 0xffff }
		for lane := range w.r[d] {
			g, t := lane>>2, lane&3
			w.r[d][lane] = element(2*t, g) | element(2*t+1, g)<<16
		}
	}
}
