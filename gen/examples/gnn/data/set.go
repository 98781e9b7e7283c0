package data

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tilesmith/tilesmith/sparse"
)

// A Set is a graph whose nodes have features and classes, of which a network learns some and is asked for others.
type Set struct {
	Name string
	// Graph has an entry (i, j) where node i hears of node j. Values are kinds of edges from 1, for networks
	// that tell them apart; the others look at the structure only.
	Graph    sparse.Matrix[float64]
	Features sparse.Matrix[float64] // a row for each node
	Labels   []int                  // of each node, its class from 0
	Classes  int
	// Patterns are where the weights of pruned layers are, if there are such.
	Patterns []sparse.Matrix[float64]
	// Nodes to learn from, to choose an epoch by, and to be asked about at the end, of which there may be none.
	Train, Validation, Test []int
}

// check returns an error that says why a network cannot learn from s.
func (s *Set) check() error {
	n := s.Graph.Rows()
	switch {
	case n == 0 || n != s.Graph.Cols():
		return fmt.Errorf("the graph is %d x %d, want a square one with nodes", n, s.Graph.Cols())
	case s.Features.Rows() != n:
		return fmt.Errorf("the graph has %d nodes, but there are features of %d: want a row for each node", n, s.Features.Rows())
	case len(s.Labels) != n:
		return fmt.Errorf("the graph has %d nodes, but there are labels of %d: want a row for each node", n, len(s.Labels))
	case s.Features.Cols() == 0:
		return fmt.Errorf("the features have no columns")
	}
	for _, part := range []struct {
		name  string
		nodes []int
	}{{"train (1)", s.Train}, {"validation (2)", s.Validation}} {
		if len(part.nodes) == 0 {
			return fmt.Errorf("no node of the labels is for %s: want a 1 and a 2 in their second column", part.name)
		}
	}
	// A class counts if a node has it that matters: those in no part may be anything.
	learnt, asked := make([]bool, s.Classes), make([]int, s.Classes)
	for _, i := range s.Train {
		learnt[s.Labels[i]] = true
	}
	for _, part := range [][]int{s.Train, s.Validation, s.Test} {
		for _, i := range part {
			asked[s.Labels[i]]++
		}
	}
	for c, has := range learnt {
		if !has {
			return fmt.Errorf("class %d of %d has no node to learn from, and %d for validation and test: want one at least whose second column is 1",
				c, s.Classes, asked[c])
		}
	}
	for e, v := range s.Features.All() {
		if v-v != 0 {
			return fmt.Errorf("feature %d of node %d is %v, want a finite number", e.J, e.I, v)
		}
	}
	return nil
}

// normalise divides the features of each node by the sum of their magnitudes.
func (s *Set) normalise() {
	sums := make([]float64, s.Features.Rows())
	for e, v := range s.Features.All() {
		sums[e.I] += max(v, -v)
	}
	s.Features = s.Features.Apply(func(i, j int, v float64) float64 {
		if sums[i] == 0 {
			return 0
		}
		return v / sums[i]
	})
}

// String says how large the set is.
func (s *Set) String() string {
	return fmt.Sprintf("%s: %d nodes, %d edges, %d features, %d classes; %d nodes to learn from, %d to validate, %d to test",
		s.Name, s.Graph.Rows(), s.Graph.NNZ(), s.Features.Cols(), s.Classes, len(s.Train), len(s.Validation), len(s.Test))
}

// Sum returns a checksum of all that a network learns from: sets that differ hardly have the same.
func (s *Set) Sum() uint64 {
	h := fnv.New64a()
	number := func(n ...int) {
		for _, v := range n {
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
		}
	}
	for _, m := range append([]sparse.Matrix[float64]{s.Graph, s.Features}, s.Patterns...) {
		number(m.Rows(), m.Cols(), m.NNZ())
		for e, v := range m.All() {
			number(e.I, e.J)
			binary.Write(h, binary.LittleEndian, v)
		}
	}
	for _, list := range [][]int{s.Labels, s.Train, s.Validation, s.Test} {
		number(len(list))
		number(list...)
	}
	return h.Sum64()
}
