package fn

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
)

// fuse decides which products are fused into the sum or difference that uses them:
// those with one use, and of two products the first.
func (f *Func) fuse() {
	f.fused, f.inside, f.uses = map[*node]*node{}, map[*node]bool{}, map[*node]int{}
	for _, n := range f.order {
		for _, a := range n.args {
			f.uses[a]++
		}
	}
	for _, n := range f.out {
		f.uses[n]++
	}
	for _, n := range f.order {
		if !sumOfFloats(n) {
			continue
		}
		for _, a := range n.args {
			if p := product(a); p != nil && f.uses[a] == 1 && f.uses[p] == 1 {
				f.fused[n], f.inside[p], f.inside[a] = a, true, true
				break
			}
		}
	}
}

func sumOfFloats(n *node) bool { return (n.op == opAdd || n.op == opSub) && n.t.Float() }

// Contraction is a product of floats that is an operand of a sum or difference.
type Contraction struct {
	// Place is the file and line of the sum. A file below the folder that the program was loaded
	// for is given from there, another as one of its package.
	Place string
	Fused bool   // both are rounded once
	Why   string // of one that is not: why
}

// Contractions lists the products that are operands of sums, in the order of their places.
func (f *Func) Contractions() []Contraction {
	type at struct {
		pos token.Position
		Contraction
	}
	var list []at
	for _, n := range f.order {
		if !sumOfFloats(n) {
			continue
		}
		for _, a := range n.args {
			c := Contraction{Place: f.prog.lineOf(n.pos), Fused: f.fused[n] == a}
			switch {
			case c.Fused:
			case a.op == opRounded && a.name == "":
				c.Why = "a conversion rounds the product by itself"
			case product(a) == nil:
				continue
			case f.fused[n] != nil:
				c.Why = "the other operand is a product, too, and is fused"
			default:
				c.Why = "the product is used for something else as well"
			}
			list = append(list, at{f.prog.fset.Position(n.pos), c})
		}
	}
	slices.SortStableFunc(list, func(x, y at) int {
		return cmp.Or(cmp.Compare(x.pos.Filename, y.pos.Filename), cmp.Compare(x.pos.Line, y.pos.Line))
	})
	var out []Contraction
	for _, c := range list {
		out = append(out, c.Contraction)
	}
	return out
}

// lineOf is the file and line of a position, without what differs from machine to machine.
func (p *Program) lineOf(pos token.Pos) string {
	at := p.position(pos)
	return fmt.Sprintf("%s:%d", p.fileOf(at.Filename), at.Line)
}

// place is lineOf with the column.
func (p *Program) place(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", p.lineOf(pos), p.position(pos).Column)
}

func (p *Program) fileOf(name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	for _, m := range p.meta {
		if m.Dir == filepath.Dir(name) {
			return path.Join(m.ImportPath, filepath.Base(name))
		}
	}
	return name
}

// operatorPos is where the operator of an expression or statement stands.
func operatorPos(at ast.Node) token.Pos {
	switch at := at.(type) {
	case *ast.BinaryExpr:
		return at.OpPos
	case *ast.AssignStmt:
		return at.TokPos
	case *ast.IncDecStmt:
		return at.TokPos
	}
	return at.Pos()
}
