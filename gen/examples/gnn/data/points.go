package data

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// Patterns reads where the weights of pruned layers are. Each file has a row for each result of its layer,
// and a column for each result of the layer before.
func Patterns(files ...string) (patterns []sparse.Matrix[float64], err error) {
	for n, file := range files {
		p, err := matrix(file)
		if err != nil {
			return nil, err
		}
		if n > 0 && p.Cols() != patterns[n-1].Rows() {
			return nil, fmt.Errorf("%s is %d x %d after %d x %d: want as many columns as %s has rows",
				file, p.Rows(), p.Cols(), patterns[n-1].Rows(), patterns[n-1].Cols(), files[n-1])
		}
		if p.NNZ() == 0 {
			return nil, fmt.Errorf("%s has no entries: nothing would be left to learn", file)
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// Points makes up points without edges for a network of pruned layers. A class is three clouds around centres that
// lie anywhere, so that no plane separates two classes. Numbers are +-0.4 and normal noise with a deviation
// of 1. Six of ten points are to learn from, one to validate and three to test.
func Points(n int, patterns []sparse.Matrix[float64], seed uint64) (*Set, error) {
	const classes, clouds, shift = 10, 3, .4
	wide := patterns[0].Cols()
	s := &Set{Name: "points", Patterns: patterns}
	x, labels, parts := layout.New[float64](n, wide), make([]int, n), make([]int, n)
	rand.Normal(rand.Stream{Seed: seed, Number: 2}, 0, x.Data, 0, 1)
	centres := rand.Stream{Seed: seed, Number: 3}
	for v := range n {
		cloud := v % (classes * clouds)
		labels[v], parts[v] = cloud%classes, [10]int{1, 1, 1, 1, 1, 1, 2, 3, 3, 3}[v/(classes*clouds)%10]
		for j := range wide {
			if centres.Uint32(uint64(cloud*wide+j))&1 == 0 {
				x.Data[v*wide+j] += shift
			} else {
				x.Data[v*wide+j] -= shift
			}
		}
	}
	var err error
	if s.Features, err = sparse.FromDense(x); err != nil {
		return nil, err
	}
	if s.Graph, err = sparse.FromCOO[float64, int32](n, n, nil, nil, nil); err != nil {
		return nil, err
	}
	s.label(labels, parts)
	return s, s.check()
}
