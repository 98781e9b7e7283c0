package equation

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// call is one call of an equation.
type call struct {
	equation *Equation
	e        epi.Fusion // its slots
	m, n     int        // the shape of the call
	variant  *Variant   // nil: in Go
	stream   Stream

	slots [kernel.MaxSlots]kernel.Slot
	temps mem.Buffer // between stages

	// For the stage that is being done:
	at            *Stage
	kernel        kernel.Func[kernel.EpiArgs]
	rows, cols    int // flattened, if that is the same
	block, blocks int // rows of one, and how many there are
	across        int // tasks of one
	parts         mem.Buffer
	part          int // bytes of the partial results of a block
	tasks         work.Tasks
}

// worker is what one goroutine has for its calls.
type worker struct {
	args  kernel.EpiArgs
	temps mem.Buffer
}

var workers mem.Pool[worker]

// begin gives scalars and temporaries their places.
func (c *call) begin() {
	e := &c.e
	c.slots = e.Slots
	for i := range e.N {
		if s := &c.slots[i]; s.P == nil && s.Rs == 0 && s.Cs == 0 {
			s.P = unsafe.Pointer(&e.Scalars[i])
		}
	}
	size := 0
	for _, t := range c.equation.Temps {
		size += c.tempBytes(t)
	}
	c.temps.Grow(size)
	at := 0
	for i, t := range c.equation.Temps {
		s := &c.slots[e.N+i]
		*s = kernel.Slot{P: unsafe.Add(c.temps.P, at)}
		if !t.Scalar {
			s.Cs = int64(t.Bytes)
		}
		at += c.tempBytes(t)
	}
}

// tempBytes is the room for a temporary: whole lines.
func (c *call) tempBytes(t Temp) int {
	n := 1
	if !t.Scalar {
		n = c.n
	}
	return roundUp(n*t.Bytes, mem.Line)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

func (c *call) end() {
	c.equation, c.e, c.variant, c.at, c.kernel = nil, epi.Fusion{}, nil, nil, nil
	c.slots = [kernel.MaxSlots]kernel.Slot{}
	c.temps.Trim()
	c.parts.Trim()
}

// stage does stage i.
func (c *call) stage(i, threads int) {
	c.at = &c.equation.Stages[i]
	c.kernel = c.at.Go
	if c.variant != nil {
		c.kernel = c.variant.Stages[i]
	}
	c.rows, c.cols = c.m, c.n
	switch {
	case c.at.Columns:
		c.rows, threads = 1, 1
	case c.at.Chop && c.flat():
		c.rows, c.cols = 1, c.rows*c.cols
	}
	c.block = max(1, atOnce/max(1, c.cols))
	if len(c.at.Reduces) > 0 { // blocks follow from the shape alone
		c.block = max(c.block, (c.rows+mostParts-1)/mostParts)
	}
	c.blocks = (c.rows + c.block - 1) / c.block
	c.across = 1
	if c.at.Chop {
		c.across = max(1, (c.cols+atOnce-1)/atOnce)
	}
	c.part = 0
	for _, r := range c.at.Reduces {
		c.part += r.bytes(c.n)
	}
	c.parts.Grow(c.part * max(1, c.blocks))
	c.tasks.Run(c, threads, c.blocks*c.across)
	c.join()
}

// flat reports whether the rows of all matrices lie end to end, and nothing is of rows or
// columns, what earlier stages left among it.
func (c *call) flat() bool {
	if c.equation.Random || c.n < 2 {
		return false
	}
	for i := range c.e.N + len(c.equation.Temps) {
		s, n := &c.slots[i], int64(c.n)
		if c.ofBits(i) {
			if n%8 != 0 || s.Cs != 1 { // rows of one byte have any stride
				return false
			}
			n /= 8
		}
		if s.Rs != s.Cs*n {
			return false
		}
	}
	return true
}

// perPlace is how many elements of a row a slot's Cs is for. If a row is cut, left is a multiple of it.
func (c *call) perPlace(slot int) int {
	if c.ofBits(slot) {
		return 8
	}
	return 1
}

func (c *call) ofBits(slot int) bool { return slices.Contains(c.equation.Bits, slot) }

// Work is the share of one goroutine.
func (c *call) Work(bool) {
	w := workers.Get()
	w.prepare(c)
	for n, ok := c.tasks.Next(); ok; n, ok = c.tasks.Next() {
		w.do(c, n/c.across, n%c.across)
	}
	w.args = kernel.EpiArgs{}
	w.temps.Trim()
	workers.Put(w)
}

// sizes are those of a whole call.
func sizes(a *kernel.EpiArgs, m, n int, s Stream) {
	a.N32, a.M32 = uint64(math.Float32bits(float32(n))), uint64(math.Float32bits(float32(m)))
	a.N64, a.M64 = math.Float64bits(float64(n)), math.Float64bits(float64(m))
	a.Key, a.Number = int64(s.Seed), int64(s.Number)
	a.BlockLd = int64((n + 3) / 4)
	a.Lanes = unsafe.Pointer(&kernel.BlockLanes)
}

func (w *worker) prepare(c *call) {
	a := &w.args
	sizes(a, c.m, c.n, c.stream)
	ld := roundUp(c.cols*c.at.Temp, mem.Line)
	w.temps.Grow(ld * c.at.Temps)
	a.Tile, a.TileLd = w.temps.P, int64(ld)
}

// do does a block of rows, or the part of it that is across.
func (w *worker) do(c *call, block, across int) {
	from, to := block*c.block, min(c.rows, (block+1)*c.block)
	left, right := 0, c.cols
	if c.at.Chop {
		left, right = across*atOnce, min(c.cols, (across+1)*atOnce)
	}
	parts := unsafe.Add(c.parts.P, block*c.part)
	p := parts
	for _, r := range c.at.Reduces {
		fill(p, r, c.n)
		p = unsafe.Add(p, r.bytes(c.n))
	}
	a := &w.args
	a.Cols = int64(right - left)
	for step := max(1, atOnce/max(1, c.cols)); from < to; from += step {
		a.Rows, a.Row = int64(min(step, to-from)), int64(from)
		a.Block = int64(c.stream.First/4) + int64(from)*a.BlockLd + int64(left/4)
		for i := range c.slots {
			s := c.slots[i]
			if s.P != nil {
				s.P = unsafe.Add(s.P, from*int(s.Rs)+left/c.perPlace(i)*int(s.Cs))
			}
			a.Slots[i] = s
		}
		p := parts
		for _, r := range c.at.Reduces {
			a.Slots[r.Slot] = kernel.Slot{P: p, Cs: int64(r.Type.Size())}
			p = unsafe.Add(p, r.bytes(c.n))
		}
		c.kernel(a)
	}
}
