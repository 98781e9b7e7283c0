package sample

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Recipe makes a stand-in for a graph that cannot be had everywhere. Slabs and
// Buckets are those of [rule.Hyb] with which SparseTIR runs the real one.
type Recipe struct {
	Name           string
	Slabs, Buckets int
	graph          Graph // or
	rmat           int   // entries of an R-MAT of graph.Nodes nodes
}

// Recipes is the graphs of SparseTIR's Table 1 (Ye et al., ASPLOS'23) and likenesses
// of them. Numbers of nodes and entries are theirs; those named /8 are an eighth of
// the nodes with the same mean degree, cut to what fits.
var Recipes = []Recipe{
	{Name: "cora", Slabs: 1, Buckets: 2, graph: Graph{Nodes: 2708, Entries: 10556, Gamma: 2.9, MaxDegree: 168, Local: .5, Community: 16}},
	{Name: "citeseer", Slabs: 1, Buckets: 2, graph: Graph{Nodes: 3327, Entries: 9228, Gamma: 2.9, MaxDegree: 99, Local: .5, Community: 16}},
	{Name: "pubmed", Slabs: 1, Buckets: 5, graph: Graph{Nodes: 19717, Entries: 88651, Gamma: 2.2, MaxDegree: 171}},
	{Name: "arxiv", Slabs: 1, Buckets: 5, graph: Graph{Nodes: 169343, Entries: 1166243, Gamma: 2.3, MaxDegree: 13000}},
	{Name: "arxiv-rmat", Slabs: 1, Buckets: 5, graph: Graph{Nodes: 169343}, rmat: 1166243},
	{Name: "ppi", Slabs: 16, Buckets: 5, graph: Graph{Nodes: 44900, Entries: 1122500, Gamma: 1.9, MaxDegree: 720, Blocks: 20}},
	{Name: "proteins/8", Slabs: 8, Buckets: 8, graph: Graph{Nodes: 16566, Entries: 4200000, Gamma: 1.5, MaxDegree: 3900}},
	{Name: "reddit/8", Slabs: 8, Buckets: 9, graph: Graph{Nodes: 29120, Entries: 9000000, Gamma: 1.7, MaxDegree: 7000}},
}

// Find returns the recipe of that name.
func Find(name string) (Recipe, error) {
	for _, r := range Recipes {
		if r.Name == name {
			return r, nil
		}
	}
	names := ""
	for _, r := range Recipes {
		names += " " + r.Name
	}
	return Recipe{}, fail(sparse.ErrValue, "Find", "there are"+names, "no recipe is named %q", name)
}

// Make returns the matrix of a recipe, one of [Recipes].
func Make[T dtype.Float](r Recipe, seed uint64) (sparse.Matrix[T], error) {
	if r.graph.Nodes == 0 {
		return sparse.Matrix[T]{}, fail(sparse.ErrValue, "Make", "want one of Recipes, see Find", "the recipe %q makes nothing", r.Name)
	}
	if r.rmat > 0 {
		return RMAT[T](r.graph.Nodes, r.rmat, .57, .19, .19, seed)
	}
	return ChungLu[T](r.graph, seed)
}
