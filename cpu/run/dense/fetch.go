package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// A fetch is what of packed B kernels fetch while they go over a panel.
type fetch uint8

const (
	fetchNext  fetch = iota // the panel that comes next, a part of it with each tile
	fetchAhead              // the same bytes of B that one tile reads, some time ahead
	fetchNone               // nothing: the core does so
)

// queued is how many times the latency of memory a prefetch runs ahead: once for the
// line, and more since lines wait for each other when a core reads as many as it can.
const queued = 4

// fetches says what kernels prefetch that read words of B, or elements that they widen, from memory once for
// a few rows. Products then take less time than the bytes or little more. If they take less than half of it,
// loads wait for B already. A core has them all under way and sees by itself what comes next, and any further
// prefetch takes their places. See docs/rationale/narrow.md, "Decoding prefetches only when products take
// long".
func (p *product) fetches(m *machine.Machine, pl *plan) {
	pl.fetch, pl.lead = fetchNext, 0
	widens := p.narrow() && !pl.packB
	if p.deep < 2 && !widens || pl.rows.Count > 1 {
		return
	}
	if !p.waits(m) {
		pl.fetch = fetchNone
		return
	}
	from := &m.Caches[machine.Memory]
	row := pl.vecs.Size * p.kern.VL * p.elementOfB()
	bytes := min(queued*from.Latency*from.Read, float64(m.Caches[machine.L2].Size/2))
	pl.fetch, pl.lead = fetchAhead, mem.Ceil(int(bytes), row)*row
}

// elementOfB is the bytes of an element, or word, of b as kernels that are to fetch it read it.
func (p *product) elementOfB() int {
	if p.narrow() {
		return p.pre.Size
	}
	return p.size
}

// waits reports whether the products of a line of B with each row of A take at least half
// as long as reading it from memory.
func (p *product) waits(m *machine.Machine) bool {
	core := cost.Core(m, p.kern.ISA, p.size)
	products := cost.Work{Flops: 2 * float64(p.m*(mem.Line/p.elementOfB()))}
	return 2*cost.Time(products, core) >= cost.Time(cost.Move(machine.Memory, mem.Line), core)
}

// fetch has the kernels fetch what is planned while they go over the tiles of a panel. Each k of each tile
// fetches a part of a row of the next panel, as it was packed, so that all of it is in the second cache when
// its turn comes. Else the first tile of a panel waits for its lines, which come from farther away than a
// core looks ahead.
func (j *part) fetch(args *kernel.Args, next unsafe.Pointer, tiles mem.Extent) {
	switch j.plan.fetch {
	case fetchNext:
		n := int64(tiles.To - tiles.From)
		args.Next, args.NextStep = int64(mem.Distance(args.B, next)), (args.LdB+n-1)/n
	case fetchAhead:
		args.Next, args.NextStep = int64(j.plan.lead), args.LdB
	}
}
