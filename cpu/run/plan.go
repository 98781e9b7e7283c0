package run

import "github.com/tilesmith/tilesmith/tiling"

// split cuts a length into count pieces whose sizes differ by at most one: the
// first tall pieces have size, the others one less. Equal pieces keep every kernel
// call near its best shape, where full pieces and a runt would not.
type split struct{ count, size, tall int }

// splitUp cuts n into as few pieces of at most most as will do.
func splitUp(n, most int) split {
	count := ceil(n, most)
	size := ceil(n, count)
	return split{count, size, n - count*(size-1)}
}

// at returns where piece i begins; at(count) is the length.
func (s *split) at(i int) int {
	if i <= s.tall {
		return i * s.size
	}
	return s.tall*s.size + (i-s.tall)*(s.size-1)
}

// plan is how one product is cut. What decides the order of additions (kc) depends
// on the shape only (in a skinny product on the strides as well), so that the number of threads never shows in the result.
type plan struct {
	threads       int
	kc            int   // depth of a k-block
	slab          int   // k done at once: B is packed for slab x panelsAtOnce panels
	rows          split // m into tiles
	vecs          split // the vectors of a row of C into panels
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
	threadedWork = 1 << 22 // from here on a second thread pays for being woken
	page         = 4096

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
	pl.rows = splitUp(p.m, kern.MR)
	pl.vecs = splitUp(ceil(p.n, kern.VL), kern.NV)
	pl.threads = 1
	if threads > 1 && float64(p.m)*float64(p.n)*float64(p.k) >= threadedWork {
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
	perTile := float64(pl.rows.size*pl.vecs.size*kern.VL) * float64(pl.kc+storeFor)
	pl.tilesPerCall = max(1, int(callWork/perTile))
	asA, asB := p.ta.Size() == p.size, p.tb.Size() == p.size // need no conversion
	unit := p.b.cs == p.size && asB
	pl.packA, pl.packB = false, false
	pl.deepA, pl.deepB = false, false
	if p.fused.on {
		pl.slab = max(1, p.k)
		pl.deepB = volume(p.k, pl.vecs.size*kern.VL*p.size) > panelBudget
	}
	if p.pre == nil && unit && asA && pl.threads == 1 && volume(p.m, p.k, p.size) <= smallOperand && volume(p.k, p.n, p.size) <= smallOperand {
		pl.panelsAtOnce, pl.tilesPerBlock = pl.vecs.count, pl.rows.count
		p.limitSums(pl)
		return
	}

	// B is read in place if its rows are contiguous and either few tiles would reuse
	// a packed panel or the rows fall into different cache sets.
	aliased := p.b.rs%page == 0 && p.k > 8
	pl.packB = !unit || pl.rows.count > 2 && (aliased || volume(p.k, p.n, p.size) > panelBudget/4)

	// A is read in place whatever its strides: a tile touches one line a row for
	// many steps of k. A line for each step, or many rows in one set, is copied.
	c := tiling.MachineCaches()
	pl.packA = !asA || pl.vecs.count > 4 && p.a.cs != p.size && volume(p.m, p.k, p.size) > c.L2/4

	pl.panelsAtOnce = pl.vecs.count
	if p.pre != nil {
		pl.packB = true
	} else if pl.packB && !pl.deepB {
		perPanel := max(1, min(p.k, pl.slab)) * pl.vecs.size * kern.VL * p.size
		most := max(1, panelBudget/perPanel)
		pl.panelsAtOnce = ceil(pl.vecs.count, ceil(pl.vecs.count, most))
	}

	// A block of A takes half of L2 and leaves the rest to B's panel and C.
	perRow := pl.kc * p.size
	if pl.packA {
		perRow = p.copiedRow(pl.kc)
	}
	blocks := ceil(pl.rows.count, max(1, c.L2/2/max(1, pl.rows.size*perRow)))
	if pl.threads > 1 { // enough blocks to share out
		blocks = max(blocks, min(pl.rows.count, 4*pl.threads))
	}
	pl.tilesPerBlock = ceil(pl.rows.count, blocks)
	p.limitSums(pl)
	pl.deepA = p.fused.on && pl.packA && volume(pl.tilesPerBlock*pl.rows.size, p.k, p.size) > kept/2
}

// smallOperand is the size up to which an operand stays in L2 whatever is done.
const smallOperand = 128 << 10
