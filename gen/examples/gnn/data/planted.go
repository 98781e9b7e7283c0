package data

import (
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/sparse"
)

// Planted makes up a graph whose classes only a network can tell that tells kinds of edges apart. Each node
// has a colour, which its features show, and a class, which they do not. A node of class c has neighbours of
// colour (c+r) mod 4 along edges of kind r, except for a tenth, which have any colour. There are as many
// edges of each of the four kinds. Among all its neighbours together a node therefore sees as many of each
// colour, whatever its class is.
//
// There are 4*classSize nodes. A tenth is to learn from, a tenth to validate, and the others are to test.
// Nothing but seed changes what is made.
func Planted(classSize, degree int, seed uint64) (*Set, error) {
	const kinds, noise = 4, .1
	n := kinds * classSize
	draw := draws(rand.Stream{Seed: seed, Number: 1})
	s := &Set{Name: "planted"}
	colours, classes, parts := make([]int, n), make([]int, n), make([]int, n)
	byColour := make([][]int32, kinds)
	var i, j []int32
	var kind, ones []float64
	for v := range n {
		colours[v] = v % kinds
		byColour[colours[v]] = append(byColour[colours[v]], int32(v))
		ones = append(ones, 1)
		// Each colour has as many nodes of each class, and a tenth of each class is for each part.
		classes[v] = v / kinds % kinds
		parts[v] = [10]int{1, 2, 3, 3, 3, 3, 3, 3, 3, 3}[v/kinds/kinds%10]
	}
	for v := range n {
		for r := range kinds {
			for range degree {
				colour := (classes[v] + r) % kinds
				if draw(1000) < noise*1000 {
					colour = draw(kinds)
				}
				i, j = append(i, int32(v)), append(j, byColour[colour][draw(classSize)])
				kind = append(kind, float64(r+1))
			}
		}
	}
	var err error
	if s.Graph, err = edges(n, i, j, kind); err != nil {
		return nil, err
	}
	at, shown := make([]int32, n), make([]int32, n)
	for v, c := range colours {
		at[v], shown[v] = int32(v), int32(c)
	}
	if s.Features, err = sparse.FromCOO(n, kinds, at, shown, ones); err != nil {
		return nil, err
	}
	s.label(classes, parts)
	return s, s.check()
}

// edges returns the graph of some edges. The first edge between two nodes counts.
func edges(n int, i, j []int32, kind []float64) (sparse.Matrix[float64], error) {
	type pair struct{ i, j int32 }
	seen, left := map[pair]bool{}, 0
	for e := range i {
		p := pair{i[e], j[e]}
		if seen[p] {
			continue
		}
		seen[p] = true
		i[left], j[left], kind[left] = i[e], j[e], kind[e]
		left++
	}
	return sparse.FromCOO(n, n, i[:left], j[:left], kind[:left])
}

// draws returns a function that returns the next number below n.
func draws(s rand.Stream) func(n int) int {
	next := uint64(0)
	return func(n int) int {
		next++
		return int(uint64(s.Uint32(next)) * uint64(n) >> 32)
	}
}
