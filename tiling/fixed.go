package tiling

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// Shape fixes dimensions of a product when its kernels are generated: out is M x N,
// a is M x K, b is K x N. 0 leaves a dimension to the run time.
type Shape struct{ M, N, K int }

func (s Shape) String() string {
	dim := func(n int, name string) string {
		if n == 0 {
			return name
		}
		return fmt.Sprint(n)
	}
	return dim(s.M, "m") + " x " + dim(s.N, "n") + " x " + dim(s.K, "k")
}

// All reports whether nothing is left to the run time.
func (s Shape) All() bool { return s.M > 0 && s.N > 0 && s.K > 0 }

// Open reports whether the columns are fixed, and calls say how many rows and steps of k there are.
func (s Shape) Open() bool { return s.M == 0 && s.N > 0 && s.K == 0 }

// FixedWork is how many multiply-adds one call into assembly does at most: some 100
// us at 50 GFLOP/s, since the scheduler cannot interrupt it. A larger product of a
// fixed shape runs as any other does.
const FixedWork = 1 << 21

// BlocksPerCall is how many pairs of blocks of s every call into assembly does, for sums that always have
// count pairs. It is 0 if the run time has to decide, because the count is open or all pairs together take
// too long.
func BlocksPerCall(s Shape, count int) int {
	if count < 0 || float64(count)*float64(s.M)*float64(s.N)*float64(s.K) > FixedWork {
		return 0
	}
	return count
}

// From SkinnyBytes on, an operand of a product with at most SkinnyMost rows or columns
// is read by kernels for that alone; see [DotTiles].
const (
	SkinnyBytes = 1 << 18
	SkinnyMost  = 16
)

// A Blocking divides a product of fixed shape into tiles of registers. A tile has at
// most MR rows of at most NV vectors of VL lanes.
type Blocking struct{ VL, MR, NV int }

// Machine is what the choice of a cut depends on.
type Machine struct {
	Regs     int  // vector registers
	Lanes    int  // of the widest vector
	Least    int  // lanes of the narrowest
	Strided  bool // strides are known at run time only
	OnePort  bool // some cores permute the widest vectors on a port of the multiply-adds only: Intel's with AVX-512
	SlowMask bool // masks are vectors, and masked stores cost much: AVX2
	Elements bool // registers hold as many steps of A's rows as they have lanes, and a multiply-add takes one
	Scales   bool // a tile ends with alpha and beta, and leaves columns alone that another one finishes
}

// need is how many registers a tile of mr x nv takes: its accumulators, a row of B, one
// broadcast element of A, and a mask if that is a vector. A micro-kernel ends with two
// scalars and a row of C instead.
func (m Machine) need(mr, nv int, masked bool) int {
	need := mr*nv + nv + 1
	if m.Strided || m.Scales {
		need = mr*nv + max(nv+1, 3)
	}
	if masked && m.SlowMask {
		need++
	}
	return need
}

func (m Machine) fits(mr, nv int, masked bool) bool {
	return m.need(mr, nv, masked) <= m.Regs && (!m.Strided || mr <= stridedRows)
}

// These numbers are those of known cores (Zen 3 to 5, Skylake to Golden Cove). Per
// cycle a core does two multiply-adds, two loads and one store of a vector, whatever
// its width. A multiply-add's result can be added to after four cycles.
const (
	fmaLatency   = 4   // cycles until a sum can be added to
	slackLatency = 4.5 // the same with room for an order of execution that is not perfect
	loadRate     = 1.6 // loads that are kept up
	vectorPorts  = 3   // for multiply-adds and permutations, two of them for the former
	perTile      = 6   // cycles to fill and drain the pipes between two tiles
	perGroup     = 10  // cycles to come to code for tiles of another size
	onePortShare = 3   // of the rows by blocks, at most, where some cores lose by them
	slowMasking  = 10  // cycles of a slow masked store
	stridedRows  = 14  // more need more pointers than there are general registers
)

// FixedCut chooses the cut that takes the fewest cycles, as Cycles predicts them.
// Ties go to narrow vectors and then to few tiles.
func (m Machine) FixedCut(s Shape) Blocking {
	var best cost.Best[Blocking]
	for vl := m.Least; vl <= m.Lanes; vl *= 2 {
		for nv := 1; nv <= (s.N+vl-1)/vl; nv++ {
			for mr := 1; mr <= s.M && m.fits(mr, nv, s.N < vl || m.Strided || m.Scales && s.N%vl > 0); mr++ {
				c := Blocking{vl, mr, nv}
				best.Offer(c, m.Cycles(s, c))
			}
		}
	}
	return best.Plan
}

// Tile chooses the tile of micro-kernels for products of which s fixes something. The
// sides that it leaves open are taken for long.
func (m Machine) Tile(s Shape) Micro {
	if s.M == 0 && s.N == 0 {
		if m.Elements {
			return m.byElement()
		}
		return Registers(m.Regs)
	}
	const long = 720
	m.Least, m.Strided = m.Lanes, true
	for _, dim := range []*int{&s.M, &s.N, &s.K} {
		if *dim == 0 || *dim > long {
			*dim = long
		}
	}
	c := m.FixedCut(s)
	return Micro{c.MR, c.NV}
}

// byElement is the tile with the fewest loads for a multiply-add where A's rows are in registers, too:
// in as many steps as a vector has lanes, each of MR rows is loaded once and NV vectors of B as often.
func (m Machine) byElement() Micro {
	var best cost.Best[Micro]
	for nv := 1; nv <= 3; nv++ {
		if mr := (m.Regs - nv) / (nv + 1); mr > 0 {
			best.Offer(Micro{mr, nv}, float64(mr+m.Lanes*nv)/float64(m.Lanes*mr*nv)+1/float64(mr))
		}
	}
	return best.Plan
}

// Cycles predicts what one product takes with operands in the L1 cache.
func (m Machine) Cycles(s Shape, c Blocking) float64 {
	sum := 0.0
	for _, p := range c.Panels(s.N) {
		for _, g := range c.Groups(s.M) {
			nv, mr := len(p.Cols), g.Rows
			step, _ := m.step(mr, nv, m.BlockRows(c.VL, mr, nv))
			tile := float64(s.K)*max(step, slackLatency) + perTile + float64(mr*nv)
			if p.Masked && m.SlowMask {
				tile += float64(mr) * slowMasking
			}
			sum += (tile*float64(g.Tiles) + perGroup) * float64(p.Count)
		}
	}
	return sum
}

// BlockRows is how many rows of A a tile of mr rows and nv vectors of vl lanes reads by
// blocks of 128 bits, Least
// elements. A block takes one load and a permutation for each of its elements, in place
// of a load for each. That balances tiles of one vector, which have more loads than
// multiply-adds, since permutations go to ports that are idle else.
func (m Machine) BlockRows(vl, mr, nv int) int {
	best := 0
	most, sum := m.step(mr, nv, 0)
	if m.Strided || vl == m.Least || most <= float64(mr*nv)/2 {
		return 0 // the multiply-adds take longest as it is
	}
	limit := mr
	if m.OnePort && vl == m.Lanes {
		limit = (mr + onePortShare - 1) / onePortShare
	}
	for x := 1; x <= limit && m.need(mr, nv, true)+x <= m.Regs; x++ {
		if a, b := m.step(mr, nv, x); a < most || a == most && b < sum {
			best, most, sum = x, a, b
		}
	}
	return best
}

// step is the number of cycles that a step of k keeps each resource of the core busy,
// with x rows of A read by blocks. It returns the most of one, and the sum of what x
// changes.
func (m Machine) step(mr, nv, x int) (most, sum float64) {
	fma := float64(mr*nv) / 2
	load := (float64(mr-x+nv) + float64(x)/float64(m.Least)) / loadRate
	ports := float64(mr*nv+x) / vectorPorts
	return max(fma, load, ports), load + ports
}

// Bound is the least number of cycles that one product can take. It counts two
// multiply-adds per cycle and nothing else, and includes lanes without a column.
func (c Blocking) Bound(s Shape) float64 {
	vectors := 0
	for _, p := range c.Panels(s.N) {
		vectors += p.Count * len(p.Cols)
	}
	return float64(s.M) * float64(vectors) * float64(s.K) / 2
}

// Panel is columns that a tile is wide, so many times over, side by side.
type Panel struct {
	Cols   []int // where each vector of the first one begins
	Count  int
	Masked bool // the only vector has fewer columns than lanes
}

// Panels divides n columns. The last vector of a row ends at column n. It may compute
// columns again that the vector before it has computed, which costs nothing and needs
// no mask.
func (c Blocking) Panels(n int) []Panel {
	vecs := (n + c.VL - 1) / c.VL
	var panels []Panel
	first := 0 // vector of the panel
	for _, count := range Even(vecs, c.NV) {
		p := Panel{Count: 1, Masked: n < c.VL}
		for v := first; v < first+count; v++ {
			p.Cols = append(p.Cols, max(0, min(v*c.VL, n-c.VL)))
		}
		first += count
		if k := len(panels); k > 0 && len(panels[k-1].Cols) == count && first*c.VL <= n {
			panels[k-1].Count++
		} else {
			panels = append(panels, p)
		}
	}
	return panels
}

// Group is Tiles tiles of Rows rows, one under another.
type Group struct{ Rows, Tiles int }

// Groups divides m rows into tiles that differ by at most one row.
func (c Blocking) Groups(m int) []Group {
	var groups []Group
	for _, rows := range Even(m, c.MR) {
		if n := len(groups); n > 0 && groups[n-1].Rows == rows {
			groups[n-1].Tiles++
		} else {
			groups = append(groups, Group{rows, 1})
		}
	}
	return groups
}

// Even divides n into as few parts of at most most as will do, the larger first.
func Even(n, most int) []int {
	count := (n + most - 1) / most
	parts := make([]int, count)
	for i := range parts {
		parts[i] = n / count
		if i < n%count {
			parts[i]++
		}
	}
	return parts
}
