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

// Value is the semiring as Go: a function, since a variable that held an infinite Zero
// would take code that runs before main.
func (r *Ring) Value() Expr {
	t := r.Type.Go()
	zero := strconv.FormatFloat(r.Zero, 'g', -1, 64)
	if math.IsInf(r.Zero, 0) {
		zero = fmt.Sprintf("%s(math.Inf(%d))", t, int(math.Copysign(1, r.Zero)))
	}
	return Expr(fmt.Sprintf("func() semiring.Semiring[%s] {\nreturn semiring.Semiring[%[1]s]{\nName: %[2]q, Zero: %[3]s, Plus: %[4]s, Times: %[5]s,\n"+
		"Laws: semiring.Laws{Exact: %[6]v, Commutative: %[7]v},\n}\n}", t, r.Name, zero, r.Semiring.Plus.Expr, r.Semiring.Times.Expr, r.Laws.Exact, r.Laws.Commutative))
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
