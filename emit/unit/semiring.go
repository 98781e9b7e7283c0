package unit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Semiring is a semiring on its way to a unit, and how generated Go calls its functions.
type Semiring struct {
	semiring.Parts
	plus, times Call
}

// NewSemiring looks up the functions of the semiring of a spec that is called name.
func NewSemiring(s semiring.Parts, name string, t Translator) (*Semiring, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	plus, err := t.Call("", name+"Plus", s.Plus)
	if err != nil {
		return nil, err
	}
	times, err := t.Call("", name+"Times", s.Times)
	return &Semiring{s, plus, times}, err
}

// ULP is the error of the math functions in the semiring, in units of a step's result.
func (s *Semiring) ULP() float64 { return s.plus.ULP + s.times.ULP }

// Imports are the packages that the functions are of, and those that copies need.
func (s *Semiring) Imports() []string {
	return slices.Concat(s.plus.Imports, s.times.Imports)
}

// Value is the semiring as Go: a function, since a variable that held an infinite Zero
// would take code that runs before main.
func (s *Semiring) Value() Expr {
	t := s.Type.Go()
	zero := strconv.FormatFloat(s.Zero, 'g', -1, 64)
	if math.IsInf(s.Zero, 0) {
		zero = fmt.Sprintf("%s(math.Inf(%d))", t, int(math.Copysign(1, s.Zero)))
	}
	by := ""
	if s.Type.Complex() { // which kernels ask for
		by = fmt.Sprintf("PlusBy: %q, TimesBy: %q,\n", s.PlusBy, s.TimesBy)
	}
	return Expr(fmt.Sprintf("func() semiring.Semiring[%s] {\nreturn semiring.Semiring[%[1]s]{\nName: %[2]q, Zero: %[3]s, Plus: %[4]s, Times: %[5]s,\n"+
		"Laws: semiring.Laws{Exact: %[6]v, Commutative: %[7]v},\n%[8]s}\n}", t, s.Name, zero, s.plus.Expr, s.times.Expr, s.Laws.Exact, s.Laws.Commutative, by))
}

// Copies are copies of functions that stand in a spec file; nil without.
func (s *Semiring) Copies() []Decl {
	var ds []Decl
	for _, c := range []Call{s.plus, s.times} {
		if c.Decls != "" {
			ds = append(ds, Text(c.Decls))
		}
	}
	return ds
}

// Sentence says what sums and products are.
func (s *Semiring) Sentence() string {
	return fmt.Sprintf("Sums and products are those of the semiring %s: %s and %s.", s.Name, s.plus.Expr, s.times.Expr)
}
