package rand

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/philox"
)

// Float is the type of the numbers that are drawn.
type Float interface {
	float32 | float64
}

// Uniform sets out[k] to number first+k of a sequence that is uniform in [low, high). The
// numbers are multiples of 2^-24 (float32) or 2^-53 (float64) of the way from low to high.
// Rounding may give high itself. In one stream the float32 numbers between 0 and 1 are
// those of float64, truncated. It takes two words for a number, as [Stream.Uint64] does.
func Uniform[T Float](s Stream, first uint64, out []T, low, high T) {
	bits := digits[T]()
	step := T(1) / T(uint64(1)<<bits)
	s.each(first, len(out), 2, func(k int, b [4]uint32, at uint64) {
		out[k] = low + T((high-low)*(T(join(b, at)>>(64-bits))*step)) // rounded twice everywhere, never fused
	})
}

// Normal sets out[k] to number first+k of a normal sequence with a mean and a standard
// deviation. Numbers 2*i and 2*i+1 come from block i, computed in float64 and then rounded.
// None is further than 8.6 deviations from the mean. (Box and Muller, "A note on the
// generation of random normal deviates", 1958.)
func Normal[T Float](s Stream, first uint64, out []T, mean, deviation T) {
	s.each(first, len(out), 2, func(k int, b [4]uint32, at uint64) {
		// In (0, 1], whose logarithm is finite; and an angle, as a part of the circle.
		u, turn := float64(join(b, 0)>>11+1)*0x1p-53, float64(join(b, 1)>>11)*0x1p-53
		sin, cos := math.Sincos(2 * math.Pi * turn)
		if at == 1 {
			cos = sin
		}
		out[k] = mean + T(deviation*T(math.Sqrt(-2*math.Log(u))*cos))
	})
}

// Dropout sets out[k] to number first+k of a mask: 0 with probability p, and otherwise
// 1/(1-p). A number times the mask therefore keeps its expectation. Srivastava and
// others, "Dropout: a simple way to prevent neural networks from overfitting", 2014. It
// takes a word for a number; p is rounded to a multiple of 2^-32.
//
// It panics unless 0 <= p < 1.
func Dropout[T Float](s Stream, first uint64, out []T, p float64) {
	for k := range out {
		out[k] = 1
	}
	drop("rand.Dropout", s, first, out, out, p)
}

// Drop sets out[k] to x[k] times number first+k of the mask that [Dropout] makes of s and p. The mask is
// never stored in memory. out may be x. Package cpu does the same by vector instructions and several
// goroutines.
//
// It panics unless 0 <= p < 1 and out is as long as x.
func Drop[T Float](s Stream, first uint64, out, x []T, p float64) {
	drop("rand.Drop", s, first, out, x, p)
}

func drop[T Float](what string, s Stream, first uint64, out, x []T, p float64) {
	limit, scale := Threshold(what, p)
	if len(out) != len(x) {
		panic(fmt.Sprintf("%s: out has %d numbers, x has %d; want as many", what, len(out), len(x)))
	}
	mask := [2]T{T(scale), 0}
	of := func(word uint32) T { return mask[(uint64(word)-limit)>>63] } // without a branch nobody can predict
	for len(out) > 0 && first%4 != 0 {
		out[0] = x[0] * of(s.Uint32(first))
		first, out, x = first+1, out[1:], x[1:]
	}
	for ; len(out) >= 4 && len(x) >= 4; first, out, x = first+4, out[4:], x[4:] {
		n := first / 4
		w0, w1, w2, w3 := philox.Words(uint32(n), uint32(n>>32), uint32(s.Number), uint32(s.Number>>32), uint32(s.Seed), uint32(s.Seed>>32))
		out[0], out[1], out[2], out[3] = x[0]*of(w0), x[1]*of(w1), x[2]*of(w2), x[3]*of(w3)
	}
	for k := range out {
		out[k] = x[k] * of(s.Uint32(first+uint64(k)))
	}
}

// Threshold returns what makes a mask of dropout with probability p. A word below limit, which may be 1<<32,
// drops a number; other numbers are multiplied by scale. It panics with what in front unless 0 <= p < 1.
func Threshold(what string, p float64) (limit uint64, scale float64) {
	if !(p >= 0 && p < 1) {
		panic(fmt.Sprintf("%s: p is %v, want 0 <= p < 1", what, p))
	}
	return uint64(math.RoundToEven(p * 0x1p32)), 1 / (1 - p)
}

// digits returns the bits of a number's significand.
func digits[T Float]() uint {
	if _, narrow := any(T(0)).(float32); narrow {
		return 24
	}
	return 53
}
