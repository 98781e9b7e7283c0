package advise

import (
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// ops is what kernels ask of a core, counted in their code: see the listings under
// cpu/kern, and cpu/run/spblas for what calls them.
type ops struct {
	steps   float64 // instructions; a comparison and the jump after it are one
	loads   float64 // of integers and addresses, of elements for all lanes, and lines fetched early
	vectors float64 // loads of vectors
	muls    float64 // multiply-adds, and what else their units do
	stores  float64 // of vectors
	masked  float64 // of the vectors loaded or stored
	splats  float64 // of the loads, those of an element for all lanes between many multiply-adds
}

// plus adds n times x.
func (o *ops) plus(n float64, x ops) {
	o.steps += n * x.steps
	o.loads += n * x.loads
	o.vectors += n * x.vectors
	o.muls += n * x.muls
	o.stores += n * x.stores
	o.masked += n * x.masked
	o.splats += n * x.splats
}

// splatShare is the part of a multiply-add that an element for all lanes costs between many
// of them. Tiles of 3 to 8 rows and 1 to 3 vectors took .3 to .6 of a cycle longer for each
// row and column of a block on a Zen 4, which starts one multiply-add in a cycle.
const splatShare = .4

// cycles is how long the busiest unit takes. The others work meanwhile: a core looks
// some hundred instructions ahead, over many entries and several rows.
func (o *ops) cycles(u, scalar *machine.Units) float64 {
	return max(o.steps/u.Issue+o.masked*u.Masked, o.loading(u, scalar), (o.muls+splatShare*o.splats)/u.FMA, o.stores/u.Stores)
}

// loading is the cycles of loads alone.
func (o *ops) loading(u, scalar *machine.Units) float64 {
	return o.vectors/u.Loads + o.loads/scalar.Loads
}

// kernels are the stock kernels of an instruction set for elements of one size.
type kernels struct {
	elem   int // bytes of an element
	lane   int // bytes of what they take for a vector: compiled Go takes an element
	plain  int // vectors of a panel of compressed rows
	nested int // of other formats
	tile   tiling.Micro
	goCode bool
}

// kernelsFor returns those of package cpu; size is that of an element.
func kernelsFor(u *machine.Units, size int) kernels {
	switch {
	case u.Vector <= 8:
		return kernels{elem: size, lane: size, plain: 256, nested: 1 << 30, tile: tiling.Micro{MR: 1, NV: 1 << 30}, goCode: true}
	case u.Vector == 64:
		return kernels{elem: size, lane: 64, plain: 16, nested: 8, tile: tiling.Registers(32)}
	}
	return kernels{elem: size, lane: u.Vector, plain: 12, nested: 8, tile: tiling.Registers(16)}
}

// chains is how many entries of a row are summed apart; see sparse/lower.
func chains(nv int, fetch bool) int {
	switch {
	case nv >= 4 || fetch:
		return 1
	case nv >= 2:
		return 2
	}
	return 4
}

// lines is how many lines nv vectors take.
func (k *kernels) lines(nv int) float64 { return float64(runs.CeilDiv(nv*k.lane, line)) }

// goElement is what a loop of compiled Go does for an element. It loads two, multiplies,
// adds, stores, counts, and compares twice, once for the bounds of a slice.
var goElement = ops{steps: 8, loads: 2, muls: 2, stores: 1}

// goInBounds is the same where the compiler sees that no element is out of bounds.
var goInBounds = ops{steps: 6, loads: 2, muls: 2, stores: 1}

// goAnywhere is the same if each element is found by both strides, as in the loop over the
// entries of a format that has no kernels. It loads strides, sizes and addresses again.
var goAnywhere = ops{steps: 24, loads: 10, muls: 2, stores: 1}

// walkSteps is about how many instructions that loop takes for an entry, an estimate and
// not a count. They are the walk of a format, level by level, and the calls of two
// function values.
const walkSteps = 80

// row and entry are compressed rows.
func (k *kernels) entry(nv int, fetch bool) ops {
	n := float64(nv)
	if k.goCode {
		x := ops{steps: 12, loads: 4}
		x.plus(n, goElement)
		return x
	}
	x := ops{steps: 4 + 2*n + 2/float64(chains(nv, fetch)), loads: 2, vectors: n, muls: n}
	if fetch {
		x.steps += 3 + k.lines(nv)
		x.loads += 1 + k.lines(nv)
	}
	return x
}

func (k *kernels) row(nv int, fetch, update bool) ops {
	n, u := float64(nv), float64(chains(nv, fetch))
	if k.goCode {
		x := ops{steps: 20, loads: 6}
		x.plus(n, goElement)
		return x
	}
	x := ops{steps: 10 + u*n + n, loads: 2, stores: n}
	if u > 1 {
		x.steps += 6 + (u-1)*n
		x.muls += (u - 1) * n
	}
	if update {
		x.plus(1, ops{steps: 2 + 3*n, loads: 2, vectors: n, muls: 2 * n})
	}
	return x
}

// columnRound is how many entries a round of the kernel for one column takes, in vectors of 16 bytes.
const columnRound = 8

// columnEntry and columnRow are compressed rows times one column, a kernel whose lanes are entries: it collects
// elements of B one by one.
func (k *kernels) columnEntry() ops {
	vectors := float64(columnRound * k.elem / 16)
	return ops{steps: (2*columnRound + vectors + 4) / columnRound, loads: (2*columnRound + vectors + 2) / columnRound, muls: vectors / columnRound}
}

func (k *kernels) columnRow(update bool) ops {
	x := ops{steps: 36, loads: 3, muls: 4, stores: 1} // three loops begin, and lanes are added
	if update {
		x.plus(1, ops{steps: 3, loads: 1, muls: 2})
	}
	return x
}

// visit, slot and nestEntry are the loops of other formats, the operands of which are
// loaded again for each. A slot of a format that has padding is tested.
func (k *kernels) visit(nv int, update bool) ops {
	n := float64(nv)
	if k.goCode {
		return ops{}
	}
	x := ops{steps: 16 + 2*n, loads: 9, stores: n}
	if update {
		x.plus(1, ops{steps: 2 + 3*n, loads: 2, vectors: n, muls: 2 * n})
	}
	return x
}

func (k *kernels) slot(z *footprint) ops {
	switch {
	case k.goCode:
		return ops{steps: 10, loads: 3}
	case z.diagonals != nil:
		return ops{steps: 16, loads: 5}
	case z.tested:
		return ops{steps: 11, loads: 3}
	}
	return ops{steps: 2}
}

func (k *kernels) nestEntry(nv int, z *footprint) ops {
	n := float64(nv)
	switch {
	case k.goCode:
		x := ops{steps: walkSteps, loads: walkSteps / 3}
		x.plus(n, goAnywhere)
		return x
	case z.order == byColumns: // it updates C
		return ops{steps: 16 + 4*n, loads: 9, vectors: 2 * n, muls: 1 + n, stores: n}
	case z.diagonals != nil:
		return ops{steps: 8 + 2*n, loads: 4, vectors: n, muls: n}
	}
	return ops{steps: 20 + k.lines(nv) + 2*n, loads: 11 + k.lines(nv), vectors: n, muls: n}
}

// tileColumn, tileBlock and tileEnd are the costs of rows x nv vectors of C that stay
// in registers over the blocks of a block row: for a column of a block, a block, and
// all.
func (k *kernels) tileColumn(rows float64, nv int) ops {
	n := float64(nv)
	if k.goCode {
		x := ops{steps: 10 * rows, loads: 4 * rows}
		x.plus(n*rows, goElement)
		return x
	}
	return ops{steps: n + 6 + rows + rows*n, loads: rows, vectors: n, muls: rows * n, splats: rows}
}

func (k *kernels) tileBlock(rows float64) ops { return ops{steps: 25 + 2*rows, loads: 8 + 2*rows} }

func (k *kernels) tileEnd(rows float64, nv int) ops {
	n := rows * float64(nv)
	return ops{steps: 40 + 2*n, loads: 12, stores: n}
}

// packed is a row of B that is copied first, as kernels of blocks and pruned weights
// have it.
func (k *kernels) packed(nv int) ops {
	n := float64(nv)
	return ops{steps: 4 + 4*n, loads: n, vectors: n, muls: n, stores: n}
}

// prunedVisit and prunedEntry are rows of pruned weights, four at a time where registers
// hold the sums of so many.
func (k *kernels) prunedVisit(nv int, update bool) ops {
	n := float64(nv)
	if k.goCode {
		x := ops{steps: 20, loads: 6}
		x.plus(n, goElement)
		return x
	}
	x := ops{steps: 12 + k.lines(nv) + 2*n, loads: 7 + k.lines(nv), stores: n}
	if update {
		x.plus(1, ops{steps: 5, loads: 3, vectors: n})
	}
	return x
}

func (k *kernels) prunedEntry(nv int) ops {
	n := float64(nv)
	if k.goCode {
		x := ops{steps: 40, loads: 12}
		x.plus(n, goInBounds)
		return x
	}
	return ops{steps: 3 + 2*n + 2/k.together(nv), loads: 2, vectors: n, muls: n}
}

// together is how many rows of pruned weights are summed side by side, if as many have
// equally many entries.
func (k *kernels) together(nv int) float64 {
	if tiling.PrunedGroup*nv+2 <= 32 && k.lane == 64 || tiling.PrunedGroup*nv+2 <= 16 {
		return tiling.PrunedGroup
	}
	return 1
}

// vectors returns how many vectors a panel of a part has at most.
func (k *kernels) vectors(z *footprint) int {
	switch {
	case z.order == byBlocks:
		return k.tile.NV
	case z.order == byWeights:
		return max(1, tiling.PrunedPitch/k.lane)
	case z.plain:
		return k.plain
	case z.order == byColumns || z.diagonals != nil:
		return max(1, k.nested/2) // loops that take long over an entry anyway
	}
	return k.nested
}

// panel returns the bytes of such a panel.
func (k *kernels) panel(z *footprint) int { return min(k.vectors(z), 1<<24) * k.lane }
