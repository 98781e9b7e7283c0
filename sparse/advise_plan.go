package sparse

import (
	"fmt"
	"slices"
)

// plan is one way to store a matrix, before anything is converted.
type plan struct {
	name   string
	format Format // all of the matrix in this one
	rules  []Rule // or taken apart by these
	sigma  int    // of a SELL
	block  int    // of a BSR
	groups []Group
	parts  []footprint
}

// plans returns the ways worth a thought, compressed rows first; a row of B has width
// bytes.
func plans(s Structure, width int, on Machine) []*plan {
	all := []*plan{
		{format: CSR}, {format: CSC}, {format: COO}, {format: DCSR},
		{format: ELL(max(1, s.longest()))}, {format: SELL(8, 64), sigma: 64}, {format: DIA},
	}
	for _, b := range []int{2, 4, 8, 16, 32} {
		all = append(all, &plan{format: BSR(b), block: b})
	}
	for _, r := range []Rule{Hyb(1, HybBuckets(s.m, s.nnz)), Diagonals(.6), Blocks(8, .5)} {
		all = append(all, &plan{rules: []Rule{r}})
	}
	for _, c := range slabCounts(s, width, on) {
		all = append(all, &plan{rules: []Rule{Columns(c)}})
	}
	return all
}

// slabCounts returns how many slabs of columns may pay: as many as make the rows of B
// that one reads fill half or all of a cache that B itself is too large for, if rows
// have some entries left in each.
func slabCounts(s Structure, width int, on Machine) []int {
	var counts []int
	b := int64(s.n) * int64(width)
	for _, cache := range []int{on.Caches.L3, on.Caches.L2} {
		for _, fill := range []int64{1, 2} {
			c := 2
			for int64(c)*int64(cache) < fill*b {
				c *= 2
			}
			if b > int64(cache) && c <= 64 && s.nnz/max(1, s.m) >= 2*c && !slices.Contains(counts, c) {
				counts = append(counts, c)
			}
		}
	}
	return counts
}

// prepare deals the entries to parts and measures them.
func (p *plan) prepare(s Structure) error {
	p.name = p.format.Name
	p.groups = []Group{{Into: p.format, Structure: s}}
	if p.rules != nil {
		p.name = ""
		for i, r := range p.rules {
			if i > 0 {
				p.name += " + "
			}
			p.name += r.Name
		}
		groups, rest, err := split(s, p.rules, path)
		if err != nil {
			return err
		}
		if rest.NNZ() > 0 {
			groups = append(groups, Group{Name: "rest", Into: rest.compressed(), Structure: rest})
		}
		p.groups = groups
	}
	for _, g := range p.groups {
		z := g.Into.measure(g.Structure, p.sigma)
		if z.slots > MaxSlots || g.Into.parametric() && z.slots > g.Structure.most() {
			return fail(ErrSize, p.name, "", "too many slots")
		}
		p.parts = append(p.parts, z)
	}
	return nil
}

// parametric reports whether a parameter of f makes slots: the size of an axis.
func (f Format) parametric() bool {
	return slices.ContainsFunc(f.Axes, func(ax Axis) bool { return ax.Size > 1 })
}

// sameOrder reports whether the entries come in the order of compressed rows: the
// traffic of B is then the same, and that of A and C about.
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
