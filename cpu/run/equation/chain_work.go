package equation

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// packShare packs the factors that no other goroutine does.
func (c *chainCall) packShare() {
	w := chainWorkers.Get()
	for n, ok := c.tasks.Next(); ok; n, ok = c.tasks.Next() {
		if c.packed[n] == nil {
			continue
		}
		s, f := &c.chain.Steps[n], &w.factors
		*f = Factors{Packed: c.packed[n], packs: true, name: c.name, isa: c.isa, b: c.second(s), n: c.cols[s.Space], k: c.cols[s.K]}
		s.Multiply(f)
	}
	w.forget()
}

// at is value i from a row on, whose block is in w. There must be room for one, because the garbage collector
// stops at an address beyond it.
func (c *chainCall) at(w *chainWorker, i, row, from int) kernel.Slot {
	s := c.slots[i]
	switch {
	case c.own(i):
		s.P = unsafe.Add(w.block.P, c.within[i]+(row-from)*int(s.Rs))
	case s.P != nil:
		s.P = unsafe.Add(s.P, row*int(s.Rs))
	}
	return s
}

// second is the second factor of a product, k x n.
func (c *chainCall) second(s *Step) kernel.Slot {
	b := c.slots[s.B]
	if s.Trans {
		b.Rs, b.Cs = b.Cs, b.Rs
	}
	return b
}

// factors are those of step n for the count rows of a block, which is in w.
func (c *chainCall) factors(w *chainWorker, n, from, count int) *Factors {
	s, f := &c.chain.Steps[n], &w.factors
	*f = Factors{Packed: c.packed[n], name: c.name, isa: c.isa, threads: 1,
		out: c.at(w, s.Out, from, from), a: c.at(w, s.A, from, from), b: c.second(s),
		m: count, n: c.cols[s.Space], k: c.cols[s.K]}
	return f
}

// chunk does all steps of the phase for the n-th chunk of blocks.
func (w *chainWorker) chunk(c *chainCall, n int) {
	w.block.Grow(c.room)
	parts := c.fill(n)
	for b := n * c.chunk; b < min(c.blocks, (n+1)*c.chunk); b++ {
		from := b * c.rows
		count := min(c.rows, c.m-from)
		p := parts
		for i := range c.phase {
			s := &c.phase[i]
			switch {
			case s.Multiply != nil:
				c.multiply(c.factors(w, c.first+i, from, count), s)
			case !s.Stage.Columns:
				w.rows(c, w, s, from, from, count, p)
				p = c.beyond(p, s)
			}
		}
	}
}

// multiply computes a product, if it has elements.
func (c *chainCall) multiply(f *Factors, s *Step) {
	if f.m > 0 && f.n > 0 {
		s.Multiply(f)
	}
}

// fill begins the partial results of a chunk.
func (c *chainCall) fill(n int) unsafe.Pointer {
	parts := unsafe.Add(c.parts.P, n*c.part)
	p := parts
	for i := range c.phase {
		s := &c.phase[i]
		if s.Stage == nil {
			continue
		}
		for _, r := range s.Stage.Reduces {
			fill(p, r, c.cols[s.Space])
			p = unsafe.Add(p, r.bytes(c.cols[s.Space]))
		}
	}
	return parts
}

// beyond is where the partial results of the next stage lie.
func (c *chainCall) beyond(p unsafe.Pointer, s *Step) unsafe.Pointer {
	for _, r := range s.Stage.Reduces {
		p = unsafe.Add(p, r.bytes(c.cols[s.Space]))
	}
	return p
}

// rows does count rows of a stage from row on, of a block that begins at from and is in own.
func (w *chainWorker) rows(c *chainCall, own *chainWorker, s *Step, from, row, count int, parts unsafe.Pointer) {
	st, n := s.Stage, c.cols[s.Space]
	a := &w.args
	sizes(a, c.m, n, c.stream)
	ld := roundUp(n*st.Temp, mem.Line)
	w.temps.Grow(ld * st.Temps)
	a.Tile, a.TileLd = w.temps.P, int64(ld)
	a.Cols = int64(n)
	f := st.Go
	if c.variant != nil && c.contiguous(s) {
		f = c.variant.Stages[s.Kernel]
	}
	step := max(1, atOnce/max(1, n))
	for end := row + count; row < end; row += step {
		a.Rows, a.Row = int64(min(step, end-row)), int64(row)
		a.Block = int64(c.stream.First/4) + int64(row)*a.BlockLd
		for i, v := range s.Slots {
			a.Slots[i] = kernel.Slot{}
			if !st.Columns || !c.own(v) { // which has no block
				a.Slots[i] = c.at(own, v, row, from)
			}
		}
		p := parts
		for _, r := range st.Reduces {
			a.Slots[r.Slot] = kernel.Slot{P: p, Cs: int64(r.Type.Size())}
			p = unsafe.Add(p, r.bytes(c.cols[s.Space]))
		}
		f(a)
	}
}

// contiguous reports whether the rows of all matrices of a stage are.
func (c *chainCall) contiguous(s *Step) bool {
	for _, i := range s.Slots {
		v := &c.chain.Values[i]
		size := int64(v.Bytes)
		if v.Bits {
			size = 1
		}
		if v.Per == PerElement && c.slots[i].Cs != size && c.cols[s.Space] > 1 {
			return false
		}
	}
	return true
}

// splitBlocks does one block after the other, of which each step is shared: there are fewer blocks than threads.
func (c *chainCall) splitBlocks(w *chainWorker) {
	w.block.Grow(c.room)
	c.shared = w
	for n := range c.chunks {
		parts := c.fill(n)
		for b := n * c.chunk; b < min(c.blocks, (n+1)*c.chunk); b++ {
			c.from = b * c.rows
			c.count = min(c.rows, c.m-c.from)
			p := parts
			for i := range c.phase {
				s := &c.phase[i]
				switch {
				case s.Multiply != nil:
					f := c.factors(w, c.first+i, c.from, c.count)
					f.threads = c.threads
					c.multiply(f, s)
				case s.Stage.Columns:
				case len(s.Stage.Reduces) > 0: // the order of whose additions is that of rows
					w.rows(c, w, s, c.from, c.from, c.count, p)
					p = c.beyond(p, s)
				default:
					c.step, c.split = s, true
					c.tasks.Run(c, c.threads, mem.Ceil(c.count, c.piece()))
					c.split = false
				}
			}
		}
	}
}

// piece is how many rows a goroutine takes at once of a block that is split.
func (c *chainCall) piece() int { return max(1, atOnce/max(1, c.cols[c.step.Space])) }

// share does pieces of the step that is split.
func (w *chainWorker) share(c *chainCall) {
	piece := c.piece()
	for t, ok := c.tasks.Next(); ok; t, ok = c.tasks.Next() {
		row := c.from + t*piece
		w.rows(c, c.shared, c.step, c.from, row, min(piece, c.from+c.count-row), nil)
	}
}
