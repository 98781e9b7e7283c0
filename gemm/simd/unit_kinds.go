package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// A kind is what there is of one kind of product alone: the functions that a user calls, its oracle, and what
// it declares for each target.
type kind struct {
	entry   func(p *product) []unit.Decl
	oracle  func(p *product) (*unit.Oracle, error)
	kernels func(p *product, u *unit.Unit)
}

// The kinds. Each has a file with its functions.
var (
	plainKind    = kind{(*product).entry, sure((*product).plainOracle), (*product).plainKernels}
	pairsKind    = kind{(*product).entry, sure((*product).pairsOracle), (*product).plainKernels}
	semiringKind = kind{(*product).entry, (*product).semiringOracle, (*product).plainKernels}
	mixedKind    = kind{(*product).entry, sure((*product).mixedOracle), (*product).plainKernels}
	fixedKind    = kind{(*product).fixedEntry, sure((*product).fixedOracle), (*product).fixedKernels}
	fusedKind    = kind{(*product).fusedEntry, sure((*product).fusedOracle), (*product).tables}
	reducedKind  = kind{(*product).reducedEntry, sure((*product).reducedOracle), (*product).reducedKernel}
)

// kind is that of the product.
func (p *product) kind() kind {
	switch {
	case p.reduces():
		return reducedKind
	case p.Fusion != nil:
		return fusedKind
	case p.Arithmetic != nil && !p.Paired():
		return semiringKind
	case p.Arithmetic != nil:
		return pairsKind
	case p.mixed():
		return mixedKind
	case p.Shape != (gemm.Shape{}):
		return fixedKind
	case p.Paired():
		return pairsKind
	}
	return plainKind
}

// sure is an oracle that nothing can go wrong with.
func sure(f func(p *product) *unit.Oracle) func(p *product) (*unit.Oracle, error) {
	return func(p *product) (*unit.Oracle, error) { return f(p), nil }
}

// plainKernels declares the tables, and the calls of small products.
func (p *product) plainKernels(u *unit.Unit) {
	p.tables(u)
	p.smallCall(u)
}

// gemmFunc is the product as package check calls it, after the statements first.
func (p *product) gemmFunc(first string) string {
	return fmt.Sprintf(`func(alpha %[1]s, a, b layout.Matrix[%[1]s], beta %[1]s, out layout.Matrix[%[1]s]) {
	%[2]s%[3]sOpt(run.Options{ISA: isa, Scaling: run.Scale(float64(alpha), float64(beta))}, out, a, b)
}`, p.Elem.Go(), first, p.Name)
}

// plainOracle checks every variant against the oracles.
func (p *product) plainOracle() *unit.Oracle {
	mr, nr := p.tile()
	return p.Checked(fmt.Sprintf("check.Suite(t, %s, check.Options{Name: %q, MR: %d, NR: %d, KC: %d, Threads: true, Checked: true})",
		p.gemmFunc(""), p.Name, mr, nr, tiling.KCMax),
		unit.Timed("", fmt.Sprintf(`for _, n := range []int{64, 256, 1024} {
	check.Benchmark(b, isa, n, func(out, x, y layout.Matrix[%s]) { %sOpt(run.Options{ISA: isa, Threads: 1}, out, x, y) })
}`, p.Elem.Go(), p.Name)))
}
