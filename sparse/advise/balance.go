package advise

import (
	"sort"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Balance says how evenly threads share the rows of a product: the longest share divided
// by the mean, 1 at best. Threads may get equal numbers of rows, or of entries in whole rows.
// They may also get equal pieces of the path that merges row ends with entries, which cuts
// long rows.
type Balance struct {
	By                   string // rows, entries or merge path: the simplest of those that are within 5 % of the best
	Threads              int
	Rows, Entries, Merge float64
	Longest              int     // entries of the longest row
	Empty                float64 // share of the rows
}

// visit is what a row costs in entries.
const visit = 2

// balance compares the ways to share s among threads.
func balance(s runs.Set, threads int) Balance {
	threads = max(1, threads)
	b := Balance{By: "rows", Threads: threads, Rows: 1, Entries: 1, Merge: 1, Longest: longest(s)}
	if s.M == 0 || s.NNZ == 0 {
		return b
	}
	b.Empty = 1 - float64(filled(s))/float64(s.M)
	at := func(r int) int { // work before row r
		if r == s.M {
			return s.NNZ + visit*s.M
		}
		return int(s.First[r]) + visit*r
	}
	mean := float64(at(s.M)) / float64(threads)
	worst := func(cut func(t int) int) float64 {
		most := 0
		for t := range threads {
			most = max(most, at(cut(t+1))-at(cut(t)))
		}
		return float64(most) / mean
	}
	b.Rows = worst(func(t int) int { return t * s.M / threads })
	b.Entries = worst(func(t int) int {
		if t == threads {
			return s.M
		}
		return sort.Search(s.M, func(r int) bool { return int(s.First[r]) >= t*s.NNZ/threads })
	})
	best := min(b.Rows, b.Entries, b.Merge)
	switch {
	case b.Rows <= 1.05*best:
	case b.Entries <= 1.05*best:
		b.By = "entries"
	default:
		b.By = "merge path"
	}
	return b
}
