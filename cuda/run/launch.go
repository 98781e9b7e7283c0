package run

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// maxBatch is how many products one launch does: the limit of a grid's z.
const maxBatch = 65535

// Launch checks the operands and queues the kernels. c must not be used after.
func (c *Call) Launch() error {
	err := c.err
	switch {
	case err != nil:
	case c.opt.Gather != nil:
		err = c.opt.Gather.take(c)
	default:
		if err = c.check(); err == nil {
			err = c.launch()
		}
	}
	*c = Call{}
	calls.Put(c)
	return err
}

func (c *Call) launch() error {
	d := c.stream.Device()
	l, err := c.set.on(d)
	if err != nil {
		return err
	}
	if c.m == 0 || c.n == 0 {
		// Nothing to compute, but reductions of nothing have values.
		return c.join(l, d, nil, nil, 0, c.count)
	}
	w, err := c.choose(l.target, &l.info)
	if err == nil {
		err = c.fits(w.k)
	}
	if err != nil {
		return err
	}
	mem, w, err := c.room(l, w)
	if err != nil {
		return err
	}
	if mem != nil {
		defer mem.mu.Unlock()
	}
	k, p := w.k, w.how
	f, err := l.function(c.set, d, k.Name)
	if err != nil {
		return err
	}
	pads := c.padsOf(w, mem)
	for z := 0; z < c.count; z += maxBatch {
		n := min(c.count-z, maxBatch)
		if err := c.copy(l, pads, z, n); err != nil {
			return err
		}
		params := c.fill(k, p, mem, z)
		g := cuda.Grid{
			Blocks:  [3]int{tiles(c.m, k.Tile.BM) * tiles(c.n, k.Tile.BN), 1, n},
			Threads: [3]int{k.Threads, 1, 1}, Shared: k.Shared,
		}
		if k.Parts.Name != "" {
			g.Blocks[0] = int(p.ctas)
		}
		if err := f.Launch(c.stream, g, params); err != nil {
			return err
		}
		if p.parts() {
			if err := c.addParts(l, k, params, n); err != nil {
				return err
			}
		}
		if err := c.join(l, d, k, mem, z, n); err != nil {
			return err
		}
	}
	return nil
}

// room returns the stream's workspace, locked, or nil if w needs none. If the device has no memory left for copies
// of operands, they are done without: w is what is done then.
func (c *Call) room(l *loaded, w way) (*scratch, way, error) {
	n, err := c.workspaceOf(w, &l.info)
	if n == 0 || err != nil {
		return nil, w, err
	}
	mem, err := l.workspace(c.set, c.stream, n)
	if errors.Is(err, cuda.ErrMemory) && w.copies() && !c.opt.Pad {
		c.full = true
		if other, none := c.choose(l.target, &l.info); none == nil && c.fits(other.k) == nil {
			return c.room(l, other)
		}
	}
	return mem, w, err
}

// partial describes the partial results of slot s. It has a line of across values for
// each of parts tiles, and that for each product of a launch.
func (c *Call) partial(k *Kernel, s int) (across, parts int64) {
	if c.set.Slots[s].Col {
		return int64(c.n), int64(tiles(c.m, k.Tile.BM))
	}
	return int64(c.m), int64(tiles(c.n, k.Tile.BN))
}

// partials returns the bytes of workspace for the partial results.
func (c *Call) partials(k *Kernel) (n int64) {
	for s := range c.set.Slots {
		if kind := c.set.Slots[s].Kind; kind == Partial || kind == Second {
			across, parts := c.partial(k, s)
			n += align(4*across*parts) * int64(min(c.count, maxBatch))
		}
	}
	return n
}

// align rounds up to what every access is aligned to.
func align(n int64) int64 { return (n + 255) &^ 255 }

// fill writes the parameter block for the products from z on, and returns it.
func (c *Call) fill(k *Kernel, sp spans, w *scratch, z int) []byte {
	p := &c.block
	put := func(at int, x int64) { binary.LittleEndian.PutUint64(p[at:], uint64(x)) }
	put32 := func(at int, x uint32) { binary.LittleEndian.PutUint32(p[at:], x) }
	from := func(o *operand) int64 { return int64(o.addr) + int64(z)*o.bs }
	alpha, beta := c.opt.Scaling.Factors()
	put(param.A, from(&c.a))
	put(param.B, from(&c.b))
	// A stride that is never taken may be anything, and must be aligned.
	taken := func(n int, stride int64) int64 {
		if n <= 1 {
			return 0
		}
		return stride
	}
	put(param.RsA, taken(c.m, c.a.rs))
	put(param.CsA, taken(c.k, c.a.cs))
	put(param.RsB, taken(c.k, c.b.rs))
	put(param.CsB, taken(c.n, c.b.cs))
	put(param.M, int64(c.m))
	put(param.N, int64(c.n))
	put(param.K, int64(c.depth()))
	put(param.BsA, taken(c.count, c.a.bs))
	put(param.BsB, taken(c.count, c.b.bs))
	put32(param.TM, uint32(tiles(c.m, k.Tile.BM)))
	put32(param.TN, uint32(tiles(c.n, k.Tile.BN)))
	put32(param.Alpha, math.Float32bits(float32(alpha)))
	put32(param.Beta, math.Float32bits(float32(beta)))
	end := param.Bytes(len(c.set.Slots), max(4, c.set.Acc.Size()))
	if k.Parts.Name != "" {
		if sp.parts() {
			put(end+param.Parts, int64(w.mem.Address())+c.partials(k))
		}
		put(end+param.PartsBatch, c.places(k, sp))
		put32(end+param.Steps, uint32(sp.steps))
		put32(end+param.Span, uint32(sp.span))
		put32(end+param.All, uint32(sp.all))
	}
	if c.set.Acc == dtype.F64 {
		behind := param.Slots + len(c.set.Slots)*param.SlotSize
		put(behind, int64(math.Float64bits(alpha)))
		put(behind+8, int64(math.Float64bits(beta)))
	}
	var used int64
	for s := range c.set.Slots {
		at := param.Slots + s*param.SlotSize
		o := &c.slots[s]
		switch c.set.Slots[s].Kind {
		case Scalar:
			put(at, int64(c.bits[s]))
			continue
		case Partial, Second:
			across, parts := c.partial(k, s)
			put(at, int64(w.mem.Address())+used)
			put(at+8, 4*across)
			put(at+16, 4)
			put(at+24, align(4*across*parts))
			used += align(4*across*parts) * int64(min(c.count, maxBatch))
			continue
		}
		put(at, from(o))
		put(at+8, taken(c.m, o.rs))
		put(at+16, taken(c.n, o.cs))
		put(at+24, taken(c.count, o.bs))
	}
	if k.Parts.Name != "" {
		end += param.SplitBytes
	}
	return p[:end]
}
