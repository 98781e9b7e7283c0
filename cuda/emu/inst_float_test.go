package emu

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

func wideFloat(v float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(v) }

// rounded is what a correctly rounded operation gives: f exactly, or what plain
// double arithmetic says where an operand is not finite or the result is 0.
func rounded(size int, mode big.RoundingMode, x []uint64, f func(v []*big.Float) *big.Float, plain func(v []float64) float64) uint64 {
	var v []float64
	for _, b := range x {
		if size == 4 {
			v = append(v, float64(f32(b)))
		} else {
			v = append(v, f64(b))
		}
	}
	bitsOf := func(v float64) uint64 {
		if size == 8 {
			return math.Float64bits(v)
		}
		if v != v {
			return nan32
		}
		return uint64(math.Float32bits(float32(v)))
	}
	p := plain(v)
	if p != p || !finite(v...) {
		return bitsOf(p)
	}
	var big []*big.Float
	for _, x := range v {
		big = append(big, wideFloat(x))
	}
	r := f(big)
	if r == nil || r.Sign() == 0 || r.IsInf() {
		return bitsOf(p)
	}
	if size == 4 {
		return single(r, mode)
	}
	e := exact(r, 53, -1074, mode)
	if math.IsInf(e, 0) && (mode == 2 || mode == 4 && e > 0 || mode == 5 && e < 0) {
		e = math.Copysign(math.MaxFloat64, e)
	}
	return math.Float64bits(e)
}

func TestFloatOps(t *testing.T) {
	var list []opTest
	for name, mode := range bigModes {
		for _, size := range []int{4, 8} {
			ty := fmt.Sprintf("%s.f%d", name, 8*size)
			add := func(op, args string, n int, f func(v []*big.Float) *big.Float, plain func(v []float64) float64) {
				sizes := []int{size, size, size, size}[:n+1]
				list = append(list, opTest{op + "." + ty + " %d" + args + ";", sizes, func(x []uint64) uint64 {
					r := rounded(size, mode, x, f, plain)
					if size == 8 && f64(r) != f64(r) {
						return anyNaN
					}
					return r
				}})
			}
			down := mode == big.ToNegativeInf
			// zero gives a sum of zero its sign when the exact sum is zero.
			zero := func(s, a, b float64) float64 {
				if s == 0 && down && (math.Signbit(a) || math.Signbit(b)) {
					return math.Copysign(0, -1)
				}
				return s
			}
			add("add", ", %a, %b", 2, func(v []*big.Float) *big.Float { return v[0].Add(v[0], v[1]) },
				func(v []float64) float64 { return zero(v[0]+v[1], v[0], v[1]) })
			add("sub", ", %a, %b", 2, func(v []*big.Float) *big.Float { return v[0].Sub(v[0], v[1]) },
				func(v []float64) float64 { return zero(v[0]-v[1], v[0], -v[1]) })
			add("mul", ", %a, %b", 2, func(v []*big.Float) *big.Float { return v[0].Mul(v[0], v[1]) },
				func(v []float64) float64 { return v[0] * v[1] })
			add("fma", ", %a, %b, %c", 3, func(v []*big.Float) *big.Float { return v[0].Add(v[0].Mul(v[0], v[1]), v[2]) },
				func(v []float64) float64 {
					sign := math.Copysign(1, v[0]) * math.Copysign(1, v[1])
					return zero(math.FMA(v[0], v[1], v[2]), sign, v[2])
				})
			add("div", ", %a, %b", 2, func(v []*big.Float) *big.Float {
				if v[1].Sign() == 0 {
					return nil
				}
				return v[0].Quo(v[0], v[1])
			}, func(v []float64) float64 { return v[0] / v[1] })
			add("rcp", ", %a", 1, func(v []*big.Float) *big.Float {
				if v[0].Sign() == 0 {
					return nil
				}
				return new(big.Float).SetPrec(4400).Quo(wideFloat(1), v[0])
			}, func(v []float64) float64 { return 1 / v[0] })
			add("sqrt", ", %a", 1, func(v []*big.Float) *big.Float {
				if v[0].Sign() <= 0 {
					return nil
				}
				return new(big.Float).SetPrec(400).Sqrt(v[0])
			}, func(v []float64) float64 { return math.Sqrt(v[0]) })
		}
	}
	testOps(t, list)
}

// anyNaN stands for every NaN in double precision, whose bits the ISA leaves open.
const anyNaN = 0x7ff8000000000bad

func TestFloatSelection(t *testing.T) {
	least := func(a, b float32, nan bool) float32 {
		switch {
		case a != a && b != b, nan && (a != a || b != b):
			return float32(math.NaN())
		case a != a:
			return b
		case b != b:
			return a
		}
		return min(a, b)
	}
	f := func(v float32) uint64 {
		if v != v {
			return nan32
		}
		return uint64(math.Float32bits(v))
	}
	two := []int{4, 4, 4}
	testOps(t, []opTest{
		{"min.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return f(least(f32(x[0]), f32(x[1]), false)) }},
		{"min.NaN.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return f(least(f32(x[0]), f32(x[1]), true)) }},
		{"max.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return f(-least(-f32(x[0]), -f32(x[1]), false)) }},
		{"max.NaN.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return f(-least(-f32(x[0]), -f32(x[1]), true)) }},
		{"neg.f32 %d, %a;", []int{4, 4}, func(x []uint64) uint64 { return x[0] ^ 1<<31 }},
		{"abs.f32 %d, %a;", []int{4, 4}, func(x []uint64) uint64 { return x[0] &^ (1 << 31) }},
		{"neg.f64 %d, %a;", []int{8, 8}, func(x []uint64) uint64 { return x[0] ^ 1<<63 }},
		{"copysign.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return x[0]&(1<<31) | x[1]&(1<<31-1) }},
		{"add.ftz.f32 %d, %a, %b;", two, func(x []uint64) uint64 { return f(flush32(flush32(f32(x[0])) + flush32(f32(x[1])))) }},
		{"add.sat.f32 %d, %a, %b;", two, func(x []uint64) uint64 {
			s := f32(x[0]) + f32(x[1])
			if !(s > 0) {
				return 0
			}
			return f(min(s, 1))
		}},
	})
}

// Approximations are as good as the ISA asks for, and better than one part in 2^22.
func TestApproximations(t *testing.T) {
	for _, c := range []struct {
		op string
		f  func(float64) float64
	}{
		{"rcp.approx.f32", func(v float64) float64 { return 1 / v }}, {"sqrt.approx.f32", math.Sqrt},
		{"rsqrt.approx.f32", func(v float64) float64 { return 1 / math.Sqrt(v) }}, {"ex2.approx.f32", math.Exp2}, {"lg2.approx.f32", math.Log2},
		{"sin.approx.f32", math.Sin}, {"cos.approx.f32", math.Cos}, {"tanh.approx.f32", math.Tanh},
	} {
		var in [][]uint64
		for i := range 640 {
			in = append(in, []uint64{uint64(math.Float32bits(0.01 * float32(i+1)))})
		}
		for i, got := range evaluate(t, c.op+" %d, %a;", []int{4, 4}, in) {
			want := c.f(float64(f32(in[i][0])))
			if d := math.Abs(float64(f32(got)) - want); d > math.Abs(want)*0x1p-22 {
				t.Errorf("%s of %g = %g, want %g", c.op, f32(in[i][0]), f32(got), want)
			}
		}
	}
	special := map[string][][2]uint64{
		"rcp.approx.f32":   {{0, 0x7f800000}, {0x80000000, 0xff800000}, {0x7f800000, 0}, {0x7fc00000, nan32}},
		"rsqrt.approx.f32": {{0, 0x7f800000}, {0x80000000, 0xff800000}, {0x7f800000, 0}, {0xbf800000, nan32}},
		"ex2.approx.f32":   {{0, 0x3f800000}, {0xff800000, 0}, {0x7f800000, 0x7f800000}},
		"lg2.approx.f32":   {{0, 0xff800000}, {0x3f800000, 0}, {0xbf800000, nan32}},
		"tanh.approx.f32":  {{0x7f800000, 0x3f800000}, {0xff800000, 0xbf800000}, {0x80000000, 0x80000000}},
	}
	for op, list := range special {
		for _, c := range list {
			if got := evaluate(t, op+" %d, %a;", []int{4, 4}, [][]uint64{{c[0]}}); got[0] != c[1] {
				t.Errorf("%s of %#x = %#x, want %#x", op, c[0], got[0], c[1])
			}
		}
	}
}
