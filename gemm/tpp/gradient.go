package tpp

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Gradient returns the gradients by each of by, operands of the tensor of, given the gradient g
// by of. It is reverse accumulation over the operators; the translator derives their functions.
// Gradients are computed in float32 for operands of package dtype. The gradient of a broadcast
// tensor is summed over the copies. If several elements are the maximum, each has its gradient.
func Gradient(of, g Tensor, by ...Tensor) []Tensor {
	r := &reverse{graph: &graph{}, adjoint: map[*node]Tensor{}, depends: map[*node]bool{}}
	out := make([]Tensor, len(by))
	fail := func(err error) []Tensor {
		for i := range out {
			out[i] = Tensor{&node{name: "gradient", err: err, pattern: gemm.ScalarPattern}}
		}
		return out
	}
	if err := r.visit(of.node()); err != nil {
		return fail(err)
	}
	if err := g.node().err; err != nil {
		return fail(err)
	}
	for _, b := range by {
		n := b.node()
		if n.err == nil && !slices.Contains(r.nodes, n) {
			return fail(fmt.Errorf("Gradient by %s: the tensor does not depend on it", n.say()))
		}
		if n.err == nil && !gemm.ElemOf(n.t).Float() {
			return fail(fmt.Errorf("Gradient by %s, which is of %s; want floats", n.say(), n.t.Go()))
		}
		r.depends[n] = true
	}
	for _, n := range r.nodes {
		for _, a := range n.args {
			r.depends[n] = r.depends[n] || r.depends[a]
		}
	}
	if want := wide(of.node().t); g.node().t != want {
		return fail(fmt.Errorf("Gradient with %s, which is of %s; want %s, as the tensor or its sums are", g.node().say(), g.node().t.Go(), want.Go()))
	}
	r.adjoint[of.node()] = g
	for _, n := range slices.Backward(r.nodes) {
		if a, ok := r.adjoint[n]; ok && r.depends[n] {
			r.back(n, a)
		}
	}
	for i, b := range by {
		a, ok := r.adjoint[b.n]
		switch {
		case !ok: // every way to it goes through an operator without a gradient
			out[i] = fail(fmt.Errorf("Gradient by %s, which no operator with a gradient takes", b.n.say()))[i]
		case broadcast(a.n.pattern, b.n.pattern) != a.n.pattern:
			out[i] = first.of(a, Widen(b))
		default:
			out[i] = a
		}
	}
	return out
}

// reverse is what has been accumulated.
type reverse struct {
	*graph
	adjoint map[*node]Tensor
	depends map[*node]bool
}

// wide is the type of the gradient by a t.
func wide(t dtype.Type) dtype.Type {
	if t == dtype.F64 {
		return t
	}
	return dtype.F32
}

// Widen is x in the type that gradients by it have: a float32 of what package dtype has.
func Widen(x Tensor) Tensor {
	if x.n == nil || x.n.t == dtype.F64 {
		return x
	}
	return Convert[float32](x)
}

// back hands the gradient by n on to what n is computed of.
func (r *reverse) back(n *node, g Tensor) {
	switch n.kind {
	case apply:
		var args []Tensor
		for _, a := range n.args {
			args = append(args, Tensor{a})
		}
		if wide(n.t) != n.t || !gemm.ElemOf(n.t).Float() {
			return // as a step function
		}
		for i, a := range n.args {
			if r.depends[a] && gemm.ElemOf(a.t).Float() {
				r.add(a, Map(emit.Derivative{Of: n.fn, By: []int{i}}, append(slices.Clone(args), g)...))
			}
		}
	case product:
		r.multiplied(n, g)
	case convert:
		a := n.args[0]
		if wide(a.t) == dtype.F64 {
			r.add(a, Convert[float64](g))
		} else {
			r.add(a, Convert[float32](g))
		}
	case rowReduce, colReduce:
		a := n.args[0]
		switch n.op {
		case reduce.Sum:
			r.add(a, g)
			return
		case reduce.Prod:
			r.add(a, Tensor{&node{name: "gradient", t: n.t, pattern: a.pattern, err: fmt.Errorf("the gradient goes through %s, which has none; take the exponential of a sum of logarithms", n.name)}})
			return
		}
		r.add(a, where.of(Tensor{a}, Tensor{n}, g))
	}
}

// multiplied hands the gradient by a product on to its first factor: times the second one, transposed.
func (r *reverse) multiplied(n *node, g Tensor) {
	a, b := n.args[0], n.args[1]
	if r.depends[b] {
		r.adjoint[b] = Tensor{&node{name: "gradient", t: wide(b.t), pattern: b.pattern, err: fmt.Errorf("the gradient by %s, the second factor of a product, is a product over all rows; multiply the transpose of its first factor by the gradient, by cpu.MatMul", b.say())}}
	}
	if !r.depends[a] {
		return
	}
	if b.t != dtype.F32 && b.t != dtype.F64 { // narrow gradients, as those of layers are
		if !gemm.ElemOf(b.t).Float() {
			r.add(a, Tensor{&node{name: "gradient", t: wide(a.t), pattern: a.pattern, err: fmt.Errorf("the gradient goes through a product of %s, which has none", b.t.Go())}})
			return
		}
		if b.t == dtype.TypeBF16 {
			g = Convert[dtype.BF16](g)
		} else {
			g = Convert[dtype.F16](g)
		}
	}
	if n.trans {
		r.add(a, MatMul(g, Tensor{b}))
		return
	}
	r.add(a, MatMulT(g, Tensor{b}))
}

// add adds to the gradient by n, after it is summed over what n was broadcast to.
func (r *reverse) add(n *node, g Tensor) {
	has := g.node().pattern
	alongRow := has == gemm.FullPattern || has == gemm.ColumnPattern
	alongColumn := has == gemm.FullPattern || has == gemm.RowPattern
	if alongRow && (n.pattern == gemm.RowPattern || n.pattern == gemm.ScalarPattern) {
		g = RowSum(g)
	}
	if alongColumn && (n.pattern == gemm.ColumnPattern || n.pattern == gemm.ScalarPattern) {
		g = ColSum(g)
	}
	if old, ok := r.adjoint[n]; ok {
		g = add.of(old, g)
	}
	r.adjoint[n] = g
}
