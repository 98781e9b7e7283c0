package kernel

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Scaling is the factors of out = alpha*a*b + beta*out. The zero Scaling is 1 and 0, the
// product as it is; [Scale] makes all others.
type Scaling struct {
	alpha uint64 // bits of a float64, those of 1 flipped
	beta  uint64 // bits
}

// oneBits are the bits of 1.
const oneBits = 0x3ff0_0000_0000_0000

// Scale makes a call compute alpha*a*b + beta*out. Scale(1, 0) is the zero Scaling.
func Scale(alpha, beta float64) Scaling {
	return Scaling{math.Float64bits(alpha) ^ oneBits, math.Float64bits(beta)}
}

// On reports whether the factors are others than 1 and 0.
func (s *Scaling) On() bool { return s.alpha|s.beta != 0 }

// Factors returns alpha and beta.
func (s *Scaling) Factors() (alpha, beta float64) {
	return math.Float64frombits(s.alpha ^ oneBits), math.Float64frombits(s.beta)
}

// String returns s as [Scale] makes it.
func (s Scaling) String() string {
	alpha, beta := s.Factors()
	return fmt.Sprintf("Scale(%v, %v)", alpha, beta)
}

// FactorsOf returns the factors of a product that sums in type T, rounded to it, and the
// cheapest mode that does for them.
func FactorsOf[T dtype.Float](s *Scaling) (alpha, beta T, mode int64) {
	x, y := s.Factors()
	alpha, beta = T(x), T(y)
	return alpha, beta, ModeOf(alpha, beta)
}

// ModeOf returns the cheapest mode that does for these factors.
func ModeOf[T dtype.Float](alpha, beta T) int64 {
	switch {
	case beta != 0:
		return ModeUpdate
	case alpha != 1:
		return ModeScale
	}
	return ModeStore
}
