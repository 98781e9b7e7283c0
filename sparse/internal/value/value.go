// Package value says of types of values what operators do not say of all at once.
package value

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Kind is what operators do not say of all types of values at once: their order, their size and
// how numbers become one of them. Whoever needs it asks once a call.
type Kind[T dtype.Value] struct {
	Complex     bool
	Integer     bool
	Least, Most T                                               // of complex ones by the order of their real parts
	Less        func(x, y T) bool                               // no NaN is less, and nothing is less than NaN
	Abs         func(x T) float64                               // the magnitude
	Number      func(x T) complex128                            // the nearest
	Whole       func(x T) (negative bool, size uint64, ok bool) // false unless it is an integer that 64 bits and a sign hold
	OfNumber    func(x complex128) (T, bool)                    // false if the value is not a number of the type; floats round
	OfWhole     func(negative bool, size uint64) (T, bool)
}

// realValue is the types of values that have an order.
type realValue interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Of returns what T is.
func Of[T dtype.Value]() *Kind[T] { return kindOfType((*T)(nil)).(*Kind[T]) }

// kindOfType returns a pointer to the Kind of what a nil pointer points to. It is compiled
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

func realKind[T realValue](least, most T) Kind[T] {
	return Kind[T]{Least: least, Most: most,
		Less:   func(x, y T) bool { return x < y },
		Abs:    func(x T) float64 { return math.Abs(float64(x)) },
		Number: func(x T) complex128 { return complex(float64(x), 0) }}
}

func floatKind[T float32 | float64](inf T) Kind[T] {
	k := realKind(-inf, inf)
	k.Whole = func(x T) (bool, uint64, bool) { return wholeOf(float64(x)) }
	k.OfNumber = func(x complex128) (T, bool) { return T(real(x)), imag(x) == 0 }
	k.OfWhole = func(negative bool, size uint64) (T, bool) {
		if negative {
			return -T(size), true
		}
		return T(size), true
	}
	return k
}

func intKind[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](least, most T) Kind[T] {
	k := realKind(least, most)
	k.Integer = true
	k.Whole = func(x T) (bool, uint64, bool) {
		if x < 0 {
			return true, -uint64(x), true
		}
		return false, uint64(x), true
	}
	k.OfWhole = func(negative bool, size uint64) (T, bool) {
		if x := -int64(size); negative && size > 0 {
			return T(x), size <= 1<<63 && least < 0 && int64(T(x)) == x
		}
		x := T(size)
		return x, x >= 0 && uint64(x) == size
	}
	k.OfNumber = func(x complex128) (T, bool) {
		if negative, size, ok := wholeOf(real(x)); ok && imag(x) == 0 {
			return k.OfWhole(negative, size)
		}
		return 0, false
	}
	return k
}

func complexKind[T complex64 | complex128](inf T) Kind[T] {
	return Kind[T]{Complex: true, Least: -inf, Most: inf,
		Less: func(x, y T) bool {
			a, b := complex128(x), complex128(y)
			return real(a) < real(b) || real(a) == real(b) && imag(a) < imag(b)
		},
		Abs:    func(x T) float64 { return math.Hypot(real(complex128(x)), imag(complex128(x))) },
		Number: func(x T) complex128 { return complex128(x) },
		Whole: func(x T) (bool, uint64, bool) {
			negative, size, ok := wholeOf(real(complex128(x)))
			return negative, size, ok && imag(complex128(x)) == 0
		},
		OfNumber: func(x complex128) (T, bool) { return T(x), true },
		OfWhole: func(negative bool, size uint64) (T, bool) {
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

// Whole is an integer that prints itself.
type Whole struct {
	Negative bool
	Size     uint64
}

// String returns the number in decimal.
func (w Whole) String() string {
	if w.Negative {
		return fmt.Sprint("-", w.Size)
	}
	return fmt.Sprint(w.Size)
}
