package emu

import (
	"math"
	"math/big"
)

// A rounding is how a result that does not fit is chosen.
type rounding uint8

const (
	roundNear rounding = iota // ties to even
	roundZero
	roundDown
	roundUp
	roundAway // ties away from zero
)

var roundings = map[string]rounding{
	"": roundNear, ".rn": roundNear, ".rz": roundZero, ".rm": roundDown, ".rp": roundUp, ".rna": roundAway,
	".rni": roundNear, ".rzi": roundZero, ".rmi": roundDown, ".rpi": roundUp,
}

// nan32 is the NaN that single precision results have; payloads are not kept.
const nan32 = 0x7fffffff

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

// bits32 is the bits of a result.
func bits32(v float32) uint64 {
	if v != v {
		return nan32
	}
	return uint64(math.Float32bits(v))
}

// odd takes r, the nearest double of a number, and the sign of below: the number is
// less than r (below < 0) or greater. It returns the one of r and its neighbour on that
// side that has an odd last bit. A number that is rounded to odd can be rounded again
// without error (Boldo, Melquiond).
func odd(r, below float64) float64 {
	b := math.Float64bits(r)
	if below == 0 || b&1 != 0 || math.IsInf(r, 0) || below != below {
		return r
	}
	if below > 0 == (r > 0) && r != 0 {
		return math.Float64frombits(b + 1)
	}
	if r == 0 {
		return math.Copysign(math.SmallestNonzeroFloat64, below)
	}
	return math.Float64frombits(b - 1)
}

// addOdd returns a+b rounded to odd (Knuth's TwoSum).
func addOdd(a, b float64) float64 {
	s := a + b
	t := s - a
	return odd(s, (a-(s-t))+(b-t))
}

// narrow rounds v, exact or rounded to odd, to single precision.
func narrow(v float64, mode rounding) float32 {
	f := float32(v)
	if mode == roundNear || v != v || float64(f) == v {
		return f
	}
	up, down := float32(math.Inf(1)), float32(math.Inf(-1))
	switch above := float64(f) > v; {
	case mode == roundUp && !above:
		return math.Nextafter32(f, up)
	case mode == roundDown && above:
		return math.Nextafter32(f, down)
	case mode == roundZero && above && v > 0, mode == roundZero && !above && v < 0:
		return math.Nextafter32(f, 0)
	}
	return f
}

// fma32 returns a*b+c rounded once.
func fma32(a, b, c float32, mode rounding) float32 {
	p := float64(a) * float64(b) // exact
	s := p + float64(c)
	if mode == roundNear && math.Float64bits(s)&0x1fffffff != 0x10000000 && math.Abs(s) >= 0x1p-126 {
		return float32(s) // no tie, so rounding twice does no harm
	}
	if s == 0 || s-s != 0 {
		return zeroSum(s, p, float64(c), mode)
	}
	return narrow(addOdd(p, float64(c)), mode)
}

// zeroSum gives a sum that is 0 its sign, which depends on the rounding.
func zeroSum(s, a, b float64, mode rounding) float32 {
	if s == 0 && mode == roundDown && (math.Signbit(a) || math.Signbit(b)) {
		return float32(math.Copysign(0, -1))
	}
	return float32(s)
}

func add32(a, b float32, mode rounding) float32 {
	if mode == roundNear {
		return a + b
	}
	s := float64(a) + float64(b)
	if s == 0 || s-s != 0 {
		return zeroSum(s, float64(a), float64(b), mode)
	}
	return narrow(addOdd(float64(a), float64(b)), mode)
}

func mul32(a, b float32, mode rounding) float32 { return narrow(float64(a)*float64(b), mode) }

func div32(a, b float32, mode rounding) float32 {
	if mode == roundNear {
		return a / b
	}
	x, y := float64(a), float64(b)
	q := x / y
	if q-q != 0 || q == 0 || math.IsInf(y, 0) {
		return float32(q)
	}
	return narrow(odd(q, math.FMA(-q, y, x)*math.Copysign(1, y)), mode)
}

func sqrt32(a float32, mode rounding) float32 {
	q := math.Sqrt(float64(a))
	if mode == roundNear || q-q != 0 || q == 0 {
		return float32(q) // 53 bits are more than 2*24+2
	}
	return narrow(odd(q, math.FMA(-q, q, float64(a))), mode)
}

// directed64 rounds r, the nearest double of the exact number x, as mode says.
func directed64(x *big.Float, mode rounding) float64 {
	r, acc := x.Float64()
	switch {
	case acc == big.Exact || mode == roundNear:
	case mode == roundUp && acc == big.Below, mode == roundZero && acc == big.Below && x.Sign() < 0:
		r = math.Nextafter(r, math.Inf(1))
	case mode == roundDown && acc == big.Above, mode == roundZero && acc == big.Above && x.Sign() > 0:
		r = math.Nextafter(r, math.Inf(-1))
	}
	return r
}

func bigFloat(v float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(v) }

func finite(v ...float64) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

func fma64(a, b, c float64, mode rounding) float64 {
	r := math.FMA(a, b, c)
	if mode == roundNear || !finite(a, b, c) {
		return r
	}
	p := bigFloat(a)
	p.Mul(p, bigFloat(b))
	p.Add(p, bigFloat(c))
	if p.Sign() == 0 {
		if mode == roundDown && (math.Signbit(a) != math.Signbit(b) || math.Signbit(c)) {
			return math.Copysign(0, -1)
		}
		return r
	}
	return directed64(p, mode)
}

func add64(a, b float64, mode rounding) float64 { return fma64(a, 1, b, mode) }

func mul64(a, b float64, mode rounding) float64 {
	if mode == roundNear || !finite(a, b) || a == 0 || b == 0 {
		return a * b
	}
	p := bigFloat(a)
	return directed64(p.Mul(p, bigFloat(b)), mode)
}

func div64(a, b float64, mode rounding) float64 {
	if mode == roundNear || !finite(a, b) || a == 0 || b == 0 {
		return a / b
	}
	p := bigFloat(a)
	return directed64(p.Quo(p, bigFloat(b)), mode)
}

func sqrt64(a float64, mode rounding) float64 {
	if mode == roundNear || !finite(a) || a <= 0 {
		return math.Sqrt(a)
	}
	p := bigFloat(a)
	return directed64(p.Sqrt(p), mode)
}

// flush32 makes a subnormal zero, for .ftz.
func flush32(v float32) float32 {
	if a := math.Float32bits(v); a&0x7f800000 == 0 {
		return math.Float32frombits(a & 0x80000000)
	}
	return v
}

// saturate32 clamps to [0, 1]; NaN becomes 0.
func saturate32(v float32) float32 {
	switch {
	case v > 1:
		return 1
	case v > 0:
		return v
	}
	return 0
}

// integer rounds v to an integer.
func (r rounding) integer(v float64) float64 {
	switch r {
	case roundZero:
		return math.Trunc(v)
	case roundDown:
		return math.Floor(v)
	case roundUp:
		return math.Ceil(v)
	}
	return math.RoundToEven(v)
}

// toInt rounds v to an integer and clamps it to bits bits (ISA 9.7.9.22, cvt).
// nan is what NaN becomes.
func toInt(v float64, mode rounding, bits int, signed bool, nan uint64) uint64 {
	if v != v {
		return nan
	}
	v = mode.integer(v)
	mask := maskOf(bits / 8)
	if signed {
		limit := math.Ldexp(1, bits-1)
		switch {
		case v >= limit:
			return mask >> 1
		case v < -limit:
			return mask>>1 + 1
		}
		return uint64(int64(v)) & mask
	}
	switch {
	case v >= math.Ldexp(1, bits):
		return mask
	case v <= 0:
		return 0
	}
	return uint64(v) & mask
}

// less compares two numbers of an integer type.
func (t typ) less(x, y uint64) bool {
	if t.signed() {
		return signExtend(x, t.size) < signExtend(y, t.size)
	}
	return x < y
}

// signExtend reads the low size bytes of x as a signed integer.
func signExtend(x uint64, size int) int64 {
	n := 64 - 8*size
	return int64(x<<n) >> n
}
