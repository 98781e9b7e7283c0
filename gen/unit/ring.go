package unit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Ring is a semiring on its way to a unit, and how generated Go calls its functions.
type Ring struct {
	semiring.Parts
	Semiring
}

// NewRing looks up the functions of the semiring of a spec that is called name.
func NewRing(s semiring.Parts, name string, t Translator) (*Ring, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	calls, err := CallSemiring(t, name, s.Plus, s.Times)
	return &Ring{s, calls}, err
}

// Imports are the packages that the functions are of, and those that copies need.
func (r *Ring) Imports() []string {
	return slices.Concat(r.Semiring.Plus.Imports, r.Semiring.Times.Imports)
}

// Algebra is the run time's form of the semiring. laws says whether to include those
// that choose kernels.
func (r *Ring) Algebra(laws bool) Expr {
	zero := "Zero: " + strconv.FormatFloat(r.Zero, 'g', -1, 64)
	if math.IsInf(r.Zero, 0) {
		zero = fmt.Sprintf("Inf: %d", int(math.Copysign(1, r.Zero)))
	}
	if laws = laws && r.Laws.Commutative; laws {
		return Expr(fmt.Sprintf("run.Algebra[%s]{%s, Plus: %s, Times: %s, Commutative: true}", r.Type.Go(), zero, r.Semiring.Plus.Expr, r.Semiring.Times.Expr))
	}
	return Expr(fmt.Sprintf("run.Algebra[%s]{%s, Plus: %s, Times: %s}", r.Type.Go(), zero, r.Semiring.Plus.Expr, r.Semiring.Times.Expr))
}

// Copies are copies of functions that stand in a spec file; nil without.
func (r *Ring) Copies() []Decl {
	var ds []Decl
	for _, c := range []Call{r.Semiring.Plus, r.Semiring.Times} {
		if c.Decls != "" {
			ds = append(ds, Text(c.Decls))
		}
	}
	return ds
}

// Sentence says what sums and products are.
func (r *Ring) Sentence() string {
	return fmt.Sprintf("Sums and products are those of the semiring %s: %s and %s.", r.Name, r.Semiring.Plus.Expr, r.Semiring.Times.Expr)
}
