package advise

import (
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// spent is what a product takes.
type spent struct {
	// Instructions of the busiest unit, Jumps, Calls, and what bytes take longer than from L1: all those of L2, and
	// lines of L3 and memory that come one by one.
	core   cost.Spent
	stream cost.Spent // of L3 and memory, data that comes or goes line after line, so that the core prefetches it
	loads  float64    // the part of the instructions that loads, which L1 is filled by as well
	visit  float64    // instructions of a visit of C, no seconds
}

// overlap is the part of the shorter time that is hidden behind the longer: of what a core
// computes and waits for, and of what streams meanwhile. Both take its buffers of misses,
// so that it is between nothing and all. Products in rows on a Zen 4 are best met by half,
// and not much worse by any.
const overlap = .5

// work is of the busiest unit of the core: no product takes less.
func (c *spent) work() float64 { return c.core[cost.Instructions] }

// seconds is at least work, whatever the caches do.
func (c *spent) seconds() float64 {
	core := max(c.work(), c.loads+c.core[cost.L2]) + c.core[cost.L3] + c.core[cost.Memory]
	return c.core[cost.Jumps] + c.core[cost.Calls] + cost.Beside(core, c.stream.Total(), 1-overlap)
}

// waiting is the seconds that caches and memory add to what instructions take.
func (c *spent) waiting() float64 {
	return c.seconds() - c.work() - c.core[cost.Jumps] - c.core[cost.Calls]
}

// most names what takes most, or says that nothing takes half of what is neither jumps nor calls.
func (c *spent) most() string {
	all := c.core
	all.Add(&c.stream, 1)
	most := all.Most()
	if 2*all[most] <= c.seconds()-c.core[cost.Jumps]-c.core[cost.Calls] {
		return "instructions and caches"
	}
	return most.String()
}

// The code around the kernels is compiled Go, whose time depends on no element. These
// are the cycles of a call until the kernel runs. They are fitted to the smallest
// matrices on a Zen 4, where they are half of the time or more. A format is first
// compared with those that have kernels.
const (
	callRows   = 700
	callPacked = 800 // more than callRows, for parts and formats
	callNest   = 1600
	callCopies = 900 // of blocks and pruned weights
)

// Instructions of compiled Go for pieces of a product, counted in cpu/run/spblas.
const (
	taskSteps  = 300 // of rows: a search for where they begin, arguments and a call
	tileSteps  = 120 // of a tile of blocks
	blockSteps = 200 // of rows of B that a block needs: a call that copies them, and a look at what was found
	slotSteps  = 8   // of a slot of a block that may be padding: a bit of a mask
	gapSteps   = 150 // of a gap between rows that is cleared
	clearBytes = 32  // that one instruction clears
)

// blockWait is the cycles between two blocks of a tile. A load of the block's column, two
// multiplications and the jump back are 5 + 3 + 3 + 1, of which some is hidden.
const blockWait = 8

// rowWait is the cycles that instruction fetch loses in a row. Some three jumps of its loops
// are taken, and each ends what is fetched at once. It comes from meshes of 5 to 7 entries a
// row with 8 features on a Zen 4, whose rows took 4 or more cycles longer than all their
// units.
const rowWait = 4

// window is the instructions that a core looks ahead: 224 of Skylake to 512 of Golden
// Cove. Multiply-adds of rows that are shorter do not wait for one another.
const window = 256

// forward is the cycles until a load sees what was stored just before. It is 4 or 5
// without a vector, and some more with one; Fog, microarchitecture.pdf.
const forward = 8

// work returns what the instructions of a product take, whose rows of B are width bytes.
func (p *plan) work(on *Machine, s runs.Set, width, size int) spent {
	var c spent
	u, scalar := on.Of(on.ISA), on.scalar()
	cycles, loads, stalls, calls, steps, visits := 0., 0., 0., 0., 0., 0.
	for _, w := range p.count(on, s, width, size) {
		cycles += max(w.ops.cycles(u, scalar), w.chain)
		loads += w.ops.loading(u, scalar)
		stalls += w.stall + w.jumps*on.Tail
		calls += w.calls
		steps += w.inside
		visits += float64(w.z.visits * int64(w.panels()))
	}
	c.visit = max(1, steps/max(1, visits))
	c.loads = loads / on.Clock
	c.core = cost.Spent{cost.Instructions: cycles / on.Clock, cost.Jumps: stalls / on.Clock, cost.Calls: calls / on.Clock}
	return c
}

// count returns what each part does.
func (p *plan) count(on *Machine, s runs.Set, width, size int) []partWork {
	u := on.Of(on.ISA)
	kern := kernelsFor(u, size)
	rows := p.runs()
	var all []partWork
	for g := range p.parts {
		z := &p.parts[g]
		w := partWork{rows: rows, kern: &kern, z: z, s: p.groups[g].Set, update: z.updates || g > 0, width: width, units: u, scalar: on.scalar()}
		w.fetch = fetches(on, w.s.N, min(width, kern.panel(z)))
		w.count(u.Latency)
		w.inside = w.steps
		w.around(g == 0)
		if p.rules != nil {
			w.calls += callPacked
		}
		all = append(all, w)
	}
	return all
}

// partWork counts what one part of a product does.
type partWork struct {
	rows          int // of all parts, that are not empty
	kern          *kernels
	z             *footprint
	s             runs.Set
	width         int
	units, scalar *machine.Units
	fetch         bool // rows of B early
	update        bool // rows of C are added to

	ops
	chain        float64 // cycles of multiply-adds that wait for one another
	jumps        float64 // not foreseen
	inside       float64 // instructions of kernels
	stall, calls float64 // cycles
}

// count adds up what kernels do, panel by panel.
func (w *partWork) count(latency float64) {
	vectors, panels := runs.CeilDiv(w.width, w.kern.lane), w.panels()
	z := w.z
	slots, visits, entries := float64(z.slots), float64(z.visits), float64(w.s.NNZ)
	for q := range panels {
		nv := vectors*(q+1)/panels - vectors*q/panels
		partial := 0. // of the loads and stores of a row of vectors
		if q == panels-1 && w.width%w.kern.lane != 0 {
			partial = 1
		}
		switch {
		case z.order == byBlocks:
			w.tiles(nv, partial, latency)
		case z.order == byWeights:
			entry := w.kern.prunedEntry(nv)
			w.plus(visits, w.kern.prunedVisit(nv, true))
			w.plus(entries, entry)
			w.waitForSums(entries, visits, entry, w.kern.together(nv), latency)
			w.plus(float64(w.s.N), w.kern.packed(nv))
			w.masked += partial * (2*visits + float64(w.s.N))
			// Two loops end where rows of another length begin, and one jump is taken for a
			// row, or two for a group.
			w.jumps += 2 * float64(z.lengths)
			w.stall += rowWait / 2 * visits
		case z.plain && w.width == w.kern.elem && !w.kern.goCode:
			entry := w.kern.columnEntry()
			w.plus(visits, w.kern.columnRow(w.update))
			w.plus(entries, entry)
			w.waitForSums(entries, visits, entry, columnRound, latency)
			w.jumps += surprises(w.s, columnRound, w.rows)
			w.stall += rowWait * visits
		case z.plain:
			row, entry := w.kern.row(nv, w.fetch, w.update), w.kern.entry(nv, w.fetch)
			w.plus(visits, row)
			w.plus(entries, entry)
			w.masked += partial * (entries + visits)
			u := chains(nv, w.fetch)
			w.waitForSums(entries, visits, entry, float64(u), latency)
			w.jumps += surprises(w.s, u, w.rows)
			w.stall += rowWait * visits
		case z.order == byColumns:
			w.plus(float64(w.s.N), ops{steps: 8, loads: 4})
			w.plus(entries, w.kern.nestEntry(nv, z))
			w.masked += partial * 3 * entries
			w.stall += rowWait * float64(w.s.N)
			w.jumps += float64(min(w.s.N, w.s.NNZ)) * forgotten(w.s.N)
		default:
			w.plus(visits, w.kern.visit(nv, w.update))
			w.plus(slots, w.kern.slot(z))
			w.plus(entries, w.kern.nestEntry(nv, z))
			w.masked += partial * (entries + visits)
			w.jumps += surprises(w.s, 1, w.rows)
			w.stall += rowWait * visits
			if z.updates {
				w.chain += max(0, visits-float64(filled(w.s))) * (latency + forward)
			}
		}
	}
}

// waitForSums adds the wait of rows that are longer than what a core looks ahead. There
// each multiply-add waits for the one before, in so many chains at once.
func (w *partWork) waitForSums(entries, visits float64, entry ops, chains, latency float64) {
	if !w.kern.goCode {
		w.chain += entries * latency / chains * min(1, entry.steps*entries/max(visits, 1)/window)
	}
}

// panels returns how many panels of columns the part is done in.
func (w *partWork) panels() int {
	return runs.CeilDiv(runs.CeilDiv(w.width, w.kern.lane), w.kern.vectors(w.z))
}

// tiles counts blocks in one panel. The rows of a block are cut into tiles as even as
// possible.
func (w *partWork) tiles(nv int, partial, latency float64) {
	z := w.z
	rows := float64(z.block) / float64(z.tall)
	blocks, tiles := float64(z.blocks*z.tall), float64(z.tiles*z.tall)
	columns, column := blocks*float64(z.block), w.kern.tileColumn(rows, nv)
	w.plus(columns, column)
	w.plus(blocks, w.kern.tileBlock(rows))
	w.plus(tiles, w.kern.tileEnd(rows, nv))
	w.plus(float64(w.s.N), w.kern.packed(nv))
	w.masked += partial * (columns + tiles*rows + float64(w.s.N))
	// Each multiply-add of a tile waits for the column before, and a block for its address.
	w.chain += columns * max(latency, column.cycles(w.units, w.scalar))
	w.stall += blocks * blockWait
	w.steps += tileSteps*tiles + blockSteps*float64(runs.CeilDiv(w.s.N, z.block))
	w.jumps += tiles * forgotten(z.tiles)
}

// around adds what is done around kernels; first says that C is not there yet.
func (w *partWork) around(first bool) {
	z, m := w.z, float64(w.s.M)
	clear := func(rows float64) {
		n := rows * float64(w.width) / clearBytes
		w.plus(n, ops{steps: 1, stores: clearBytes / float64(w.kern.lane)})
	}
	switch {
	case z.order == byBlocks:
		w.calls += callRows + callCopies
		if z.slots > int64(w.s.NNZ) {
			w.steps += slotSteps * float64(z.slots)
		}
	case z.order == byWeights:
		w.calls += callCopies
	case z.plain:
		w.calls += callRows
		total := w.s.NNZ + 2*w.s.M
		tasks := float64(total/max(min((1<<21)/(min(w.width, w.kern.panel(z))+line), runs.CeilDiv(total, 16)), 512) + 1)
		w.steps += taskSteps * tasks
	default:
		w.calls += callRows + callPacked + callNest
	}
	switch missing := m - float64(filled(w.s)); {
	case !first:
	case z.updates:
		clear(m)
	case z.clears(w.s.M):
		clear(missing)
		gaps := min(missing, float64(filled(w.s)))
		w.steps += gapSteps * gaps
		w.jumps += 2 * gaps
	}
}

// nearLines are those of a row that come one by one, before the core sees that they
// follow each other and fetches more.
const nearLines = 2

// conflictWait is the part of the latency of L2 that a row of B waits for if more lines
// than a set of L1 has ways come to it at once, as lines a power of two away do. The line
// that makes room for one is still on its way, or not used yet. It comes from two layers of
// a pruned network on a Zen 4. Rows of their B of 16 to 128 features took 2 to 4 cycles
// longer each than rows at other distances.
const conflictWait = .25

// waits adds what the traffic takes beyond L1.
func (c spent) waits(on *Machine, p *plan, t Traffic, width int) spent {
	lines := float64(max(p.lines, 1))
	near := &on.Caches[machine.L1]
	for l := machine.L2; l < machine.Levels; l++ {
		of := func(m Moved) float64 { return float64(m[l]) }
		x := &on.Caches[l]
		beyond := func(change, ordered bool) float64 { return max(0, x.Apiece(change, ordered)-near.Apiece(change, true)) }
		read, write, single := beyond(false, true), x.Apiece(true, true), line*beyond(false, false) // single is of a line
		random, stream := &c.core[cost.Of(l)], &c.stream[cost.Of(l)]
		if l == machine.L2 {
			stream, write = random, beyond(true, true)
			*random += of(t.Conflicts) / lines / line * conflictWait * x.Latency
		}
		alone := min(nearLines/lines, 1)
		b := of(t.B) - of(t.Follows)
		*random += b*alone/line*single + b*(1-alone)*read
		*stream += of(t.Follows)*read + of(t.A)*read + of(t.Copy)/2*(read+write)
		k := of(t.C) / 2
		switch {
		case l == machine.Memory && p.stream:
			*stream += k * 2 / on.Stream
		case p.parts[0].order == byColumns:
			*random += k*alone/line*single + k*(1-alone)*read
			*stream += k * write
		default:
			// A destination that is added to is read first. Rows of B lie between one row of C
			// and the next. So nothing prefetches it but the core itself, which has asked for
			// the rows that are in its window.
			*random += k * p.updates() / lines / line * max(0, x.Latency-window/on.Of(on.ISA).Issue/on.Clock) / min(max(1, window/c.visit), max(1, x.Misses/lines))
			*stream += k*p.updates()*read + k*write
		}
		if pages := float64(p.cols) * float64(width) / float64(on.Pages.Size); l > machine.L2 && pages > float64(on.Pages.Far) {
			*random += b / lines / line * on.Pages.Walk * (1 - float64(on.Pages.Far)/pages)
		}
	}
	return c
}

// runs returns how many rows the parts have, those without entries left out.
func (p *plan) runs() int {
	n := 0
	for _, g := range p.groups {
		n += filled(g.Set)
	}
	return n
}

// updates returns the share of visits of C that read it first.
func (p *plan) updates() float64 {
	all, some := int64(0), int64(0)
	for g, z := range p.parts {
		all += z.visits
		if g == 0 && z.updates {
			all += int64(p.rows) // it is cleared
		}
		if g > 0 || z.updates {
			some += z.visits
		}
	}
	return float64(some) / float64(max(all, 1))
}
