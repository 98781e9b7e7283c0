package part

import (
	"math"
	"slices"
)

// Limit returns the most that a part may weigh when h is divided into k: (1+eps) times the
// mean weight, rounded up, as in KaHyPar. Heavy vertices may make that impossible. Then it
// places vertices from the heaviest to the lightest, each on the lightest part, and returns
// the heaviest part.
func Limit(h *Hypergraph, k int, eps float64) int {
	return int(limit(h.weight, h.total, k, eps))
}

func limit(weight []int32, total int64, k int, eps float64) int64 {
	mean := (total + int64(k) - 1) / int64(k)
	want := total
	// Rounding must not lose a unit where eps*mean is whole: 1e-9 is far below what counts.
	if most := math.Floor((1+eps)*float64(mean) + 1e-9); most < float64(total) {
		want = int64(most)
	}
	if heaviest := int64(slices.Max(append([]int32{0}, weight...))); mean+heaviest <= want {
		return want // whatever is placed on the lightest part fits
	}
	return max(want, longestFirst(weight, k))
}

// longestFirst returns the heaviest of k parts when vertices are placed from the heaviest to
// the lightest on the lightest part (Graham, 1969).
func longestFirst(weight []int32, k int) int64 {
	sorted := slices.Clone(weight)
	slices.SortFunc(sorted, func(a, b int32) int { return int(b) - int(a) })
	parts := make(loads, k)
	for _, w := range sorted {
		parts.add(int64(w))
	}
	return slices.Max(parts)
}

// loads is a heap of numbers, the least first: weights of parts, to find the lightest.
type loads []int64

func (l loads) init() {
	for i := len(l)/2 - 1; i >= 0; i-- {
		l.down(i)
	}
}

// add adds to the least.
func (l loads) add(x int64) {
	l[0] += x
	l.down(0)
}

func (l loads) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(l) {
			return
		}
		if child+1 < len(l) && l[child+1] < l[child] {
			child++
		}
		if l[i] <= l[child] {
			return
		}
		l[i], l[child] = l[child], l[i]
		i = child
	}
}
