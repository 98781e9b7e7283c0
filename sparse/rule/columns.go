package rule

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// maxSlabs bounds what is counted for each slab.
const maxSlabs = 1 << 16

// Columns cuts the matrix into c slabs of ceil(n/c) columns; the last may be narrower. The
// rows of B that one slab reads can stay in a cache while all of its rows pass. The price
// is a visit to C for each slab. It pays where B is much larger than the last cache and
// rows are long. Parts are CSR, which has the fastest kernels, or DCSR if most of their
// rows are empty.
func Columns(c int) Rule {
	name := fmt.Sprintf("columns(%d)", c)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		slabs, err := slabsOf(s, name, c)
		if err != nil {
			return nil, runs.Set{}, err
		}
		parts := []runs.Set{s}
		if slabs.n > 1 {
			parts = s.Deal(slabs.n, func(r int, d *runs.Dealer) {
				for k, last := s.First[r], s.Last[r]; k < last; {
					slab, end := slabs.cut(s.Columns, k, last)
					d.Put(slab, k, end)
					k = end
				}
			})
		}
		var groups []Group
		for g, p := range parts {
			groups = append(groups, Group{Name: slabs.name(g), Into: compressed(p), Structure: Structure{p}})
		}
		return groups, runs.Set{}, nil
	})
}

// slabs is how columns are cut: n slabs of width columns.
type slabs struct{ n, width, cols int }

func slabsOf(s runs.Set, where string, c int) (slabs, error) {
	if c < 1 || c > maxSlabs {
		return slabs{}, sparse.Errorf(sparse.ErrFormat, where, fmt.Sprintf("it is from 1 to %d", maxSlabs), "c is %d", c)
	}
	width := max(1, runs.CeilDiv(s.N, c))
	return slabs{max(1, runs.CeilDiv(s.N, width)), width, s.N}, nil
}

// cut returns the slab of entry k, which is before last, and the first entry of the
// run that is in another.
func (s slabs) cut(columns []int32, k, last int32) (slab int, end int32) {
	if s.n == 1 {
		return 0, last
	}
	slab = int(uint32(columns[k]) / uint32(s.width))
	beyond := int32(min(s.cols, (slab+1)*s.width))
	for end = k + 1; end < last && columns[end] < beyond; {
		end++
	}
	return slab, end
}

func (s slabs) name(slab int) string {
	if s.n == 1 {
		return "all columns"
	}
	return fmt.Sprintf("columns %d:%d", slab*s.width, min(s.cols, (slab+1)*s.width))
}
