package advise

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// plan is one way to store a matrix, before anything is converted.
type plan struct {
	name   string
	format format.Format // all of the matrix in this one
	rules  []rule.Rule   // or taken apart by these
	pruned bool          // or arranged as pruned weights are
	sigma  int           // of a SELL
	block  int           // of a BSR
	groups []group
	parts  []footprint
	lines  int  // of what the caches were sent, a row of a panel
	stream bool // C is stored past the caches
	rows   int
	cols   int
}

// group is a [rule.Group], or all of a matrix.
type group struct {
	Name string
	Into format.Format
	runs.Set
}

// blockSizes are those that are tried: small ones of meshes and larger ones of pruned
// weights. Kernels take any.
var blockSizes = []int{2, 3, 4, 5, 6, 8, 16, 32}

// plans returns the ways worth a thought, compressed rows first; a row of B has width
// bytes.
func plans(s runs.Set, width int, on *Machine) []*plan {
	all := []*plan{{format: format.CSR}, {pruned: true}}
	for _, c := range slabCounts(s, width, on) {
		all = append(all, &plan{rules: []rule.Rule{rule.Columns(c)}})
	}
	for _, b := range blockSizes {
		all = append(all, &plan{format: format.BSR(b), block: b})
		if b > 3 && filled(s) < s.M/2 {
			all = append(all, &plan{format: format.DBSR(b), block: b})
		}
	}
	all = append(all, &plan{format: format.COO}, &plan{format: format.DCSR}, &plan{format: format.CSC},
		&plan{format: format.ELL(max(1, longest(s)))}, &plan{format: format.SELL(8, 64), sigma: 64}, &plan{format: format.DIA})
	for _, r := range []rule.Rule{rule.Hyb(1, rule.HybBuckets(s.M, s.NNZ)), rule.Diagonals(.6), rule.Blocks(8, .5)} {
		all = append(all, &plan{rules: []rule.Rule{r}})
	}
	return all
}

// slabCounts returns how many slabs of columns may pay. They are powers of two, as many
// as leave the rows of B that one reads no smaller than half of L1, if rows have some
// entries left in each. If B is in L2 already, a slab in L1 saves time; in sets of L1
// that rows of B share, a few less of them do.
func slabCounts(s runs.Set, width int, on *Machine) []int {
	var counts []int
	b := int64(s.N) * int64(width)
	for c := 2; c <= 64 && 2*b >= int64(c)*int64(on.size(machine.L1)) && s.NNZ/max(1, s.M) >= 2*c; c *= 2 {
		counts = append(counts, c)
	}
	return counts
}

// prepare deals the entries to parts and measures them.
func (p *plan) prepare(s runs.Set, kern *kernels) error {
	p.name = p.format.Name
	if p.pruned {
		p.name, p.groups = "pruned", []group{{Set: s}}
		p.parts = []footprint{inWeights(s)}
		return nil
	}
	p.groups = []group{{Into: p.format, Set: s}}
	if p.rules != nil {
		p.name = ""
		for i, r := range p.rules {
			if i > 0 {
				p.name += " + "
			}
			p.name += r.Name
		}
		groups, err := rule.Deal(s, p.rules...)
		if err != nil {
			return err
		}
		p.groups = nil
		for _, g := range groups {
			p.groups = append(p.groups, group{g.Name, g.Into, runs.Open(g.Sealed())})
		}
	}
	for _, g := range p.groups {
		z := measure(g.Into, g.Set, p.sigma)
		if z.order == byBlocks {
			z.tall = runs.CeilDiv(z.block, kern.tile.MR)
		}
		if z.slots > sparse.MaxSlots || parametric(g.Into) && z.slots > g.Most() {
			return sparse.Errorf(sparse.ErrSize, p.name, fmt.Sprintf("at most %d fit", min(int64(sparse.MaxSlots), g.Most())), "%d slots", z.slots)
		}
		p.parts = append(p.parts, z)
	}
	return nil
}

// parametric reports whether a parameter of f makes slots: the size of an axis.
func parametric(f format.Format) bool {
	return slices.ContainsFunc(f.Axes, func(ax format.Axis) bool { return ax.Size > 1 })
}

// sameOrder reports whether the entries come in the order of compressed rows. The
// traffic of B is then the same, and that of A and C nearly so.
func (p *plan) sameOrder() bool { return len(p.parts) == 1 && p.parts[0].order == byRows }

// slots returns the slots, and bytes the bytes of structure and values.
func (p *plan) slots() int64 {
	n := int64(0)
	for _, z := range p.parts {
		n += z.slots
	}
	return n
}

func (p *plan) bytes(size int) int64 {
	n := int64(size) * p.slots()
	for _, z := range p.parts {
		n += z.bytes
	}
	return n
}

// padding is the part of the slots that holds no entry.
func (p *plan) padding(nnz int) float64 {
	if n := p.slots(); n > 0 {
		return float64(n-int64(nnz)) / float64(n)
	}
	return 0
}

// visits is how often rows of C are, by how many rows there are.
func (p *plan) visits(rows int) float64 {
	n := int64(0)
	for _, z := range p.parts {
		n += z.visits
	}
	return float64(n) / float64(max(rows, 1))
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
