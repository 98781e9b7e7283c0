package run

import "github.com/tilesmith/tilesmith/tiling"

// plan is how one product is cut. Everything that decides the order of additions
// (kc) depends on the shape only, so that the number of threads never shows in
// the result.
type plan struct {
	threads       int
	kc            int // depth of a k-block
	nc            int // columns done at once
	slab          int // k done at once: B is packed for slab x nc
	packA, packB  bool
	tall, rows    int // the first tall tiles have rows rows, the others one less
	tiles         int
	tilesPerBlock int
}

// run is a number of equal tiles, one under another.
type run struct{ row, rows, tiles int }

// row returns the first row of tile t.
func (p *plan) row(t int) int {
	if t <= p.tall {
		return t * p.rows
	}
	return p.tall*p.rows + (t-p.tall)*(p.rows-1)
}

// runs splits a range of tiles by height.
func (p *plan) runs(t tileRange) [2]run {
	cut := min(max(p.tall, t.from), t.to)
	return [2]run{
		{p.row(t.from), p.rows, cut - t.from},
		{p.row(cut), p.rows - 1, t.to - cut},
	}
}

// Thresholds below are in bytes or operations and were measured; RATIONALE.md,
// "When to pack", has the table.
const (
	threadedWork = 1 << 23 // multiply-adds from which a second thread pays for being woken
	panelBudget  = 16 << 20
)

func (p *product) plan(threads int) plan {
	kern := p.kern
	nr := kern.NV * kern.VL
	var pl plan

	// Rows: as few tiles as can be, of heights that differ by at most one.
	pl.tiles = ceil(p.m, kern.MR)
	pl.rows = ceil(p.m, pl.tiles)
	pl.tall = p.m - pl.tiles*(pl.rows-1)

	// k: blocks of equal depth up to the limit.
	pl.kc = ceil(p.k, ceil(p.k, tiling.KCMax))
	pl.slab = pl.kc * max(1, 8*tiling.KCMax/pl.kc)

	// Columns: what of B fits the budget, in panels of equal number.
	perPanel := min(p.k, pl.slab) * nr * p.size
	panels := ceil(p.n, nr)
	most := max(1, panelBudget/perPanel)
	pl.nc = ceil(panels, ceil(panels, most)) * nr

	c := tiling.MachineCaches()
	bytesA, bytesB := p.m*p.k*p.size, p.k*p.n*p.size
	unit := p.b.cs == p.size
	// B is read in place if its rows are contiguous and either few tiles would
	// reuse a packed panel or all of it stays in L2 anyway.
	pl.packB = !unit || pl.tiles > 2 && (bytesB > c.L2/2 || p.b.rs%4096 == 0 && p.k > 64)
	// A is read in place, whatever its strides, if it stays in L2 or few panels read it.
	pl.packA = panels > 4 && (bytesA > c.L2/2 || p.a.cs%4096 == 0 && p.k > 64 || p.a.rs%4096 == 0 && pl.rows > 8)

	// A block of A takes half of L2 and leaves the rest to B's panel and C.
	perTile := pl.rows * pl.kc * p.size
	pl.tilesPerBlock = min(max(1, c.L2/2/perTile), pl.tiles)
	blocks := ceil(pl.tiles, pl.tilesPerBlock)
	pl.tilesPerBlock = ceil(pl.tiles, blocks)

	pl.threads = threads
	if work := float64(p.m) * float64(p.n) * float64(p.k); work < threadedWork {
		pl.threads = 1
	}
	if pl.threads > 1 && blocks < 4*pl.threads { // more, smaller blocks to share out
		pl.tilesPerBlock = ceil(pl.tiles, min(pl.tiles, 4*pl.threads))
	}
	return pl
}

func ceil(a, b int) int { return (a + b - 1) / b }
