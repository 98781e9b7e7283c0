package kernel

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Scaling is the factors of out = alpha*a*b + beta*out. The zero Scaling is 1 and 0, the
// product as it is; [Scale] and [ScaleComplex] make all others.
type Scaling struct {
	alpha uint64 // bits of a float64, those of 1 flipped
	beta  uint64 // bits
	turns [2]uint64
}

// oneBits are the bits of 1.
const oneBits = 0x3ff0_0000_0000_0000

// Scale makes a call compute alpha*a*b + beta*out. Scale(1, 0) is the zero Scaling.
func Scale(alpha, beta float64) Scaling {
	return Scaling{alpha: math.Float64bits(alpha) ^ oneBits, beta: math.Float64bits(beta)}
}

// ScaleComplex is [Scale] for products of complex numbers. A factor without an imaginary part
// scales both parts of a number, also those that are infinite.
func ScaleComplex(alpha, beta complex128) Scaling {
	s := Scale(real(alpha), real(beta))
	for i, f := range [2]float64{imag(alpha), imag(beta)} {
		if f != 0 {
			s.turns[i] = math.Float64bits(f)
		}
	}
	return s
}

// Adding returns s with a beta of 1, for a product that is added to another one.
func (s Scaling) Adding() Scaling {
	s.beta, s.turns[1] = oneBits, 0
	return s
}

// On reports whether the factors are others than 1 and 0.
func (s *Scaling) On() bool { return s.alpha|s.beta|s.turns[0]|s.turns[1] != 0 }

// Turns reports whether a factor has an imaginary part.
func (s *Scaling) Turns() bool { return s.turns[0]|s.turns[1] != 0 }

// Factors returns alpha and beta. It panics if one has an imaginary part: that belongs to
// products of complex numbers, which ask for [Scaling.Complex].
func (s *Scaling) Factors() (alpha, beta float64) {
	if s.Turns() {
		panic("kernel: " + s.String() + " scales a product of real numbers; want factors without imaginary parts")
	}
	return math.Float64frombits(s.alpha ^ oneBits), math.Float64frombits(s.beta)
}

// Complex returns alpha and beta as complex numbers.
func (s *Scaling) Complex() (alpha, beta complex128) {
	return complex(math.Float64frombits(s.alpha^oneBits), math.Float64frombits(s.turns[0])),
		complex(math.Float64frombits(s.beta), math.Float64frombits(s.turns[1]))
}

// String returns s as [Scale] or [ScaleComplex] makes it.
func (s Scaling) String() string {
	alpha, beta := s.Complex()
	if s.Turns() {
		return fmt.Sprintf("ScaleComplex(%v, %v)", alpha, beta)
	}
	return fmt.Sprintf("Scale(%v, %v)", real(alpha), real(beta))
}

// FactorsOf returns the factors of a product that sums in type T, rounded to it, and the
// cheapest mode that does for them.
func FactorsOf[T dtype.AnySum](s *Scaling) (alpha, beta T, mode int64) {
	switch a := any(&alpha).(type) {
	case *float32:
		x, y := s.Factors()
		*a, *any(&beta).(*float32) = float32(x), float32(y)
	case *float64:
		*a, *any(&beta).(*float64) = s.Factors()
	case *int32:
		x, y := s.Factors()
		*a, *any(&beta).(*int32) = int32(x), int32(y)
	case *complex64:
		x, y := s.Complex()
		*a, *any(&beta).(*complex64) = complex64(x), complex64(y)
	case *complex128:
		*a, *any(&beta).(*complex128) = s.Complex()
	}
	return alpha, beta, ModeOf(alpha, beta)
}

// ModeOf returns the cheapest mode that does for these factors.
func ModeOf[T dtype.AnySum](alpha, beta T) int64 {
	switch {
	case beta != 0:
		return ModeUpdate
	case alpha != 1:
		return ModeScale
	}
	return ModeStore
}
