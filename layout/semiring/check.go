package semiring

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Check tests the laws of the semiring on a few hundred numbers, special ones included.
// Zero must be neutral. Plus must be associative and commutative: to the bit if Laws says
// so, otherwise approximately. The instructions must give what the functions do. The error
// names a law and numbers that break it.
func (s Semiring[T]) Check() error {
	return (&checked{
		s.Name, s.Zero, boxed(s.Plus), boxed(s.Times), s.Laws,
		[2]Instruction{s.PlusBy, s.TimesBy}, [2]function{boxed(Instruct[T](s.PlusBy)), boxed(Instruct[T](s.TimesBy))},
	}).check()
}

// A function takes and returns values of one element type.
type function func(x, y any) any

func boxed[T dtype.Value](f func(x, y T) T) function {
	if f == nil {
		return nil
	}
	return func(x, y any) any { return f(x.(T), y.(T)) }
}

// checked is a semiring of any type, so that the check is compiled once.
type checked struct {
	name         string
	zero         any
	plus, times  function
	laws         Laws
	instructions [2]Instruction // of plus and times
	by           [2]function    // what these mean
}

func (s *checked) check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("semiring %s: %s", s.name, fmt.Sprintf(format, args...))
	}
	switch {
	case s.plus == nil || s.times == nil:
		return fail("Plus and Times have to be functions")
	case s.zero != s.zero:
		return fail("its Zero is NaN, which is neutral for nothing")
	}
	left, right := samples(s.zero, 0), samples(s.zero, 1)
	for k, f := range [2]function{s.plus, s.times} {
		i, by := s.instructions[k], s.by[k]
		if i == None {
			continue
		}
		if by == nil {
			return fail("%v", i.unknown())
		}
		for _, x := range left {
			for _, y := range right {
				if have, want := by(x, y), f(x, y); !same(have, want) {
					return fail("%s(%v, %v) is %v, by the instruction %s it is %v", [2]string{"Plus", "Times"}[k], x, y, want, i, have)
				}
			}
		}
	}
	equal := same
	if !s.laws.Exact {
		equal = about
	}
	swapped := same
	switch s.zero.(type) {
	case complex64, complex128:
		swapped = about // a machine may round one of the two products of a part with their sum
	}
	var products []any // what Plus is given
	for _, x := range left {
		for _, y := range right {
			xy := s.times(x, y)
			if s.laws.Commutative && !swapped(xy, s.times(y, x)) {
				return fail("Times is not commutative: of %v and %v it is %v, the other way round %v", x, y, xy, s.times(y, x))
			}
			if have := s.plus(s.zero, xy); !equal(have, xy) {
				return fail("Zero, which is %v, is not neutral: Plus of it and %v is %v", s.zero, xy, have)
			}
			products = append(products, xy)
		}
	}
	const step = 7 // of the products, so that the numbers below are small
	for i := 0; i < len(products); i += step {
		x, y, z := products[i], products[(i*5+3)%len(products)], products[(i*11+8)%len(products)]
		if have, want := s.plus(x, y), s.plus(y, x); !equal(have, want) {
			return fail("Plus is not commutative: of %v and %v it is %v, the other way round %v", x, y, have, want)
		}
		if !s.laws.Exact && !(finite(x) && finite(y) && finite(z)) {
			continue // what rounds may overflow on one way only
		}
		if have, want := s.plus(s.plus(x, y), z), s.plus(x, s.plus(y, z)); !equal(have, want) {
			if s.laws.Exact {
				return fail("Plus is not exact, as Laws say: (%v, %v), %v gives %v, and %[2]v, %[3]v first %[5]v", x, y, z, have, want)
			}
			return fail("Plus is not associative: (%v, %v), %v gives %v, and %[2]v, %[3]v first %[5]v", x, y, z, have, want)
		}
	}
	return nil
}

// Pads reports whether Zero may stand beyond the end of K, as in kernels for GPUs. For
// that, Times of Zero and itself has to be Zero again. For [MaxTimes] it is not.
func (s Semiring[T]) Pads() bool {
	return s.Times != nil && s.Times(s.Zero, s.Zero) == s.Zero
}

// samples returns numbers of a type that are special and some that are not; salt changes
// the latter.
func samples(zero any, salt int) (list []any) {
	special := []float64{0, 1, 2, 3, 100}
	switch zero.(type) {
	case float32, float64:
		special = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()}
	case complex64, complex128, int8, int16, int32, int64:
		special = append(special, -1)
	}
	for _, x := range special {
		list = append(list, of64(zero, x, 0))
	}
	state := uint32(salt)*2654435761 + 12345
	for range 24 {
		state = state*1664525 + 1013904223
		x := float64(int32(state)) / (1 << 28) // below 8
		list = append(list, of64(zero, x, x*x-1))
	}
	return list
}

// of64 returns a number of zero's type: an unsigned one without its sign, a real one without im.
func of64(zero any, x, im float64) any {
	switch zero.(type) {
	case float32:
		return float32(x)
	case complex64:
		return complex64(complex(x, im))
	case complex128:
		return complex(x, im)
	case int8:
		return int8(x)
	case int16:
		return int16(x)
	case int32:
		return int32(x)
	case int64:
		return int64(x)
	case uint8:
		return uint8(math.Abs(x))
	case uint16:
		return uint16(math.Abs(x))
	case uint32:
		return uint32(math.Abs(x))
	case uint64:
		return uint64(math.Abs(x))
	}
	return x
}

// same reports whether x and y are the same bits, or both NaN.
func same(x, y any) bool {
	if x != y {
		return x != x && y != y
	}
	switch x := x.(type) {
	case float32:
		return math.Signbit(float64(x)) == math.Signbit(float64(y.(float32)))
	case float64:
		return math.Signbit(x) == math.Signbit(y.(float64))
	}
	return true
}

// about reports whether x and y are the same up to rounding. It asks for very
// little, since the numbers may have cancelled. It has to find an operation like x - y,
// which is something else altogether. Integers are not rounded: what differs is not about
// the same.
func about(x, y any) bool {
	if same(x, y) || x == y {
		return true
	}
	var d, most float64
	switch x := x.(type) {
	case float32:
		y := y.(float32)
		d, most = math.Abs(float64(x-y)), max(math.Abs(float64(x)), math.Abs(float64(y)))
	case float64:
		y := y.(float64)
		d, most = math.Abs(x-y), max(math.Abs(x), math.Abs(y))
	case complex64:
		y := y.(complex64)
		d, most = cmplx.Abs(complex128(x-y)), max(cmplx.Abs(complex128(x)), cmplx.Abs(complex128(y)))
	case complex128:
		y := y.(complex128)
		d, most = cmplx.Abs(x-y), max(cmplx.Abs(x), cmplx.Abs(y))
	default:
		return false
	}
	return d <= 1e-3 || d <= 1e-3*most
}

func finite(x any) bool {
	switch x := x.(type) {
	case float32:
		return x-x == 0
	case float64:
		return x-x == 0
	case complex64:
		return x-x == 0
	case complex128:
		return x-x == 0
	}
	return true
}
