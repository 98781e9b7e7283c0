package tpp

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Spec is an equation to generate: a function called Name that sets each output to a tensor.
// It is a unit.Spec, which gen.Main takes like any other.
//
// The generated function has a parameter for each output, in order, and then for each
// operand. A tensor with an element for each of the matrix is a layout.Matrix, one with an
// element for each row or column a slice, and a scalar a value. An output that is a scalar is
// a pointer.
type Spec struct {
	Name string
	Outs []Output
	// Operands is the order of operands as parameters; nil is that of their first use.
	Operands []Tensor
	// Doc says what the function computes: a sentence after its name, without the full stop.
	// "" is the equation written out.
	Doc     string
	Targets []emit.Target // nil: those of gemm.CPUTargets
}

// Output is a result of an equation.
type Output struct {
	Name string
	Is   Tensor
	bits bool // see OutBits
}

// Out is an output called name.
func Out(name string, is Tensor) Output { return Output{Name: name, Is: is} }

// Kernel returns the name.
func (s Spec) Kernel() string { return s.Name }

// TargetList returns the targets to generate for.
func (s Spec) TargetList() []emit.Target {
	if s.Targets == nil {
		return gemm.CPUTargets()
	}
	return s.Targets
}

// graph is what an equation consists of.
type graph struct {
	nodes    []*node // arguments before what they are arguments of
	operands []*node // in the order of parameters
	outs     []*node
	outBits  []bool  // of outs, which are stored as bits
	words    *node   // nil: none
	full     bool    // some parameter is a matrix
	widths   *spaces // nil: there are no products, and one width
}

// graph checks the equation as far as it does not depend on a target.
func (s Spec) graph() (*graph, error) {
	g := &graph{}
	if len(s.Outs) == 0 {
		return nil, fmt.Errorf("it has no outputs; list some, as in Outs: []tpp.Output{tpp.Out(\"out\", x)}")
	}
	for _, t := range s.Operands {
		n := t.node()
		if n.err == nil && n.kind != operand {
			return nil, fmt.Errorf("%s is listed among Operands; list what tpp.In made", n.say())
		}
		if err := g.visit(n); err != nil {
			return nil, err
		}
	}
	listed := len(g.operands)
	names := map[string]string{}
	taken := func(name, what string) error {
		if !token.IsIdentifier(name) {
			return fmt.Errorf("%s is called %q, which is no Go identifier", what, name)
		}
		if other, ok := names[name]; ok {
			return fmt.Errorf("%s and %s are both called %q; rename one, or use one tensor twice", other, what, name)
		}
		names[name] = what
		return nil
	}
	for _, o := range s.Outs {
		if err := taken(o.Name, "an output"); err != nil {
			return nil, err
		}
		if err := g.visit(o.Is.node()); err != nil {
			return nil, err
		}
		if err := o.checkBits(); err != nil {
			return nil, err
		}
		g.outs, g.outBits = append(g.outs, o.Is.node()), append(g.outBits, o.bits)
		g.full = g.full || o.Is.node().pattern == gemm.FullPattern && !o.bits
	}
	if s.Operands != nil && len(g.operands) > listed {
		return nil, fmt.Errorf("operand %s is used but not listed among Operands; list it, or leave Operands nil", g.operands[listed].name)
	}
	for _, n := range g.operands {
		if err := taken(n.name, "an operand"); err != nil {
			return nil, err
		}
		g.full = g.full || n.pattern == gemm.FullPattern && !n.bits
	}
	if !g.full {
		return nil, fmt.Errorf("no operand and no output has an element for each row and column, so nothing says how many there are; add a gemm.Full operand that is not bits")
	}
	if n := len(g.outs) + len(g.operands); n > kernel.MaxSlots {
		return nil, fmt.Errorf("it has %d outputs and operands; the limit is %d: divide it between two specs", n, kernel.MaxSlots)
	}
	return g, g.measure()
}

// visit adds a node after its arguments.
func (g *graph) visit(n *node) error {
	if slices.Contains(g.nodes, n) {
		return nil
	}
	for _, a := range n.args {
		if err := g.visit(a); err != nil {
			return err
		}
	}
	if n.err != nil {
		return n.err
	}
	switch n.kind {
	case operand:
		g.operands = append(g.operands, n)
	case words:
		if g.words != nil {
			return fmt.Errorf("it has two tensors of tpp.Words, and a call names one stream; use one of them twice, or divide the equation between two specs")
		}
		g.words = n
	}
	g.nodes = append(g.nodes, n)
	return nil
}
