package cpu_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// pageRank returns the share of time that a random surfer of the graph a spends at
// each node: an entry (i, j) of a is a link from i to j, taken in proportion to its
// weight, which is not negative. With probability 1-damping, and always where no link
// leaves, the surfer goes to any node. It stops when a step changes the shares by less
// than tolerance in sum, or after 1000 steps.
//
// Page, Brin, Motwani and Winograd, "The PageRank citation ranking", 1999.
func pageRank(a sparse.Matrix[float64], damping, tolerance float64) (rank []float64, steps int) {
	n := a.Rows()
	leaving, arriving := aggregate.RowSums(a), a.Transpose()
	rank, next, sent := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range rank {
		rank[i] = 1 / float64(n)
	}
	for change := tolerance; change >= tolerance && steps < 1000; steps++ {
		jumps := 1 - damping
		for i, r := range rank {
			if leaving[i] == 0 {
				sent[i] = 0
				jumps += damping * r
			} else {
				sent[i] = r / leaving[i]
			}
		}
		for i := range next {
			next[i] = jumps / float64(n)
		}
		// next += damping * aᵀ * sent
		cpu.SpMVOpt(cpu.Options{Scaling: cpu.Scale(damping, 1)}, next, arriving, sent)
		change = 0
		for i := range next {
			change += max(next[i]-rank[i], rank[i]-next[i])
		}
		rank, next = next, rank
	}
	return rank, steps
}

// PageRank of a graph of a thousand pages with a few popular ones.
func Example_pageRank() {
	web, err := sample.RMAT[float64](1000, 8000, .57, .19, .19, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	rank, _ := pageRank(web, .85, 1e-12)

	pages := make([]int, len(rank))
	for i := range pages {
		pages[i] = i
	}
	slices.SortStableFunc(pages, func(i, j int) int { return cmp.Compare(rank[j], rank[i]) })
	links := web.Transpose()
	for _, i := range pages[:5] {
		fmt.Printf("page %3d: %.4f, %d links to it\n", i, rank[i], links.RowNNZ(i))
	}
	// Output:
	// page   0: 0.0299, 264 links to it
	// page 256: 0.0147, 137 links to it
	// page   2: 0.0145, 134 links to it
	// page 512: 0.0140, 131 links to it
	// page 128: 0.0137, 136 links to it
}
