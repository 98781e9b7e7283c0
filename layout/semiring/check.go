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
	fail := func(format string, args ...any) error {
		return fmt.Errorf("semiring %s: %s", s.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case s.Plus == nil || s.Times == nil:
		return fail("Plus and Times have to be functions")
	case s.Zero != s.Zero:
		return fail("its Zero is NaN, which is neutral for nothing")
	}
	for _, i := range []struct {
		name string
		by   Instruction
		f    func(x, y T) T
	}{{"Plus", s.PlusBy, s.Plus}, {"Times", s.TimesBy, s.Times}} {
		if i.by == None {
			continue
		}
		by := Instruct[T](i.by)
		if by == nil {
			return fail("%v", i.by.unknown())
		}
		for x := range samples[T](0) {
			for y := range samples[T](1) {
				if have, want := by(x, y), i.f(x, y); !same(have, want) {
					return fail("%s(%v, %v) is %v, by the instruction %s it is %v", i.name, x, y, want, i.by, have)
				}
			}
		}
	}
	equal := func(x, y T) bool { return same(x, y) }
	if !s.Laws.Exact {
		equal = about[T]
	}
	swapped := func(x, y T) bool { return same(x, y) }
	switch any(s.Zero).(type) {
	case complex64, complex128:
		swapped = about[T] // a machine may round one of the two products of a part with their sum
	}
	var products []T // what Plus is given
	for x := range samples[T](0) {
		for y := range samples[T](1) {
			xy := s.Times(x, y)
			if s.Laws.Commutative && !swapped(xy, s.Times(y, x)) {
				return fail("Times is not commutative: of %v and %v it is %v, the other way round %v", x, y, xy, s.Times(y, x))
			}
			if have := s.Plus(s.Zero, xy); !equal(have, xy) {
				return fail("Zero, which is %v, is not neutral: Plus of it and %v is %v", s.Zero, xy, have)
			}
			products = append(products, xy)
		}
	}
	const step = 7 // of the products, so that the numbers below are small
	for i := 0; i < len(products); i += step {
		x, y, z := products[i], products[(i*5+3)%len(products)], products[(i*11+8)%len(products)]
		if have, want := s.Plus(x, y), s.Plus(y, x); !equal(have, want) {
			return fail("Plus is not commutative: of %v and %v it is %v, the other way round %v", x, y, have, want)
		}
		if !s.Laws.Exact && !(finite(x) && finite(y) && finite(z)) {
			continue // what rounds may overflow on one way only
		}
		if have, want := s.Plus(s.Plus(x, y), z), s.Plus(x, s.Plus(y, z)); !equal(have, want) {
			if s.Laws.Exact {
				return fail("Plus is not exact, as Laws say: (%v, %v), %v gives %v, and %[2]v, %[3]v first %[5]v", x, y, z, have, want)
			}
			return fail("Plus is not associative: (%v, %v), %v gives %v, and %[2]v, %[3]v first %[5]v", x, y, z, have, want)
		}
	}
	return nil
}

// Pads reports whether Zero may stand beyond the end of K, as kernels on GPUs have it:
// Times of it and itself has to be Zero again. Of [MaxTimes] it is not.
func (s Semiring[T]) Pads() bool {
	return s.Times != nil && s.Times(s.Zero, s.Zero) == s.Zero
}

// samples yields numbers that are special and some that are not; salt changes the
// latter.
func samples[T dtype.Value](salt int) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		special := []float64{0, 1, 2, 3, 100}
		switch any(*new(T)).(type) {
		case float32, float64:
			special = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()}
		case complex64, complex128, int8, int16, int32, int64:
			special = append(special, -1)
		}
		for _, x := range special {
			if !yield(of64[T](x, 0)) {
				return
			}
		}
		state := uint32(salt)*2654435761 + 12345
		for range 24 {
			state = state*1664525 + 1013904223
			x := float64(int32(state)) / (1 << 28) // below 8
			if !yield(of64[T](x, x*x-1)) {
				return
			}
		}
	}
}

// of64 returns a number as T: an unsigned one without its sign, a real one without im.
func of64[T dtype.Value](x, im float64) T {
	var v any
	switch any(*new(T)).(type) {
	case float32:
		v = float32(x)
	case float64:
		v = x
	case complex64:
		v = complex64(complex(x, im))
	case complex128:
		v = complex(x, im)
	case int8:
		v = int8(x)
	case int16:
		v = int16(x)
	case int32:
		v = int32(x)
	case int64:
		v = int64(x)
	case uint8:
		v = uint8(math.Abs(x))
	case uint16:
		v = uint16(math.Abs(x))
	case uint32:
		v = uint32(math.Abs(x))
	case uint64:
		v = uint64(math.Abs(x))
	}
	return v.(T)
}

// same reports whether x and y are the same bits, or both NaN.
func same[T dtype.Value](x, y T) bool {
	if x != y {
		return x != x && y != y
	}
	switch x := any(x).(type) {
	case float32:
		return math.Signbit(float64(x)) == math.Signbit(float64(any(y).(float32)))
	case float64:
		return math.Signbit(x) == math.Signbit(any(y).(float64))
	}
	return true
}

// about reports whether x and y are the same up to rounding. It asks for very
// little, since the numbers may have cancelled: what it is to find is an operation
// like x - y, which is something else altogether.
func about[T dtype.Value](x, y T) bool {
	if same(x, y) || x == y {
		return true
	}
	d := size(x - y)
	return d <= 1e-3 || d <= 1e-3*max(size(x), size(y))
}

// size is the magnitude of x if it is rounded. Integers are not: what differs is not about the same.
func size[T dtype.Value](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return math.Abs(float64(x))
	case float64:
		return math.Abs(x)
	case complex64:
		return cmplx.Abs(complex128(x))
	case complex128:
		return cmplx.Abs(x)
	}
	return math.NaN()
}

func finite[T dtype.Value](x T) bool { return x-x == 0 }
