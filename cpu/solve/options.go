package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Options say when a solver stops and what helps it. The zero value is a residual of the
// square root of an epsilon of T times |b|, in at most ten steps a row.
type Options[T dtype.Float] struct {
	// A solver is done when |b - A*x| is at most Relative*|b| or at most Absolute, in
	// the Euclidean norm. If both are 0, Relative is what the zero value says.
	Relative, Absolute float64
	Steps              int         // at most so many products with A on the way; 0: ten a row
	Precondition       Operator[T] // about the inverse of A; nil: none
	Restart            int         // directions that GMRES keeps; 0: 30
	// Watch is called after each step with what the recurrence says |b - A*x| is. The
	// solver stops if it returns false. It may be nil.
	Watch   func(step int, residual float64) bool
	Threads int // for what is done with vectors, as in [run.Options]; operators have their own
}

// Result says how a solver ended.
type Result struct {
	Converged bool
	Steps     int     // products with A, but for those that find a residual
	Residual  float64 // |b - A*x| of the x that is returned, computed from it
	Relative  float64 // the same over |b|; 0 if both are 0
	Restarts  int     // how often a recurrence began again, from the x that it had found
}

// Why a solver ended without what it was asked for, for errors.Is. The error says in which
// step, and x is what was found until then.
var (
	ErrSteps     = errors.New("steps are used up")
	ErrBreakdown = errors.New("method breaks down") // of the matrix, or the preconditioner
	ErrStagnates = errors.New("residual does not get smaller")
	ErrStopped   = errors.New("stopped by Watch")
)

// Error is how a solver failed: Kind is one of the Err values of this package.
type Error struct {
	Kind  error
	Where string // the solver
	Step  int
	What  string // what was found
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: step %d: %v: %s", e.Where, e.Step, e.Kind, e.What)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// iteration is what all solvers have in common.
type iteration[T dtype.Float] struct {
	where  string
	a, m   Operator[T] // m may be nil
	opt    Options[T]
	x, b   []T
	space  *vectors.Space[T]
	norm   float64 // |b|
	enough float64 // residual
	result Result
	dot    vectors.Pass[T]
	dots   vectors.Pass[T]
	less   vectors.Pass[T]
	before float64 // the last residual that was computed
	unit   float64 // a recurrence divides its residual by it, a power of two
	rounds int     // how often a recurrence began
	halves float64 // what the next one must be at most times as large as
}

// begin checks what a solver is called with.
func begin[T dtype.Float](where string, x []T, a Operator[T], b []T, opt Options[T]) *iteration[T] {
	fail := func(why string, args ...any) { panic(layout.ShapeError{What: where, Why: fmt.Sprintf(why, args...)}) }
	refuse := func(why string, args ...any) { panic(run.OptionError{What: where, Why: fmt.Sprintf(why, args...)}) }
	if a == nil {
		fail("there is no operator; want one, such as Sparse[float64](run.Options{}, a)")
	}
	rows, cols := a.Dims()
	if rows != cols || len(x) != rows || len(b) != rows {
		fail("x has %d elements, a is %d x %d, b has %d; want n, n x n, n", len(x), rows, cols, len(b))
	}
	if opt.Precondition != nil {
		if r, c := opt.Precondition.Dims(); r != rows || c != rows {
			fail("a is %d x %d, the preconditioner %d x %d; want the same", rows, rows, r, c)
		}
	}
	if vectors.Overlap(x, b) {
		fail("x shares memory with b; copy b first")
	}
	if !(opt.Relative >= 0) || !(opt.Absolute >= 0) {
		refuse("a tolerance of %g relative, %g absolute; want 0 or more", opt.Relative, opt.Absolute)
	}
	if opt.Steps < 0 || opt.Restart < 0 {
		refuse("%d steps, %d directions; want 0 or more", opt.Steps, opt.Restart)
	}
	if opt.Relative == 0 && opt.Absolute == 0 {
		opt.Relative = 0x1p-26
		if dtype.Of[T]() == dtype.F32 {
			opt.Relative = 0x1p-12
		}
	}
	if opt.Steps == 0 {
		opt.Steps = int(min(10*int64(rows), math.MaxInt32))
	}
	s := &iteration[T]{where: where, a: a, m: opt.Precondition, opt: opt, x: x, b: b, space: vectors.New[T](where, rows, opt.Threads),
		dot: vectors.Dot[T], dots: vectors.Dots[T], less: residualPass[T], before: math.Inf(1), halves: .5}
	s.space.X, s.space.Y = b, b
	bb, _ := s.space.Run(s.dot)
	s.norm = norm(bb, b)
	s.enough = max(opt.Relative*s.norm, opt.Absolute)
	if s.norm == 0 { // no residual but 0 is small next to it
		clear(x)
	}
	return s
}

// residualPass makes V = X - V and sums V*V.
func residualPass[T dtype.Float](a *vectors.Args[T], from, to int) (rr, none float64) {
	r := a.V[from:to]
	for i, b := range a.X[from:to] {
		r[i] = b - r[i]
		rr += float64(float64(r[i]) * float64(r[i]))
	}
	return rr, 0
}

// norm is the length of x, whose squares add up to xx. If these are too small or too
// large for a float64, they are added up once more, as parts of the largest.
func norm[T dtype.Float](xx float64, x []T) float64 {
	if xx > 0x1p-900 && !math.IsInf(xx, 0) {
		return math.Sqrt(xx)
	}
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(float64(v))) // NaN, too
	}
	if most == 0 || most-most != 0 {
		return most
	}
	xx = 0
	for _, v := range x {
		part := float64(v) / most
		xx += float64(part * part)
	}
	return most * math.Sqrt(xx)
}

// residual makes r = b - a*x and returns its norm.
func (s *iteration[T]) residual(r []T) float64 {
	s.a.Apply(r, s.x)
	s.space.V, s.space.X = r, s.b
	rr, _ := s.space.Run(s.less)
	s.result.Residual = norm(rr, r)
	s.result.Relative = 0
	if s.result.Residual > 0 {
		s.result.Relative = s.result.Residual / s.norm
	}
	return s.result.Residual
}

// again computes the residual and says whether there is more to do. A recurrence may say
// that it is small when it is not, and then starts again, as long as that helps. If the squares
// of a residual might leave the range of float64, r is that residual over a power of two,
// s.unit; what the recurrence adds to x it has to multiply by that. Otherwise the unit is 1.
func (s *iteration[T]) again(r []T) (more bool, err error) {
	norm := s.residual(r)
	switch {
	case norm-norm != 0:
		return false, s.fail(ErrBreakdown, "the residual is %g: a, b or x has Inf or NaN, or they overflow", norm)
	case norm <= s.enough:
		s.result.Converged = true
		return false, nil
	case s.result.Steps >= s.opt.Steps:
		return false, s.fail(ErrSteps, "the residual is %.3g, wanted %.3g", norm, s.enough)
	case norm > s.before*s.halves:
		return false, s.fail(ErrStagnates, "the residual is %.3g, wanted %.3g; it was %.3g before", norm, s.enough, s.before)
	}
	s.before, s.unit = norm, 1
	if norm < 0x1p-300 || norm > 0x1p300 {
		_, exponent := math.Frexp(norm)
		s.unit = math.Ldexp(1, max(exponent, -1000)) // its inverse is a number
		s.space.V, s.space.X, s.space.Alpha = r, r, T(1/s.unit)
		s.space.Run(scalePass[T])
	}
	if s.rounds++; s.rounds > 1 {
		s.result.Restarts++
	}
	return true, nil
}

// step counts one and says whether to go on with a recurrence whose residual is that many units.
func (s *iteration[T]) step(residual float64) (more bool, err error) {
	s.result.Steps++
	residual *= s.unit
	if s.opt.Watch != nil && !s.opt.Watch(s.result.Steps, residual) {
		return false, s.fail(ErrStopped, "the residual is about %.3g, wanted %.3g", residual, s.enough)
	}
	return residual > s.enough && s.result.Steps < s.opt.Steps, nil
}

// restart is called before again where a recurrence broke down: it begins again however small
// its progress was. Steps bound how often, as each begins with a step.
func (s *iteration[T]) restart() { s.before = math.Inf(1) }

func (s *iteration[T]) fail(kind error, what string, args ...any) error {
	return &Error{kind, s.where, s.result.Steps, fmt.Sprintf(what, args...)}
}

// end is how a solver ends that failed within a recurrence: with the residual of the x
// that there is.
func (s *iteration[T]) end(r []T, err error) (Result, error) {
	if norm := s.residual(r); norm <= s.enough && norm-norm == 0 {
		s.result.Converged = true
		if !errors.Is(err, ErrStopped) {
			err = nil
		}
	}
	return s.result, err
}
