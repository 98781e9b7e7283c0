package semiring

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// stock lists the package's own.
func stock[T dtype.Float]() []Semiring[T] {
	return []Semiring[T]{PlusTimes[T](), MaxPlus[T](), MinPlus[T](), MaxTimes[T](), MinTimes[T](), MaxMin[T](), PlusMin[T](), OrAnd[T]()}
}

// TestLaws holds the stock semirings to what they say of themselves.
func TestLaws(t *testing.T) {
	laws(t, stock[float32]())
	laws(t, stock[float64]())
}

func laws[T dtype.Float](t *testing.T, all []Semiring[T]) {
	names := map[string]bool{}
	for _, s := range all {
		if err := s.Check(); err != nil {
			t.Errorf("%v: %v", dtype.Of[T](), err)
		}
		if names[s.Name] {
			t.Errorf("two are called %s", s.Name)
		}
		names[s.Name] = true
		// Those that do not say that they are exact are not.
		exact := s.Laws.Exact
		s.Laws.Exact = true
		if err := s.Check(); (err == nil) != exact {
			t.Errorf("%s as an exact one: %v", s.Name, err)
		}
	}
}

// TestLawsOfValues is TestLaws of the types of sparse matrices that are not real floating-point numbers. Of these
// complex ones alone have kernels.
func TestLawsOfValues(t *testing.T) {
	lawsOf[complex64](t)
	lawsOf[complex128](t)
	lawsOf[int8](t)
	lawsOf[int64](t)
	lawsOf[uint16](t)
	lawsOf[uint64](t)
}

func lawsOf[T dtype.Value](t *testing.T) {
	want := map[string]dtype.Type{"complex64": dtype.C64, "complex128": dtype.C128}[fmt.Sprintf("%T", T(0))]
	for _, s := range []Semiring[T]{PlusTimes[T](), OrAnd[T](), PlusPair[T]()} {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", dtype.Name[T](), err)
		}
		if s.Parts().Check() != nil || s.Parts().Type != want {
			t.Errorf("%s: parts %v", dtype.Name[T](), s.Parts())
		}
	}
	minus := PlusTimes[T]()
	minus.Plus, minus.PlusBy = func(x, y T) T { return x - y }, None
	if minus.Check() == nil {
		t.Errorf("%s: a difference passes for a sum", dtype.Name[T]())
	}
	if s := PlusPair[float32](); s.Check() != nil || s.Plus(s.Times(0, 5), s.Times(2, 3)) != 2 {
		t.Errorf("pluspair: %v, 1 + 1 is %v", s.Check(), s.Plus(s.Times(0, 5), s.Times(2, 3)))
	}
}

// TestBroken: what is no semiring, or not the one that it says, is told by name and
// numbers.
func TestBroken(t *testing.T) {
	f := func(s Semiring[float64]) Semiring[float64] { s.Name = "mine"; return s }
	with := func(change func(s *Semiring[float64])) Semiring[float64] {
		s := MaxPlus[float64]()
		change(&s)
		return f(s)
	}
	sub := func(x, y float64) float64 { return x - y }
	for _, c := range []struct {
		s    Semiring[float64]
		want string
	}{
		{with(func(s *Semiring[float64]) { s.Plus = nil }), "mine: Plus and Times have to be functions"},
		{with(func(s *Semiring[float64]) { s.Zero = math.NaN() }), "its Zero is NaN"},
		{with(func(s *Semiring[float64]) { s.Zero = 0 }), "is not neutral: Plus of it and"},
		{with(func(s *Semiring[float64]) { s.PlusBy = "sup" }), `there is no instruction "sup"; there is add, mul, max and min`},
		{with(func(s *Semiring[float64]) { s.PlusBy = MinBy }), "by the instruction min it is"},
		// What gives the other NaN or the other zero is another function.
		{with(func(s *Semiring[float64]) { s.Plus = math.Max }), "Plus(+Inf, NaN) is +Inf, by the instruction max it is NaN"},
		{with(func(s *Semiring[float64]) { s.Times, s.TimesBy = sub, None }), "Times is not commutative"},
		{with(func(s *Semiring[float64]) { s.Plus, s.PlusBy, s.Zero = sub, None, 0 }), "not neutral"},
		{with(func(s *Semiring[float64]) { s.Plus, s.PlusBy, s.Zero, s.Laws = math.Hypot, None, 0, Laws{Exact: true} }), "Zero, which is 0, is not neutral"},
		{f(Semiring[float64]{Zero: math.Copysign(0, -1), Plus: Add[float64], Times: Mul[float64], Laws: Laws{Exact: true}}), "Plus is not exact, as Laws say"},
		{f(Semiring[float64]{Plus: func(x, y float64) float64 { return (x + y) * (1 + y*0.01) }, Times: Mul[float64]}), "not neutral"},
	} {
		if err := c.s.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestNaN: the one rule of all semirings with max and min.
func TestNaN(t *testing.T) {
	nan := math.NaN()
	for _, s := range stock[float64]() {
		if s.PlusBy != MaxBy && s.PlusBy != MinBy {
			continue
		}
		acc := s.Zero
		for _, x := range []float64{1, nan, 2, math.Inf(1), math.Inf(-1)} {
			acc = s.Plus(acc, s.Times(x, 1))
		}
		if acc == acc {
			t.Errorf("%s: %v, and one product was NaN", s.Name, acc)
		}
	}
	if x := Or(0, And(nan, 1)); x != 1 {
		t.Errorf("NaN and 1 are %v; both are true", x)
	}
}
