package gpu

import "github.com/tilesmith/tilesmith/emit"

// chunk is one copy of Unit bytes of a thread's: where it is from the thread's first,
// and where in shared memory. Chunk tid + i*threads of a tile is chunk pos of line
// line; both are split into the thread's part and the part of i.
type chunk struct{ line, pos, off int }

// chunks copies Unit bytes at a time. An address has two parts: that of the thread,
// computed before the loop, and that of the tile, which is the same for all threads and
// costs next to nothing.
func (s source) chunks(b *emit.Builder) copier {
	unit := s.access.Unit
	per := s.tile.pitch() / unit
	chunks := make([]chunk, s.tile.bytes()/unit/s.threads)
	var offs []int
	for i := range chunks {
		c := chunk{line: i * s.threads / per, pos: i * s.threads % per * s.most()}
		if s.tile.kMajor {
			c.off = s.tile.at(c.line, c.pos)
		} else {
			c.off = s.tile.at(c.pos, c.line)
		}
		chunks[i], offs = c, append(offs, c.off)
	}
	mn, k := s.first(b, s.tid)
	to := newSmemAddr(b, s.region, s.tile.value(b, mn, k), unit, offs)
	if s.tile.kMajor {
		return s.linesOfK(b, chunks, to, mn, k)
	}
	return s.linesOfMN(b, chunks, to, mn, k)
}

// most is how many elements a chunk has.
func (s source) most() int { return s.access.Unit / s.tile.size }

// linesOfK is for an operand contiguous along K: a chunk ends where K does. Lines
// beyond the last are copies of the last: their sums are never stored.
func (s source) linesOfK(b *emit.Builder, chunks []chunk, to *smemAddr, line, pos *emit.Value) copier {
	size := s.tile.size
	lines := make([]*emit.Value, len(chunks))
	for i, c := range chunks {
		l := b.IMin(b.Add(b.Add(s.mn0, line), b.Int(int64(c.line))), b.Sub(s.mn, b.Int(1)))
		off := b.Add(b.Mul(l, s.mnRow), times(b, b.Add(pos, b.Int(int64(c.pos))), size))
		lines[i] = b.AddPAligned(s.base, off, s.access.Unit)
	}
	pos = b.Trunc(emit.I32, pos)
	return copier{
		end: func(k0, stage *emit.Value) {
			at, off, left := to.in(b, stage), times(b, k0, size), s.left(b, k0)
			bytes := map[int]*emit.Value{}
			for i, c := range chunks {
				if bytes[c.pos] == nil {
					n := b.Sub(b.Sub(left, int32Of(b, c.pos)), pos)
					n = b.IMax(b.IMin(n, int32Of(b, s.most())), int32Of(b, 0))
					bytes[c.pos] = times(b, n, size)
				}
				s.copy(b, at(c.off), b.AddPAligned(lines[i], off, s.access.Unit), bytes[c.pos])
			}
		},
		whole: func(off, stage *emit.Value) {
			at := to.in(b, stage)
			for i, c := range chunks {
				s.all(b, at(c.off), b.AddPAligned(lines[i], off, s.access.Unit))
			}
		},
		step: b.Int(int64(s.tile.k * size)), along: s.tile.k * size,
	}
}

// linesOfMN is for an operand contiguous along M or N. A chunk ends where that does, and there are as
// many lines as K is long. A chunk of one element does not end: those beyond the last are copies of
// the last, as lines along K are.
func (s source) linesOfMN(b *emit.Builder, chunks []chunk, to *smemAddr, pos, line *emit.Value) copier {
	bytes, columns := map[int]*emit.Value{}, map[int]*emit.Value{}
	for _, c := range chunks {
		if bytes[c.pos] == nil {
			x := b.Add(b.Add(s.mn0, pos), b.Int(int64(c.pos)))
			if s.most() > 1 {
				n := b.IMin(b.IMax(b.Sub(s.mn, x), b.Int(0)), b.Int(int64(s.most())))
				bytes[c.pos] = times(b, b.Trunc(emit.I32, n), s.tile.size)
			} else {
				x = b.IMin(x, b.Sub(s.mn, b.Int(1)))
				bytes[c.pos] = int32Of(b, s.access.Unit)
			}
			columns[c.pos] = b.AddPAligned(s.base, b.Add(times(b, x, s.tile.size), b.Mul(line, s.kRow)), s.access.Unit)
		}
	}
	line, none := b.Trunc(emit.I32, line), int32Of(b, 0)
	from := s.fromLines(b, chunks, columns)
	return copier{
		end: func(k0, stage *emit.Value) {
			at, left := to.in(b, stage), b.Sub(s.left(b, k0), line)
			for i, src := range from(b.Mul(k0, s.kRow)) {
				c := chunks[i]
				s.copy(b, at(c.off), src, b.Select(b.Cmp("lt", int32Of(b, c.line), left), bytes[c.pos], none))
			}
		},
		whole: func(off, stage *emit.Value) {
			at := to.in(b, stage)
			for i, src := range from(off) {
				if c := chunks[i]; s.most() > 1 {
					s.async(b, at(c.off), src, bytes[c.pos])
				} else {
					s.all(b, at(c.off), src)
				}
			}
		},
		step: b.Mul(s.kRow, b.Int(int64(s.tile.k))),
	}
}

// fromLines returns what gives the addresses of chunks in a tile that is off bytes from the first. If slots
// for instructions are short, each chunk's address in the first tile has registers of its own, and there is
// one addition to it. Otherwise, as with tensor cores, registers are shorter than slots. Then there are the
// addresses of columns, to which the distances of lines are added too.
func (s source) fromLines(b *emit.Builder, chunks []chunk, columns map[int]*emit.Value) func(off *emit.Value) []*emit.Value {
	if !s.tensor {
		var first []*emit.Value
		above, apart := map[int]int{}, map[int]*emit.Value{} // by column, which chunk is above; by lines, their distance
		for i, c := range chunks {
			p := columns[c.pos]
			if j, ok := above[c.pos]; ok {
				lines := c.line - chunks[j].line
				if apart[lines] == nil {
					apart[lines] = times(b, s.kRow, lines)
				}
				p = b.AddPAligned(first[j], apart[lines], s.access.Unit)
			}
			above[c.pos] = i
			first = append(first, p)
		}
		return func(off *emit.Value) (list []*emit.Value) {
			for _, p := range first {
				list = append(list, b.AddPAligned(p, off, s.access.Unit))
			}
			return list
		}
	}
	down := func(c chunk) *emit.Value { return b.Mul(s.kRow, b.Int(int64(c.line))) }
	if len(chunks) >= manyLines {
		rows := map[int]*emit.Value{}
		for _, c := range chunks {
			if rows[c.line] == nil {
				rows[c.line] = down(c)
			}
		}
		down = func(c chunk) *emit.Value { return rows[c.line] }
	}
	return func(off *emit.Value) (list []*emit.Value) {
		moved := map[int]*emit.Value{}
		for _, c := range chunks {
			if moved[c.pos] == nil {
				moved[c.pos] = b.AddPAligned(columns[c.pos], off, s.access.Unit)
			}
			list = append(list, b.AddPAligned(moved[c.pos], down(c), s.access.Unit))
		}
		return list
	}
}

// manyLines is how many chunks a thread has for the distances of their lines to be computed before the loop. They lie in uniform
// registers, of which kernels with long epilogues have none to spare for less: ptxas spills them.
const manyLines = 4

// left returns how many steps of K there are from k0 on, where the last tile begins, as an i32. It
// is at most a tile of them, and 0 if K is 0.
func (s source) left(b *emit.Builder, k0 *emit.Value) *emit.Value {
	return b.Trunc(emit.I32, b.Sub(s.k, k0))
}

// first returns the first element of a thread's first chunk.
func (s source) first(b *emit.Builder, tid *emit.Value) (mn, k *emit.Value) {
	line, c := split(b, tid, s.tile.pitch()/s.access.Unit)
	pos := times(b, c, s.most())
	if s.tile.kMajor {
		return line, pos
	}
	return pos, line
}
