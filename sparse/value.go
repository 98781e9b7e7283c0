package sparse

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// kind is what operators do not say of all types of values at once: their order, their size and
// how numbers become one of them. Whoever needs it asks once a call.
type kind[T dtype.Value] struct {
	complex     bool
	integer     bool
	least, most T                                               // of complex ones by the order of their real parts
	less        func(x, y T) bool                               // no NaN is less, and nothing is less than NaN
	abs         func(x T) float64                               // the magnitude
	number      func(x T) complex128                            // the nearest
	whole       func(x T) (negative bool, size uint64, ok bool) // false unless it is an integer that 64 bits and a sign hold
	ofNumber    func(x complex128) (T, bool)                    // false if the value is not a number of the type; floats round
	ofWhole     func(negative bool, size uint64) (T, bool)
}

// realValue is the types of values that have an order.
type realValue interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// kindOf returns what T is.
func kindOf[T dtype.Value]() kind[T] { return *kindOfType((*T)(nil)).(*kind[T]) }

// kindOfType returns a pointer to the kind of what a nil pointer points to. It is compiled
// once: in a generic function all twelve kinds would be compiled for each type.
func kindOfType(pointer any) any {
	inf := math.Inf(1)
	switch pointer.(type) {
	case *float32:
		return new(floatKind(float32(inf)))
	case *float64:
		return new(floatKind(inf))
	case *complex64:
		return new(complexKind(complex64(complex(inf, 0))))
	case *complex128:
		return new(complexKind(complex(inf, 0)))
	case *int8:
		return new(intKind[int8](math.MinInt8, math.MaxInt8))
	case *int16:
		return new(intKind[int16](math.MinInt16, math.MaxInt16))
	case *int32:
		return new(intKind[int32](math.MinInt32, math.MaxInt32))
	case *int64:
		return new(intKind[int64](math.MinInt64, math.MaxInt64))
	case *uint8:
		return new(intKind[uint8](0, math.MaxUint8))
	case *uint16:
		return new(intKind[uint16](0, math.MaxUint16))
	case *uint32:
		return new(intKind[uint32](0, math.MaxUint32))
	case *uint64:
		return new(intKind[uint64](0, math.MaxUint64))
	}
	return nil // unreachable: Value is closed
}

func realKind[T realValue](least, most T) kind[T] {
	return kind[T]{least: least, most: most,
		less:   func(x, y T) bool { return x < y },
		abs:    func(x T) float64 { return math.Abs(float64(x)) },
		number: func(x T) complex128 { return complex(float64(x), 0) }}
}

func floatKind[T float32 | float64](inf T) kind[T] {
	k := realKind(-inf, inf)
	k.whole = func(x T) (bool, uint64, bool) { return wholeOf(float64(x)) }
	k.ofNumber = func(x complex128) (T, bool) { return T(real(x)), imag(x) == 0 }
	k.ofWhole = func(negative bool, size uint64) (T, bool) {
		if negative {
			return -T(size), true
		}
		return T(size), true
	}
	return k
}

func intKind[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](least, most T) kind[T] {
	k := realKind(least, most)
	k.integer = true
	k.whole = func(x T) (bool, uint64, bool) {
		if x < 0 {
			return true, -uint64(x), true
		}
		return false, uint64(x), true
	}
	k.ofWhole = func(negative bool, size uint64) (T, bool) {
		if x := -int64(size); negative && size > 0 {
			return T(x), size <= 1<<63 && least < 0 && int64(T(x)) == x
		}
		x := T(size)
		return x, x >= 0 && uint64(x) == size
	}
	k.ofNumber = func(x complex128) (T, bool) {
		if negative, size, ok := wholeOf(real(x)); ok && imag(x) == 0 {
			return k.ofWhole(negative, size)
		}
		return 0, false
	}
	return k
}

func complexKind[T complex64 | complex128](inf T) kind[T] {
	return kind[T]{complex: true, least: -inf, most: inf,
		less: func(x, y T) bool {
			a, b := complex128(x), complex128(y)
			return real(a) < real(b) || real(a) == real(b) && imag(a) < imag(b)
		},
		abs:    func(x T) float64 { return math.Hypot(real(complex128(x)), imag(complex128(x))) },
		number: func(x T) complex128 { return complex128(x) },
		whole: func(x T) (bool, uint64, bool) {
			negative, size, ok := wholeOf(real(complex128(x)))
			return negative, size, ok && imag(complex128(x)) == 0
		},
		ofNumber: func(x complex128) (T, bool) { return T(x), true },
		ofWhole: func(negative bool, size uint64) (T, bool) {
			if negative {
				return T(complex(-float64(size), 0)), true
			}
			return T(complex(float64(size), 0)), true
		}}
}

// wholeOf returns x as an integer, false if it is none below 2^64 in size.
func wholeOf(x float64) (negative bool, size uint64, ok bool) {
	if x != math.Trunc(x) || math.Abs(x) >= 1<<64 {
		return false, 0, false
	}
	return x < 0, uint64(math.Abs(x)), true
}

// refuseValue says that a number is none of T.
func refuseValue[T dtype.Value](where string, i, j int, x any) error {
	return fail(ErrValue, where, "", "entry (%d, %d) is %v, which %s cannot hold", i, j, x, dtype.Name[T]())
}

// Convert returns m with values of another type. Floats round, as a conversion does, and
// become infinite if they are too large. It is an error, [ErrValue], if the other type cannot
// hold a value: fractions and large numbers in integers, imaginary parts in real numbers.
func Convert[To, From dtype.Value](m Matrix[From]) (Matrix[To], error) {
	from, to := kindOf[From](), kindOf[To]()
	c := Matrix[To]{m.csr, make([]To, m.NNZ())}
	if same, ok := any(m.values).([]To); ok {
		c.values = same
		return c, nil
	}
	for e, v := range m.All() {
		w, ok := To(0), false
		if negative, size, whole := from.whole(v); whole && (from.integer || to.integer) {
			w, ok = to.ofWhole(negative, size)
		} else {
			w, ok = to.ofNumber(from.number(v))
		}
		if !ok {
			return Matrix[To]{}, refuseValue[To]("sparse.Convert", e.I, e.J, fmt.Sprint(v))
		}
		c.values[e.K] = w
	}
	return c, nil
}
