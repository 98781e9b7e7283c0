package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
)

// placeScalars gives slots without memory their own: a scalar, or a partial result, which gets
// its place later.
func (j *job) placeScalars() {
	f := &j.fused
	for i := range f.N {
		if f.Slots[i].P == nil {
			f.Slots[i].P = unsafe.Pointer(&f.Scalars[i])
		}
	}
}

// computeFused is [Fuse] by kernels.
func (j *job) computeFused(threads int) {
	f, kern, width := &j.fused, j.kern, 1
	if f.Contiguous {
		f.Asm, width = kern.Epi, kern.EpiLanes
	}
	j.deepen()
	j.planned(threads, &j.plan)
	panels, tiles := 0, 0
	if f.Reduced > 0 {
		panels, tiles = j.plan.partials()
	}
	f.Prepare(&j.partial, j.m, j.n, panels, tiles, width)
	j.perform()
	f.Combine(j.m, j.n, panels, tiles, j)
}

// FirstColumn says which column of the result is the first of a panel.
func (j *job) FirstColumn(panel int) int { return j.plan.firstColumn(panel, j.n, j.kern.VL) }

// sumsBudget is room for the sums of a block before their epilogue: what stays in L2
// beside A and B. If k is one block, a piece of them stays in L1.
const sumsBudget = 128 << 10

// leastGroup is how many panels of a deep product have room for their sums, at least. A k-block of A is read
// from L2 once for each panel.
const leastGroup = 8

// limitSums keeps a block of a fused product within the budget.
func (p *product) limitSums(pl *plan) {
	if p.fused.On {
		perTile := pl.rows.Size * pl.vecs.Size * p.kern.VL * p.size
		if p.k > pl.kc {
			perTile *= leastGroup
		}
		pl.tilesPerBlock = min(pl.tilesPerBlock, max(1, sumsBudget/perTile))
	}
	if p.fused.ByColumn() {
		pl.tilesPerBlock = min(pl.rows.Count, mem.Ceil(pl.tilesPerBlock, columnTiles)*columnTiles)
	}
}

// columnTiles is how many tiles of rows have one partial result of a column: as many as
// one call of the epilogue takes from L1. They are counted from the first row of the
// result, whatever a block is, so that the order of additions does not depend on it.
const columnTiles = 8
