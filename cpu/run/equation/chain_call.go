package equation

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// chainCall is one call of a chain.
type chainCall struct {
	chain     *Chain
	e         epi.Fusion
	stream    Stream
	variant   *Variant // nil: in Go
	name, isa string
	m         int
	cols      []int

	slots  []kernel.Slot // of values; of those that a block has its own of, P is not set
	within []int         // where they lie in the room of a block
	room   int           // bytes of that
	kept   mem.Buffer    // values that all rows, columns or calls have
	packed []*run.Packed // b of each step, or nil
	spare  []*run.Packed // to be used again

	rows, blocks   int // of a block, and how many there are
	chunk, chunks  int // blocks whose reductions of columns are one partial result, and how many of these
	threads        int
	first          int    // number of the first step of the phase
	phase          []Step // that is being done
	parts          mem.Buffer
	part           int // bytes of the partial results of a chunk
	tasks          work.Tasks
	packing, split bool // what goroutines share in: packing, or one step of a block

	shared      *chainWorker // whose block is split
	step        *Step
	from, count int // its rows
}

var chains mem.Pool[chainCall]

// chainWorker is what one goroutine has.
type chainWorker struct {
	worker
	block   mem.Buffer
	factors Factors
}

var chainWorkers mem.Pool[chainWorker]

func (c *chainCall) end() {
	c.chain, c.e, c.variant, c.phase, c.step, c.shared = nil, epi.Fusion{}, nil, nil, nil, nil
	clear(c.slots)
	for i, p := range c.packed {
		if p != nil {
			p.Of = mem.Place{} // the caller's
			p.Buf.Trim()
			c.packed[i] = nil
		}
	}
	c.kept.Trim()
	c.parts.Trim()
}

// run does all phases.
func (c *chainCall) run(threads int) {
	c.divide()
	c.place()
	c.threads = 1
	if c.worthThreads() {
		c.threads = work.Allowed(threads)
	}
	c.pack()
	for c.first = 0; c.first < len(c.chain.Steps); c.first += len(c.phase) {
		s := c.chain.Steps[c.first:]
		n := 1
		for n < len(s) && s[n].Phase == s[0].Phase {
			n++
		}
		c.phase = s[:n]
		c.through()
	}
}

// worthThreads reports whether products or stages pay for a second goroutine.
func (c *chainCall) worthThreads() bool {
	ops := 0.0
	for i := range c.chain.Steps {
		s := &c.chain.Steps[i]
		n := float64(c.m) * float64(c.cols[s.Space])
		if s.Multiply != nil {
			n *= float64(c.cols[s.K])
		} else {
			n *= work.Threaded / threaded
		}
		ops += n
	}
	return ops >= work.Threaded
}

// divide chooses blocks of rows, which do not depend on the number of threads or on this machine. There are
// so many that what steps leave to each other takes half of L2, but not so few that products wait for b.
func (c *chainCall) divide() {
	isa := run.Portable
	if c.variant != nil {
		isa = c.variant.ISA
	}
	_, l2, _ := machine.Reference(isa).Room()
	perRow := 0
	for i := range c.chain.Values[c.chain.Params:] {
		if v := &c.chain.Values[c.chain.Params+i]; v.byRows() && !v.Whole {
			perRow = saturated(perRow, c.rowBytes(v))
		}
	}
	c.rows = max(leastRows, l2/2/max(1, perRow))
	c.blocks = mem.Ceil(c.m, c.rows)
	if c.blocks > 1 { // all about as many
		c.rows = mem.Ceil(mem.Ceil(c.m, c.blocks), tileRows) * tileRows
		c.blocks = mem.Ceil(c.m, c.rows)
	}
	c.rows = min(c.rows, c.m)
	c.chunk = 1
	for i := range c.chain.Steps {
		if s := c.chain.Steps[i].Stage; s != nil && len(s.Reduces) > 0 {
			c.chunk = max(1, mem.Ceil(c.blocks, mostParts))
		}
	}
	c.chunks = mem.Ceil(c.blocks, c.chunk)
}

// tileRows is a multiple of the rows of tiles of 6, 8 and 12.
const tileRows = 24

// saturated is x + y of sizes, or what no memory has.
func saturated(x, y int) int { return min(min(x, math.MaxInt/4)+min(y, math.MaxInt/4), math.MaxInt/4) }

// rowBytes is the distance between rows of what a step makes.
func (c *chainCall) rowBytes(v *Value) int {
	if v.Per == PerRow {
		return v.Bytes
	}
	return roundUp(min(mem.Volume(c.cols[v.Space], v.Bytes), math.MaxInt/4), mem.Line)
}

// place gives values their places.
func (c *chainCall) place() {
	q, e := c.chain, &c.e
	c.slots, c.within = append(c.slots[:0], e.Slots[:q.Params]...), append(c.within[:0], make([]int, len(q.Values))...)
	kept := 0
	c.room = 0
	for i := range q.Values {
		v := &q.Values[i]
		if i < q.Params {
			if v.Per == PerCall && c.slots[i].P == nil {
				c.slots[i].P = unsafe.Pointer(&e.Scalars[i])
			}
			continue
		}
		s := kernel.Slot{}
		size := v.Bytes
		switch v.Per {
		case PerElement:
			s.Cs = int64(v.Bytes)
			fallthrough
		case PerRow:
			s.Rs = int64(c.rowBytes(v))
			size = mem.Volume(c.rows, int(s.Rs))
			if v.Whole {
				size = mem.Volume(c.m, int(s.Rs))
			}
		case PerColumn:
			s.Cs = int64(v.Bytes)
			size = mem.Volume(c.cols[v.Space], v.Bytes)
		}
		c.slots = append(c.slots, s)
		size = roundUp(min(size, math.MaxInt/4), mem.Line)
		if v.byRows() && !v.Whole {
			c.within[i] = c.room
			c.room = saturated(c.room, size)
			continue
		}
		c.within[i] = kept
		kept = saturated(kept, size)
	}
	if n := saturated(kept, c.room); n == math.MaxInt/4 || uint64(n) > 1<<40 {
		check.Call(c.name).Refuse("what its products make of %d rows takes %d bytes of memory; call it for fewer rows or columns at a time", c.m, n)
	}
	c.kept.Grow(kept)
	for i := q.Params; i < len(q.Values); i++ {
		if v := &q.Values[i]; !v.byRows() || v.Whole {
			c.slots[i].P = unsafe.Add(c.kept.P, c.within[i])
		}
	}
}

// own reports whether each block has value i for itself.
func (c *chainCall) own(i int) bool {
	v := &c.chain.Values[i]
	return i >= c.chain.Params && v.byRows() && !v.Whole
}

// pack packs the second factors that more than one block takes.
func (c *chainCall) pack() {
	c.packed = append(c.packed[:0], make([]*run.Packed, len(c.chain.Steps))...)
	n := 0
	for i := range c.chain.Steps {
		s := &c.chain.Steps[i]
		if s.Multiply == nil || c.blocks < 2 || c.cols[s.Space] < leastCols || c.cols[s.K] == 0 {
			continue
		}
		b := c.slots[s.B]
		if b.Rs == 0 || b.Cs == 0 { // more elements than memory, maybe
			continue
		}
		if n == len(c.spare) {
			c.spare = append(c.spare, new(run.Packed))
		}
		c.packed[i] = c.spare[n]
		n++
	}
	if n == 0 {
		return
	}
	c.packing = true
	c.tasks.Begin(len(c.packed))
	work.Run(c, min(c.threads, n))
	c.packing = false
}

// leastCols is how many columns a b has that is packed: of fewer, what fills up a vector would be most of it.
const leastCols = 16

// through does a phase.
func (c *chainCall) through() {
	c.part = 0
	rows := false
	for i := range c.phase {
		s := &c.phase[i]
		if s.Stage == nil {
			rows = true
			continue
		}
		if !s.Stage.Columns {
			rows = true
		}
		for _, r := range s.Stage.Reduces {
			c.part += r.bytes(c.cols[s.Space])
		}
	}
	c.parts.Grow(c.part * max(1, c.chunks))
	w := chainWorkers.Get()
	for i := range c.phase {
		if s := &c.phase[i]; s.Stage != nil && s.Stage.Columns {
			w.rows(c, w, s, 0, 0, 1, nil)
		}
	}
	switch {
	case !rows:
	case c.threads > 1 && c.chunks < c.threads:
		c.splitBlocks(w)
	default:
		c.tasks.Run(c, c.threads, c.chunks)
	}
	w.forget()
	at := 0
	for i := range c.phase {
		s := &c.phase[i]
		if s.Stage == nil {
			continue
		}
		for _, r := range s.Stage.Reduces {
			join(c.slots[s.Slots[r.Slot]].P, unsafe.Add(c.parts.P, at), c.part, c.chunks, r, c.cols[s.Space])
			at += r.bytes(c.cols[s.Space])
		}
	}
}

// Work is the share of one goroutine.
func (c *chainCall) Work(bool) {
	if c.packing {
		c.packShare()
		return
	}
	w := chainWorkers.Get()
	if c.split {
		w.share(c)
	} else {
		for n, ok := c.tasks.Next(); ok; n, ok = c.tasks.Next() {
			w.chunk(c, n)
		}
	}
	w.forget()
}

func (w *chainWorker) forget() {
	w.args, w.factors = kernel.EpiArgs{}, Factors{}
	w.temps.Trim()
	w.block.Trim()
	chainWorkers.Put(w)
}
