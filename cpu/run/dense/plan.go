package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/tiling"
)

// plan is how one product is cut. What decides the order of additions (kc) depends
// on the shape only (in a skinny product on the strides as well), so that the number of threads never shows in the result.
type plan struct {
	threads       int
	kc            int       // depth of a k-block
	slab          int       // k done at once: B is packed for slab x panelsAtOnce panels
	rows          mem.Split // m into tiles
	vecs          mem.Split // the vectors of a row of C into panels
	panelsAtOnce  int
	tilesPerBlock int
	tilesPerCall  int // of the micro-kernel
	packA, packB  bool
	deepA, deepB  bool   // a fused product whose block of a or panel of b over all of k is too large to pack: see fuse
	skinny        skinny // instead of all of that but threads
}

// Thresholds, in multiply-adds and bytes; RATIONALE.md, "When to pack", says where
// they come from.
const (
	page = 4096

	// Assembly cannot be preempted, so a call has an end: about 100 us at 100
	// GFLOP/s. An element of C counts as so many multiply-adds, since with a small k
	// it is memory that takes the time.
	callWork = 1 << 22
	storeFor = 64
)

// panelBudget is what packed B may take at once: half of a usual L3. Tests set it lower.
var panelBudget = 16 << 20

// plan fills in pl, every field of it.
func (p *product) plan(threads int, pl *plan) {
	kern := p.kern
	pl.rows = mem.SplitUp(p.m, kern.MR)
	pl.vecs = mem.SplitUp(mem.Ceil(p.n, kern.VL), kern.NV)
	pl.threads = 1
	if threads > 1 && float64(p.m)*float64(p.n)*float64(p.k) >= work.Threaded {
		pl.threads = threads
	}
	if p.planSkinny(pl); pl.skinny.on {
		return
	}
	pl.kc = depth(p.k)
	pl.slab = p.k
	if p.k > 8*tiling.KCMax {
		pl.slab = 8 * pl.kc
	}
	perTile := float64(pl.rows.Size*pl.vecs.Size*kern.VL) * float64(pl.kc+storeFor)
	pl.tilesPerCall = max(1, int(callWork/perTile))
	asA, asB := p.ta.Size() == p.size, p.tb.Size() == p.size // need no conversion
	unit := p.b.CS == p.size && asB
	pl.packA, pl.packB = false, false
	pl.deepA, pl.deepB = false, false
	if p.fused.On {
		pl.slab = max(1, p.k)
		pl.deepB = mem.Volume(p.k, pl.vecs.Size*kern.VL*p.size) > panelBudget
	}
	if p.pre == nil && unit && asA && pl.threads == 1 && mem.Volume(p.m, p.k, p.size) <= smallOperand && mem.Volume(p.k, p.n, p.size) <= smallOperand {
		pl.panelsAtOnce, pl.tilesPerBlock = pl.vecs.Count, pl.rows.Count
		p.limitSums(pl)
		return
	}

	// B is read in place if its rows are contiguous and either few tiles would reuse
	// a packed panel or the rows fall into different cache sets.
	aliased := p.b.RS%page == 0 && p.k > 8
	pl.packB = !unit || pl.rows.Count > 2 && (aliased || mem.Volume(p.k, p.n, p.size) > panelBudget/4)

	// A is read in place whatever its strides: a tile touches one line a row for
	// many steps of k. A line for each step, or many rows in one set, is copied.
	c := tiling.MachineCaches()
	pl.packA = !asA || pl.vecs.Count > 4 && p.a.CS != p.size && mem.Volume(p.m, p.k, p.size) > c.L2/4

	pl.panelsAtOnce = pl.vecs.Count
	if p.pre != nil {
		pl.packB = true
	} else if pl.packB && !pl.deepB {
		perPanel := max(1, min(p.k, pl.slab)) * pl.vecs.Size * kern.VL * p.size
		most := max(1, panelBudget/perPanel)
		pl.panelsAtOnce = mem.Ceil(pl.vecs.Count, mem.Ceil(pl.vecs.Count, most))
	}

	// A block of A takes half of L2 and leaves the rest to B's panel and C.
	perRow := pl.kc * p.size
	if pl.packA {
		perRow = p.copiedRow(pl.kc)
	}
	blocks := mem.Ceil(pl.rows.Count, max(1, c.L2/2/max(1, pl.rows.Size*perRow)))
	if pl.threads > 1 { // enough blocks to share out
		blocks = max(blocks, min(pl.rows.Count, 4*pl.threads))
	}
	pl.tilesPerBlock = mem.Ceil(pl.rows.Count, blocks)
	p.limitSums(pl)
	pl.deepA = p.fused.On && pl.packA && mem.Volume(pl.tilesPerBlock*pl.rows.Size, p.k, p.size) > mem.Kept/2
}

// smallOperand is the size up to which an operand stays in L2 whatever is done.
const smallOperand = 128 << 10
