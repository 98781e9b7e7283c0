package sparse

import "sort"

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
func balance(s Structure, threads int) Balance {
	threads = max(1, threads)
	b := Balance{By: "rows", Threads: threads, Rows: 1, Entries: 1, Merge: 1, Longest: s.longest()}
	if s.m == 0 || s.nnz == 0 {
		return b
	}
	b.Empty = 1 - float64(s.runs())/float64(s.m)
	at := func(r int) int { // work before row r
		if r == s.m {
			return s.nnz + visit*s.m
		}
		return int(s.first[r]) + visit*r
	}
	mean := float64(at(s.m)) / float64(threads)
	worst := func(cut func(t int) int) float64 {
		most := 0
		for t := range threads {
			most = max(most, at(cut(t+1))-at(cut(t)))
		}
		return float64(most) / mean
	}
	b.Rows = worst(func(t int) int { return t * s.m / threads })
	b.Entries = worst(func(t int) int {
		if t == threads {
			return s.m
		}
		return sort.Search(s.m, func(r int) bool { return int(s.first[r]) >= t*s.nnz/threads })
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
