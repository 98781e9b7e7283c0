package tpp

import (
	"cmp"
	"slices"
)

// An equation with products is divided into parts, each an equation without them over matrices of one
// width. The results of products and of other parts that a part uses are its operands; the values that
// others need of it are outputs. Parts are in order of how many steps lead to them, so that each finds
// what it needs:
//
//	part 0   matrices n0 wide     LayerNorm(x)
//	         product n0 -> n1     MatMul(., up)
//	part 1   matrices n1 wide     GELU(.)
//	         product n1 -> n0     MatMul(., down)
//	part 2   matrices n0 wide     Add(., x)

// part is one of them.
type part struct {
	at       place
	products []*node // that are computed before it, in order
	results  []result
	imports  []*node // its operands, as nodes of the whole equation
	*lowering
}

// place says which part a node belongs to: how many steps lead to it, and of what width it is. A value of
// operands alone that has no width is computed wherever it is used: its space is -1.
type place struct{ level, space int }

// result is an output of a part: of the equation, param says which, or for others, -1.
type result struct {
	n     *node
	bits  bool
	param int
}

// source reports whether n is made of nothing.
func (n *node) source() bool { return n.args == nil && n.kind != apply }

// divider divides a graph.
type divider struct {
	*graph
	at    map[*node]place
	parts []*part
}

// divide finds the parts.
func (g *graph) divide() *divider {
	d := &divider{graph: g, at: map[*node]place{}}
	for _, n := range g.nodes {
		d.at[n] = d.placeOf(n)
	}
	for i, o := range g.outs {
		if o.kind == product && !g.outBits[i] && slices.Index(g.outs, o) == i {
			continue // stored where the product is computed
		}
		at := d.at[o]
		if at.space < 0 {
			at = place{0, max(0, g.space(o))}
		}
		p := d.part(at)
		p.results = append(p.results, result{o, g.outBits[i], i})
	}
	for _, n := range g.nodes {
		switch {
		case n.kind == product:
			p := d.part(d.at[n])
			p.products = append(p.products, n)
			d.export(n.args[0])
		case !n.source():
			for _, a := range n.args {
				if d.at[n].space >= 0 && d.foreign(a, d.at[n]) {
					d.export(a)
				}
			}
		}
	}
	slices.SortFunc(d.parts, func(x, y *part) int {
		return cmp.Or(x.at.level-y.at.level, x.at.space-y.at.space)
	})
	return d
}

// part is the one at a place.
func (d *divider) part(at place) *part {
	for _, p := range d.parts {
		if p.at == at {
			return p
		}
	}
	d.parts = append(d.parts, &part{at: at})
	return d.parts[len(d.parts)-1]
}

// export makes n a result of its part.
func (d *divider) export(n *node) {
	if n.source() && n.kind != cols || n.kind == product {
		return
	}
	p := d.part(d.at[n])
	if !slices.ContainsFunc(p.results, func(r result) bool { return r.n == n && !r.bits }) {
		p.results = append(p.results, result{n, false, -1})
	}
}

// foreign reports whether what is computed at a place finds n, and does not compute it. The number of columns is that of a width,
// which parts of others have to be told.
func (d *divider) foreign(n *node, at place) bool {
	if n.kind == cols {
		return d.at[n].space >= 0 && d.at[n].space != at.space
	}
	return n.kind == product || d.at[n].space >= 0 && d.at[n] != at
}

// placeOf is that of n, those of whose arguments are known.
func (d *divider) placeOf(n *node) place {
	if n.kind == cols && n.of != nil {
		return place{0, d.space(n.of)}
	}
	if n.source() {
		return place{0, -1}
	}
	at := place{0, d.space(n)}
	if n.kind == product {
		if a := n.args[0]; !a.source() {
			at.level = d.at[a].level + 1
		}
		return at
	}
	if at.space < 0 { // where most steps lead to
		level := -1
		for _, a := range n.args {
			if s := d.space(a); s >= 0 && level < d.at[a].level {
				at.space, level = s, d.at[a].level
			} else if x := d.at[a]; x.space >= 0 && level < x.level {
				at.space, level = x.space, x.level
			}
		}
	}
	for _, a := range n.args {
		switch x := d.at[a]; x.space {
		case -1:
		case at.space:
			at.level = max(at.level, x.level)
		default:
			at.level = max(at.level, x.level+1)
		}
	}
	return at
}

// equation is the part as a graph of its own.
func (d *divider) equation(p *part) (g *graph, of map[*node]*node, err error) {
	g, of = &graph{}, map[*node]*node{}
	var copyOf func(n *node) *node
	copyOf = func(n *node) *node {
		if c := of[n]; c != nil {
			return c
		}
		c := new(node)
		*c = *n
		if d.foreign(n, p.at) {
			*c = node{kind: operand, name: n.name, t: n.t, pattern: n.pattern}
		} else {
			c.args = nil
			for _, a := range n.args {
				c.args = append(c.args, copyOf(a))
			}
		}
		of[n] = c
		if c.kind == operand {
			p.imports = append(p.imports, n)
		}
		return c
	}
	for _, r := range p.results {
		c := copyOf(r.n)
		if err := g.visit(c); err != nil {
			return nil, nil, err
		}
		g.outs, g.outBits = append(g.outs, c), append(g.outBits, r.bits)
	}
	slices.SortFunc(p.imports, func(x, y *node) int {
		return slices.Index(g.operands, of[x]) - slices.Index(g.operands, of[y])
	})
	return g, of, nil
}
