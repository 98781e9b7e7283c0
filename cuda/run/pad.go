package run

import (
	"encoding/binary"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling/device"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// A pad is a copy of a or b in the workspace. Its lines, rows or columns as they are in memory, begin at
// multiples of 16 bytes. The zero value is none.
type pad struct {
	from         operand
	to           operand // with the address of its place in the workspace
	lines, along int64   // elements
	line, next   int64   // strides of from, in bytes
	count        int64   // of matrices for a launch; 1 if one is for all products
	pitch        int64   // from line to line of the copy
}

// mostBytes is a bound for bytes that are counted.
const mostBytes = 1 << 62

// padOf returns the copy of a (0) or b (1), without its place. It is in the order of the operand's
// memory, so that neighbours are read together.
func (c *Call) padOf(i int) (p pad) {
	p.from = *c.factors()[i]
	o := &p.from
	if c.depth() == 0 { // nothing is read
		return p
	}
	byRows := o.byRows()
	p.lines, p.along, p.line, p.next = int64(o.rows), int64(o.cols), o.rs, o.cs
	if !byRows {
		p.lines, p.along, p.line, p.next = p.along, p.lines, o.cs, o.rs
	}
	p.count = 1
	if o.count > 1 && o.bs != 0 {
		p.count = int64(min(o.count, maxBatch))
	}
	p.pitch = math.MaxInt64
	if p.along <= mostBytes/o.size {
		p.pitch = (p.along*o.size + param.PadAlign - 1) &^ (param.PadAlign - 1)
	}
	p.to = operand{name: o.name, size: o.size, rows: o.rows, cols: o.cols, count: o.count, rs: p.pitch, cs: o.size}
	if !byRows {
		p.to.rs, p.to.cs = p.to.cs, p.to.rs
	}
	if p.count > 1 && p.bytes() < math.MaxInt64 {
		p.to.bs = p.lines * p.pitch
	}
	return p
}

// byRows reports whether neighbours in memory are those of rows.
func (o *operand) byRows() bool {
	switch {
	case o.cols <= 1:
		return false
	case o.rows <= 1 || o.cs == o.size:
		return true
	}
	return o.rs != o.size && o.cs <= o.rs
}

// bytes is what the copy takes in the workspace.
func (p *pad) bytes() int64 {
	if p.lines == 0 {
		return 0
	}
	if p.pitch > mostBytes/p.lines || p.count > mostBytes/(p.pitch*p.lines) {
		return math.MaxInt64
	}
	return align(p.lines * p.pitch * p.count)
}

// factors are a and b.
func (c *Call) factors() [2]*operand { return [2]*operand{&c.a, &c.b} }

// padded returns which of a and b are copied for k to take them. ok is false if it does not with copies of them
// either, or takes them as they lie. A sparse a is never copied.
func (c *Call) padded(t *Target, k *Kernel) (which [2]bool, ok bool) {
	if t.Pad == "" || c.full || k.Unit == 0 || k.Grouped || !c.stores(k) {
		return which, false
	}
	for i, o := range c.factors() {
		if k.takes(i, o) {
			continue
		}
		p := c.padOf(i)
		if i == 0 && c.sparse() || !k.takes(i, &p.to) || p.lines > param.PadLinesOfCTA*math.MaxInt32 {
			return [2]bool{}, false
		}
		which[i] = true
	}
	return which, which != [2]bool{}
}

// sparse reports whether half of a is stored.
func (c *Call) sparse() bool {
	for s := range c.set.Slots {
		if c.set.Slots[s].Kind == Meta {
			return true
		}
	}
	return false
}

// sector is how many bytes come from memory at least.
const sector = 32

// padding is the predicted time of copies.
func (c *Call) padding(v *view, which [2]bool) (all device.Prediction) {
	for i, copied := range which {
		if !copied {
			continue
		}
		p := c.padOf(i)
		matrices := min(p.count, 1)
		if p.count > 1 {
			matrices = int64(c.count)
		}
		elements := float64(p.lines) * float64(p.along) * float64(matrices)
		all = all.After(v.device.Copy(elements, min(sector, math.Abs(float64(p.next))), float64(p.from.size)))
	}
	return all
}

// padsOf are the copies that w makes, with their places behind all else in the workspace.
func (c *Call) padsOf(w way, mem *scratch) (pads [2]pad) {
	if !w.copies() {
		return pads
	}
	at := c.partials(w.k) + c.places(w.k, w.how)*int64(min(c.count, maxBatch))
	for i := range pads {
		if !w.pad[i] {
			continue
		}
		p := c.padOf(i)
		if n := p.bytes(); n > 0 {
			p.to.addr = mem.mem.Address() + uint64(at)
			at += n
		}
		pads[i] = p
		// Without elements too, that is what the product takes.
		*c.factors()[i] = p.to
	}
	return pads
}

// copy queues the kernels that copy operands of n products from z on, and puts the copies in their place.
func (c *Call) copy(l *loaded, pads [2]pad, z, n int) error {
	for i := range pads {
		p := &pads[i]
		if p.lines == 0 || p.along == 0 {
			continue
		}
		matrices := n
		if p.count == 1 {
			matrices = 1
		}
		// The product goes on by a batch's strides from the first one.
		c.factors()[i].addr = p.to.addr - uint64(int64(z)*p.to.bs)
		if z > 0 && p.count == 1 {
			continue
		}
		f, err := l.function(c.set, c.stream.Device(), l.target.Pad)
		if err != nil {
			return err
		}
		span, spans := p.spans(&l.info, int64(matrices))
		put := func(at int, x int64) { binary.LittleEndian.PutUint64(c.pads[at:], uint64(x)) }
		put(param.PadFrom, int64(p.from.addr)+int64(z)*p.from.bs)
		put(param.PadTo, int64(p.to.addr))
		put(param.PadLines, p.lines)
		put(param.PadAlong, p.along)
		put(param.PadLine, p.line)
		put(param.PadNext, p.next)
		put(param.PadBatch, p.from.bs)
		put(param.PadPitch, p.pitch)
		put(param.PadSpan, span)
		g := cuda.Grid{Blocks: [3]int{int(up(p.lines, param.PadLinesOfCTA)), int(spans), matrices}, Threads: [3]int{param.PadThreads, 1, 1}}
		if err := f.Launch(c.stream, g, c.pads[:]); err != nil {
			return err
		}
	}
	return nil
}

// spans cuts lines so that an SM has some warps. It returns how many elements a warp has and how many spans a
// line has. A span is whole turns of the kernel's loop, and there are no more spans than a grid's y.
func (p *pad) spans(info *cuda.Info, matrices int64) (span, n int64) {
	const (
		turn  = 4 * 32
		warps = 32 // of an SM: half of what it holds
	)
	turns := up(p.along, turn)
	n = min(turns, maxBatch, up(int64(max(info.SMs, 1))*warps, p.lines*matrices))
	span = up(turns, n) * turn
	return span, up(p.along, span)
}
