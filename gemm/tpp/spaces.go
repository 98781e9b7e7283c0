package tpp

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
)

// spaces are the widths of an equation's matrices: sets of nodes with as many columns. A second
// factor of a product belongs to two, of its rows and of its columns.
type spaces struct {
	parent []int
	cols   map[*node]int
	rows   map[*node]int // of second factors
}

// space is that of n, which has columns, or -1.
func (g *graph) space(n *node) int {
	if g.widths == nil {
		return 0
	}
	if i, ok := g.widths.cols[n]; ok {
		return g.widths.root(i)
	}
	return -1
}

// depth is the space of a second factor's rows.
func (g *graph) depth(n *node) int { return g.widths.root(g.widths.rows[n]) }

func (s *spaces) root(i int) int {
	for s.parent[i] != i {
		i = s.parent[i]
	}
	return i
}

func (s *spaces) fresh() int {
	s.parent = append(s.parent, len(s.parent))
	return len(s.parent) - 1
}

// join makes two spaces one, that of the first of them.
func (s *spaces) join(i, j int) {
	i, j = s.root(i), s.root(j)
	s.parent[max(i, j)] = min(i, j)
}

// measure finds the spaces of an equation with products, which are numbered then in the order of their first use.
func (g *graph) measure() error {
	factor := map[*node]bool{}
	for _, n := range g.nodes {
		if n.kind == product {
			factor[n.args[1]] = true
		}
	}
	if len(factor) == 0 {
		return nil
	}
	s := &spaces{cols: map[*node]int{}, rows: map[*node]int{}}
	for _, n := range g.nodes {
		for i, a := range n.args {
			if factor[a] && (n.kind != product || i == 0) {
				return fmt.Errorf("%s is the second factor of a product, whose rows are not the equation's, and %s takes it too; want another operand there", a.say(), n.name)
			}
		}
		wide := n.pattern == gemm.FullPattern || n.pattern == gemm.ColumnPattern
		if wide {
			s.cols[n] = s.fresh()
		}
		switch n.kind {
		case operand:
			if factor[n] {
				s.rows[n] = s.fresh()
			}
		case product:
			b := n.args[1]
			k, width := s.rows[b], s.cols[b]
			if n.trans {
				k, width = width, k
			}
			s.join(s.cols[n.args[0]], k)
			s.join(s.cols[n], width)
		default:
			for _, a := range n.args {
				if at, ok := s.cols[a]; ok && wide {
					s.join(s.cols[n], at)
				}
			}
		}
	}
	for _, o := range g.outs {
		if factor[o] {
			return fmt.Errorf("%s is the second factor of a product, whose rows are not the equation's, and an output too", o.say())
		}
	}
	g.widths = s
	s.number(g.nodes)
	for _, n := range g.nodes {
		if n.kind == cols {
			if n.of == nil && s.count() > 1 {
				return fmt.Errorf("tpp.Cols is ambiguous in an equation with products, whose matrices have several widths; use tpp.ColsOf")
			}
			if n.of != nil && g.space(n.of) < 0 {
				return fmt.Errorf("tpp.ColsOf of %s, which has no columns", n.of.say())
			}
		}
	}
	return nil
}

// number makes the spaces 0, 1, and so on.
func (s *spaces) number(nodes []*node) {
	names := map[int]int{}
	name := func(i int) int {
		r := s.root(i)
		if _, ok := names[r]; !ok {
			names[r] = len(names)
		}
		return names[r]
	}
	for _, n := range nodes {
		if r, ok := s.rows[n]; ok {
			s.rows[n] = name(r)
		}
		if c, ok := s.cols[n]; ok {
			s.cols[n] = name(c)
		}
	}
	s.parent = s.parent[:0]
	for range names {
		s.fresh()
	}
}

func (s *spaces) count() int { return len(s.parent) }
