package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// plan is how one product is cut. The order of additions (kc) depends on the shape only, and in a skinny
// product on the strides as well. The number of threads therefore never shows in the result.
type plan struct {
	threads      int
	kc           int       // depth of a k-block
	slab         int       // k done at once: B is packed for slab x panelsAtOnce panels
	rows         mem.Split // m into tiles
	vecs         mem.Split // the vectors of a row of C into panels
	tilesPerCall int       // of the micro-kernel
	deepB        bool      // a fused product whose panel of b over all of k is too large to pack: see fuse
	way                    // that takes least time of those with all of the above
	skinny       skinny    // instead of all of that but threads
}

// way is what a machine chooses. The order of additions depends on nothing in it, so no choice
// among ways can change a bit of the result.
type way struct {
	panelsAtOnce  int
	tilesPerBlock int
	packA, packB  bool
	deepA         bool  // a fused product whose block of a over all of k is too large to pack: see fuse
	stream        bool  // results are stored past the caches
	fetch         fetch // of packed B, see fetches
	lead          int   // bytes, of fetchAhead
}

// Assembly cannot be preempted, so a call has an end: about 100 us at 100 GFLOP/s. An
// element of C counts as so many multiply-adds, since with a small k it is memory that
// takes the time.
const (
	callWork = 1 << 22
	storeFor = 64
)

// smallOperand is the size of operands that are read in place and not planned. They stay
// in the second cache of every machine, so copies gain nothing, and planning takes as
// long as a part of the product.
const smallOperand = 128 << 10

// slabBlocks is how many k-blocks of B are packed at once: panels of as many are what a
// large B leaves room for.
const slabBlocks = 8

// plan fills in every field of pl. First come the fields that the order of additions
// follows from, then those left open, which are chosen to take least time on m.
func (p *product) plan(m *machine.Machine, threads int, pl *plan) {
	p.order(threads, pl)
	if pl.skinny.on || p.asItLies(m, pl) {
		return
	}
	var best cost.Best[way]
	q := p.describe(pl)
	weigh := func(w *way) {
		best.Offer(*w, priced(&q, w).Seconds(m))
		pl.way = best.Plan
	}
	p.copies(m, pl, weigh)
	p.blocks(m, pl, weigh)
	p.past(m, pl, weigh)
	p.fetches(m, pl)
}

// order fills in what depends on the shape, the strides and the ISA only, so that neither
// threads nor the machine ever show in a result. It also fills in threads.
func (p *product) order(threads int, pl *plan) {
	kern := p.kern
	*pl = plan{threads: 1, rows: mem.SplitUp(p.m, kern.MR), vecs: mem.SplitUp(mem.Ceil(p.n, kern.VL), kern.NV)}
	if threads > 1 && float64(p.m)*float64(p.n)*float64(p.k) >= work.Threaded {
		pl.threads = threads
	}
	if p.planSkinny(pl); pl.skinny.on {
		return
	}
	pl.kc = depth(p.k, kern.AtOnce)
	pl.slab = p.k
	if p.k > slabBlocks*tiling.KCMax {
		pl.slab = slabBlocks * pl.kc
	}
	if p.fused.On {
		pl.slab = max(1, p.k)
		pl.deepB = mem.Volume(p.k, pl.vecs.Size*kern.VL*p.size) > budget.Panel
	}
	perTile := float64(pl.rows.Size*pl.vecs.Size*kern.VL) * float64(pl.kc+storeFor)
	pl.tilesPerCall = max(1, int(callWork/perTile))
}

// plain reports whether kernels can read a and b where they are: words of a, but none of b.
func (p *product) plain() (a, b bool) {
	if p.deep > 1 {
		return p.ta.Size()*p.deep == p.size && p.a.CS == p.size && p.elems == p.k*p.deep && !p.kern.FlipCopy && p.kern.One(kernel.ZipRows) == nil, false
	}
	return p.ta.Size() == p.size && p.as == 0 && p.at == 0, p.bs == 0 && p.b.CS == p.size && p.tb.Size() == p.size
}

// asItLies completes the plan of a product whose operands are small, and whose result is
// not too large for the caches of m. It reports whether the product is one.
func (p *product) asItLies(m *machine.Machine, pl *plan) bool {
	if a, b := p.plain(); !a || !b || p.pre != nil || pl.threads > 1 ||
		mem.Volume(p.m, p.k, p.size) > smallOperand || mem.Volume(p.k, p.n, p.size) > smallOperand ||
		tiling.StoresPast(m, int64(mem.Volume(p.m, p.n, p.size))) {
		return false
	}
	pl.panelsAtOnce, pl.tilesPerBlock = pl.vecs.Count, pl.rows.Count
	p.limitSums(pl)
	return true
}

// copies calls f with each way that may be the best on m, except for
// blocks of other sizes. The ways are with and without copies of a and b where both can be
// done, and with as much of b packed at once as the last cache holds or as the budget
// allows. f may keep nothing of its argument.
func (p *product) copies(m *machine.Machine, pl *plan, f func(*way)) {
	a, b := p.plain()
	other := *pl
	for _, other.packB = range [2]bool{false, true} {
		if !other.packB && !p.widens() && (!b || p.pre != nil) {
			continue
		}
		panels := p.panelsAtOnce(m.Caches[machine.L3].Size, &other)
		for i, n := range [2]int{panels, p.panelsAtOnce(budget.Panel, &other)} {
			if i > 0 && n == panels {
				break
			}
			other.panelsAtOnce = n
			for _, other.packA = range [2]bool{false, true} {
				if other.packA || a {
					p.block(m.Caches[machine.L2].Size/2, &other)
					f(&other.way)
				}
			}
		}
	}
}

// blocks calls f with the way for blocks of a that take a quarter of the second cache, or
// all of it, instead of half.
func (p *product) blocks(m *machine.Machine, pl *plan, f func(*way)) {
	size := m.Caches[machine.L2].Size
	for _, bytes := range [2]int{size / 4, size} {
		other := *pl
		if p.block(bytes, &other); other.tilesPerBlock != pl.tilesPerBlock {
			f(&other.way)
		}
	}
}

// past calls f with the way that stores results past the caches, if these are whole lines
// that are stored once, and more than the caches keep. The next reader then loses nothing.
func (p *product) past(m *machine.Machine, pl *plan, f func(*way)) {
	wide := p.kern.VL * p.size
	lines := pl.vecs.Size*wide%mem.Line == 0 && (pl.vecs.Tall == pl.vecs.Count || wide%mem.Line == 0)
	if isa := isaset.ByName(p.kern.ISA); p.streams() && (pl.packB || !p.narrow()) && p.k <= pl.kc && p.n%p.kern.VL == 0 && lines &&
		tiling.StoresPast(m, int64(mem.Volume(p.m, p.n, p.size))) && isa != nil && isa.Streams {
		other := *pl
		other.stream = true
		f(&other.way)
	}
}

// streams reports whether kernels could store c past the caches, by where it lies and what
// it is to become.
func (p *product) streams() bool {
	return p.mode == kernel.ModeStore && p.exists == 0 && !p.fused.On && p.deep < 2 && p.c.CS == p.size && p.c.RS%mem.Line == 0 && mem.Misaligned(p.c.P, mem.Line) == 0
}

// block sets the tiles of a block of a that takes so many bytes.
func (p *product) block(bytes int, pl *plan) {
	pl.tilesPerBlock = p.tilesPerBlock(bytes, pl)
	p.limitSums(pl)
	pl.deepA = p.fused.On && pl.packA && mem.Volume(pl.tilesPerBlock*pl.rows.Size, p.k, p.size) > budget.Kept/2
}

// panelsAtOnce is how many panels of B are packed at once: as many as so many bytes hold,
// and equally many each time.
func (p *product) panelsAtOnce(bytes int, pl *plan) int {
	if p.ready() || !pl.packB || pl.deepB {
		return pl.vecs.Count
	}
	bytes = min(budget.Panel, bytes)
	perPanel := max(1, min(p.k, pl.slab)) * pl.vecs.Size * p.kern.VL * p.size
	return mem.Ceil(pl.vecs.Count, mem.Ceil(pl.vecs.Count, max(1, bytes/perPanel)))
}

// tilesPerBlock is how many tiles of A, or of its copy, take so many bytes; fewer if
// there are threads to share blocks out to.
func (p *product) tilesPerBlock(bytes int, pl *plan) int {
	perRow := pl.kc * p.size
	if pl.packA {
		perRow = p.copiedRow(pl.kc)
	}
	blocks := mem.Ceil(pl.rows.Count, max(1, bytes/max(1, pl.rows.Size*perRow)))
	if pl.threads > 1 { // enough blocks to share out
		blocks = max(blocks, min(pl.rows.Count, 4*pl.threads))
	}
	return mem.Ceil(pl.rows.Count, blocks)
}
