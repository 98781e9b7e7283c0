package rule

import (
	"fmt"
	"math/bits"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// maxBucket is the last bucket there can be: its rows have 2^26 slots.
const maxBucket = 26

// Buckets deals rows to k+1 buckets by their length. Bucket b has the rows of more than
// 2^(b-1) and at most 2^b entries, padded to 2^b, as [format.DELL]. A row of more than 2^k entries
// is cut into several rows of the last bucket. So a position of a bucket is the same work
// whatever the matrix, and threads share a long row. Except for the ends of cut rows, less
// than half of a bucket is padding. Empty rows are in no part.
//
//	a . b . .      k = 1     bucket 0, 1 wide    rows  1     bucket 1, 2 wide    rows  0    2    2
//	. c . . .                                    slots c                         slots a b  d e  f .
//	d . e . f
func Buckets(k int) Rule {
	name := fmt.Sprintf("buckets(%d)", k)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		if err := checkBuckets(name, k); err != nil {
			return nil, runs.Set{}, err
		}
		parts := s.Deal(k+1, func(r int, d *runs.Dealer) { putBucket(d, 0, k, s.First[r], s.Last[r]) })
		var groups []Group
		for b, p := range parts {
			groups = append(groups, Group{Name: fmt.Sprintf("%d wide", 1<<b), Into: format.DELL(1 << b), Structure: Structure{p}})
		}
		return groups, runs.Set{}, nil
	})
}

func checkBuckets(where string, k int) error {
	if k < 0 || k > maxBucket {
		return sparse.Errorf(sparse.ErrFormat, where, fmt.Sprintf("it is from 0 to %d", maxBucket), "k is %d", k)
	}
	return nil
}

// putBucket puts entries into the buckets 0 to k that begin at group base. The end of
// a long row stays in the last bucket, as in the paper.
func putBucket(d *runs.Dealer, base, k int, first, last int32) {
	widest := int32(1) << k
	if last-first <= widest {
		d.Put(base+bits.Len32(uint32(max(last-first, 1)-1)), first, last)
		return
	}
	for ; last-first > widest; first += widest {
		d.Put(base+k, first, first+widest)
	}
	d.Put(base+k, first, last)
}

// Hyb is c slabs of columns, each dealt to the buckets 1, 2, 4 ... 2^k: hyb(c, k) of
// SparseTIR (Ye et al., ASPLOS'23, section 4.1.1). Its authors search c in 1, 2, 4,
// 8, 16 and take the logarithm of the mean row length, rounded up, as k; see
// [HybBuckets]. It is [Each] of [Columns] and [Buckets], in one step.
func Hyb(c, k int) Rule {
	name := fmt.Sprintf("hyb(%d,%d)", c, k)
	return ruleOf(name, func(s runs.Set) ([]Group, runs.Set, error) {
		slabs, err := slabsOf(s, name, c)
		if err != nil {
			return nil, runs.Set{}, err
		}
		if err := checkBuckets(name, k); err != nil {
			return nil, runs.Set{}, err
		}
		parts := s.Deal(slabs.n*(k+1), func(r int, d *runs.Dealer) {
			for at, last := s.First[r], s.Last[r]; at < last; {
				slab, end := slabs.cut(s.Columns, at, last)
				putBucket(d, slab*(k+1), k, at, end)
				at = end
			}
		})
		var groups []Group
		for g, p := range parts {
			if p.NNZ > 0 {
				b := g % (k + 1)
				groups = append(groups, Group{Name: fmt.Sprintf("%s/%d wide", slabs.name(g/(k+1)), 1<<b), Into: format.DELL(1 << b), Structure: Structure{p}})
			}
		}
		return groups, runs.Set{}, nil
	})
}

// HybBuckets returns the k that the paper takes for m: ceil(log2(nnz/rows)).
func HybBuckets(rows, nnz int) int {
	if rows < 1 || nnz <= rows {
		return 0
	}
	return min(maxBucket, bits.Len(uint(runs.CeilDiv(nnz, rows)-1)))
}
