package emu

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A narrow float is compared with package layout/dtype, which others wrote and test
// on every pattern.
func TestFormats(t *testing.T) {
	for name, decode := range map[string]func(x uint64) float64{
		"f16":  func(x uint64) float64 { return dtype.F16FromBits(uint16(x)).Float64() },
		"bf16": func(x uint64) float64 { return dtype.BF16FromBits(uint16(x)).Float64() },
		"e4m3": func(x uint64) float64 { return dtype.F8E4M3FromBits(uint8(x)).Float64() },
		"e5m2": func(x uint64) float64 { return dtype.F8E5M2FromBits(uint8(x)).Float64() },
	} {
		f := formats[name]
		n := f.bits()
		for x := range uint64(1) << n {
			got, want := f.decode(x), decode(x)
			if got != want && !(got != got && want != want) || got == want && math.Signbit(got) != math.Signbit(want) {
				t.Fatalf("%s %#x = %g, want %g", name, x, got, want)
			}
			if got == got {
				if back := f.encode(got, roundNear, false); back != x {
					t.Fatalf("%s %g = %#x, want %#x", name, got, back, x)
				}
			}
		}
	}
}

// precision and least exponent of the formats, as exact wants them.
var formatLimits = map[string]struct {
	prec uint
	emin int
	max  float64
}{
	"f16": {11, -24, 65504}, "bf16": {8, -133, 0x1.fep127}, "e4m3": {4, -9, 448}, "e5m2": {3, -16, 57344}, "tf32": {11, -136, 0x1.ffcp127},
}

// encodeExact is an independent way to round to a narrow format.
func encodeExact(name string, v float64, mode big.RoundingMode, sat bool) uint64 {
	f, l := formats[name], formatLimits[name]
	if v != v {
		return f.nan
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << (f.bits() - 1)
	}
	inf := uint64(1<<f.exp-1) << f.man
	if f.finite {
		inf = f.nan
	}
	e := v
	if v != 0 && !math.IsInf(v, 0) {
		e = exact(wideFloat(v), l.prec, l.emin, mode)
	}
	if math.Abs(e) > l.max {
		if sat || mode == big.ToZero && !math.IsInf(v, 0) {
			e = math.Copysign(l.max, v)
		} else {
			return sign | inf
		}
	}
	x, ok := codes(name)[math.Abs(e)]
	if !ok {
		return 1 << 60
	}
	return sign | x
}

var codeTables = map[string]map[float64]uint64{}

// codes has the bits of every number of a format that is not negative.
func codes(name string) map[float64]uint64 {
	t := codeTables[name]
	if t == nil {
		t = map[float64]uint64{}
		for x := range uint64(1) << (formats[name].bits() - 1) {
			t[formats[name].decode(x)] = x
		}
		codeTables[name] = t
	}
	return t
}

func TestConversions(t *testing.T) {
	var list []opTest
	add := func(text string, sizes []int, want func(x []uint64) uint64) {
		list = append(list, opTest{text, sizes, want})
	}
	for _, a := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
		ta := types[a]
		value := func(x uint64) *big.Int {
			if ta.signed() {
				return big.NewInt(signExtend(x, ta.size))
			}
			return new(big.Int).SetUint64(x)
		}
		for _, d := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
			td := types[d]
			add(fmt.Sprintf("cvt.%s.%s %%d, %%a;", d, a), []int{td.size, ta.size}, func(x []uint64) uint64 {
				return new(big.Int).And(value(x[0]), new(big.Int).SetUint64(maskOf(td.size))).Uint64()
			})
			if within(ta, td) {
				continue // nothing is clamped
			}
			add(fmt.Sprintf("cvt.sat.%s.%s %%d, %%a;", d, a), []int{td.size, ta.size}, func(x []uint64) uint64 {
				lo, hi := big.NewInt(0), new(big.Int).SetUint64(maskOf(td.size))
				if td.signed() {
					hi.Rsh(hi, 1)
					lo.Sub(lo.Neg(hi), big.NewInt(1))
				}
				v := value(x[0])
				if v.Cmp(lo) < 0 {
					v = lo
				}
				if v.Cmp(hi) > 0 {
					v = hi
				}
				return new(big.Int).And(v, new(big.Int).SetUint64(maskOf(td.size))).Uint64()
			})
		}
		for name, mode := range bigModes {
			for _, size := range []int{4, 8} {
				add(fmt.Sprintf("cvt.%s.f%d.%s %%d, %%a;", name, 8*size, a), []int{size, ta.size}, func(x []uint64) uint64 {
					v := new(big.Float).SetPrec(100).SetInt(value(x[0]))
					if v.Sign() == 0 {
						return 0
					}
					if size == 4 {
						return single(v, mode)
					}
					return math.Float64bits(exact(v, 53, -1074, mode))
				})
				td := types[fmt.Sprint("f", 8*size)]
				// Back, with every rounding, clamped.
				add(fmt.Sprintf("cvt.%si.%s.f%d %%d, %%a;", name, a, 8*size), []int{ta.size, size}, func(x []uint64) uint64 {
					v := float64(f32(x[0]))
					if size == 8 {
						v = f64(x[0])
					}
					if v != v {
						if td.size == 8 || ta.size == 8 {
							return 1 << (ta.bits() - 1)
						}
						return 0
					}
					lo, hi := big.NewInt(0), new(big.Int).SetUint64(maskOf(ta.size))
					if ta.signed() {
						hi.Rsh(hi, 1)
						lo.Sub(lo.Neg(hi), big.NewInt(1))
					}
					var n *big.Int
					switch {
					case math.IsInf(v, 1):
						n = hi
					case math.IsInf(v, -1):
						n = lo
					default:
						n, _ = wideFloat(roundTo(v, name)).Int(nil)
					}
					if n.Cmp(lo) < 0 {
						n = lo
					}
					if n.Cmp(hi) > 0 {
						n = hi
					}
					return new(big.Int).And(n, new(big.Int).SetUint64(maskOf(ta.size))).Uint64()
				})
			}
		}
	}
	for name, mode := range bigModes {
		add("cvt."+name+".f32.f64 %d, %a;", []int{4, 8}, func(x []uint64) uint64 {
			v := f64(x[0])
			if v != v {
				return nan32
			}
			if v == 0 || math.IsInf(v, 0) {
				return uint64(math.Float32bits(float32(v)))
			}
			return single(wideFloat(v), mode)
		})
		add("cvt."+name+"i.f32.f32 %d, %a;", []int{4, 4}, func(x []uint64) uint64 {
			v := float64(f32(x[0]))
			if v != v {
				return nan32
			}
			return uint64(math.Float32bits(float32(roundTo(v, name))))
		})
	}
	add("cvt.f64.f32 %d, %a;", []int{8, 4}, func(x []uint64) uint64 {
		if v := f32(x[0]); v != v {
			return anyNaN
		}
		return math.Float64bits(float64(f32(x[0])))
	})
	testOps(t, list)
}

// roundTo rounds to an integer; zero keeps the sign.
func roundTo(v float64, mode string) float64 {
	return map[string]func(float64) float64{"rn": math.RoundToEven, "rz": math.Trunc, "rm": math.Floor, "rp": math.Ceil}[mode](v)
}

func TestNarrowConversions(t *testing.T) {
	relu := func(v float64) float64 {
		if v < 0 {
			return 0
		}
		return v
	}
	fl := func(x uint64) float64 { return float64(f32(x)) }
	list := []opTest{
		{"cvt.rn.f16.f32 %d, %a;", []int{2, 4}, func(x []uint64) uint64 { return encodeExact("f16", fl(x[0]), big.ToNearestEven, false) }},
		{"cvt.rz.f16.f32 %d, %a;", []int{2, 4}, func(x []uint64) uint64 { return encodeExact("f16", fl(x[0]), big.ToZero, false) }},
		{"cvt.rn.bf16.f32 %d, %a;", []int{2, 4}, func(x []uint64) uint64 { return encodeExact("bf16", fl(x[0]), big.ToNearestEven, false) }},
		{"cvt.rn.f16x2.f32 %d, %a, %b;", []int{4, 4, 4}, func(x []uint64) uint64 {
			return encodeExact("f16", fl(x[0]), big.ToNearestEven, false)<<16 | encodeExact("f16", fl(x[1]), big.ToNearestEven, false)
		}},
		{"cvt.rn.bf16x2.f32 %d, %a, %b;", []int{4, 4, 4}, func(x []uint64) uint64 {
			return encodeExact("bf16", fl(x[0]), big.ToNearestEven, false)<<16 | encodeExact("bf16", fl(x[1]), big.ToNearestEven, false)
		}},
		{"cvt.rn.relu.bf16x2.f32 %d, %a, %b;", []int{4, 4, 4}, func(x []uint64) uint64 {
			return encodeExact("bf16", relu(fl(x[0])), big.ToNearestEven, false)<<16 | encodeExact("bf16", relu(fl(x[1])), big.ToNearestEven, false)
		}},
		{"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", []int{2, 4, 4}, func(x []uint64) uint64 {
			return encodeExact("e4m3", fl(x[0]), big.ToNearestEven, true)<<8 | encodeExact("e4m3", fl(x[1]), big.ToNearestEven, true)
		}},
		{"cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", []int{2, 4, 4}, func(x []uint64) uint64 {
			return encodeExact("e5m2", fl(x[0]), big.ToNearestEven, true)<<8 | encodeExact("e5m2", fl(x[1]), big.ToNearestEven, true)
		}},
		{"cvt.rn.f16x2.e4m3x2 %d, %a;", []int{4, 2}, func(x []uint64) uint64 {
			return encodeExact("f16", formats["e4m3"].decode(x[0]>>8), big.ToNearestEven, false)<<16 | encodeExact("f16", formats["e4m3"].decode(x[0]&255), big.ToNearestEven, false)
		}},
		{"cvt.f32.f16 %d, %a;", []int{4, 2}, func(x []uint64) uint64 { return bits32(float32(formats["f16"].decode(x[0]))) }},
		{"cvt.f32.bf16 %d, %a;", []int{4, 2}, func(x []uint64) uint64 {
			if v := f32(x[0] << 16); v != v {
				return nan32
			}
			return x[0] << 16
		}},
		{"cvt.rn.f16.s32 %d, %a;", []int{2, 4}, func(x []uint64) uint64 {
			return encodeExact("f16", float64(int32(x[0])), big.ToNearestEven, false)
		}},
	}
	testOps(t, list)
	// tf32 rounds ties away from zero, in the upper bits.
	for _, c := range [][2]uint64{{0x3f800000, 0x3f800000}, {0x3f801000, 0x3f802000}, {0x3f800fff, 0x3f800000}, {0xbf801000, 0xbf802000}, {0x7f800000, 0x7f800000}, {0x00001000, 0x00002000}} {
		if got := evaluate(t, "cvt.rna.tf32.f32 %d, %a;", []int{4, 4}, [][]uint64{{c[0]}}); got[0] != c[1] {
			t.Errorf("cvt.rna.tf32.f32 of %#x = %#x, want %#x", c[0], got[0], c[1])
		}
	}
}

// Registers larger than the types take integers with their sign.
func TestWideRegisters(t *testing.T) {
	for _, c := range []struct {
		text  string
		sizes []int
		in    uint64
		want  uint64
	}{
		{"cvt.s8.s32 %d, %a;", []int{4, 4}, 0x1ff, 0xffffffff},
		{"cvt.u8.u32 %d, %a;", []int{4, 4}, 0x1ff, 0xff},
		{"cvt.s32.s8 %d, %a;", []int{4, 4}, 0x80, 0xffffff80},
		{"cvt.s64.s8 %d, %a;", []int{8, 2}, 0x80, 0xffffffffffffff80},
		{"cvt.rn.f32.u8 %d, %a;", []int{4, 2}, 0x1ff, 0x437f0000},
		{"cvt.rzi.s8.f32 %d, %a;", []int{2, 4}, 0xc3160000, 0xff80}, // -150
		{"mov.b32 %d, %a;", []int{4, 4}, 7, 7},
		{"mov.b64 %rd5, {%a, %a}; mov.b64 {%r5, %d}, %rd5;", []int{4, 4}, 9, 9},
		{"mov.b32 {%h1, %h2}, %a; mov.b32 %d, {%h2, %h1};", []int{4, 4}, 0x12345678, 0x56781234},
	} {
		text := strings.ReplaceAll(c.text, "; ", ";\n")
		if got := evaluate(t, text, c.sizes, [][]uint64{{c.in}}); got[0] != c.want {
			t.Errorf("%s of %#x = %#x, want %#x", c.text, c.in, got[0], c.want)
		}
	}
}

func TestHalfOps(t *testing.T) {
	var list []opTest
	for _, name := range []string{"f16", "bf16"} {
		f := formats[name]
		enc := func(x *big.Float, plain float64) uint64 {
			if plain != plain || math.IsInf(plain, 0) || x.Sign() == 0 {
				return encodeExact(name, plain, big.ToNearestEven, false)
			}
			v := exact(x, formatLimits[name].prec, formatLimits[name].emin, big.ToNearestEven)
			return encodeExact(name, v, big.ToNearestEven, false)
		}
		lift := func(x uint64) (*big.Float, float64) {
			v := f.decode(x)
			if v-v != 0 {
				return new(big.Float), v
			}
			return wideFloat(v), v
		}
		ops := map[string]func(x []uint64) uint64{
			"add": func(x []uint64) uint64 {
				a, p := lift(x[0])
				b, q := lift(x[1])
				return enc(a.Add(a, b), p+q)
			},
			"sub": func(x []uint64) uint64 {
				a, p := lift(x[0])
				b, q := lift(x[1])
				return enc(a.Sub(a, b), p-q)
			},
			"mul": func(x []uint64) uint64 {
				a, p := lift(x[0])
				b, q := lift(x[1])
				return enc(a.Mul(a, b), p*q)
			},
			"fma.rn": func(x []uint64) uint64 {
				a, p := lift(x[0])
				b, q := lift(x[1])
				c, r := lift(x[2])
				return enc(a.Add(a.Mul(a, b), c), p*q+r)
			},
		}
		for op, want := range ops {
			args, n := " %d, %a, %b;", 3
			if op == "fma.rn" {
				args, n = " %d, %a, %b, %c;", 4
			}
			list = append(list, opTest{op + "." + name + args, []int{2, 2, 2, 2}[:n], want},
				opTest{op + "." + name + "x2" + args, []int{4, 4, 4, 4}[:n], func(x []uint64) uint64 {
					var lo, hi []uint64
					for _, v := range x {
						lo, hi = append(lo, v&0xffff), append(hi, v>>16)
					}
					return want(lo) | want(hi)<<16
				}})
		}
	}
	testOps(t, list)
}

// Predicates: every comparison, alone and joined with another predicate.
func TestComparisons(t *testing.T) {
	type compare func(a, b float64) bool
	nan := func(a, b float64) bool { return a != a || b != b }
	ops := map[string]compare{
		"eq": func(a, b float64) bool { return a == b }, "ne": func(a, b float64) bool { return a != b && !nan(a, b) },
		"lt": func(a, b float64) bool { return a < b }, "le": func(a, b float64) bool { return a <= b },
		"gt": func(a, b float64) bool { return a > b }, "ge": func(a, b float64) bool { return a >= b },
	}
	for name, f := range map[string]compare{"equ": ops["eq"], "neu": ops["ne"], "ltu": ops["lt"], "leu": ops["le"], "gtu": ops["gt"], "geu": ops["ge"]} {
		ops[name] = func(a, b float64) bool { return f(a, b) || nan(a, b) }
	}
	ops["num"] = func(a, b float64) bool { return !nan(a, b) }
	ops["nan"] = nan
	var list []opTest
	bit := func(b bool) uint64 { return uint64(btoi(b)) }
	for op, f := range ops {
		for ty, value := range map[string]func(x uint64) float64{"f32": func(x uint64) float64 { return float64(f32(x)) }, "u32": func(x uint64) float64 { return float64(x) }, "s32": func(x uint64) float64 { return float64(int32(x)) }} {
			if ty != "f32" && len(op) > 2 {
				continue
			}
			s := []int{4, 4, 4}
			list = append(list,
				opTest{fmt.Sprintf("setp.%s.%s %%p1, %%a, %%b;\nselp.u32 %%d, 1, 0, %%p1;", op, ty), s, func(x []uint64) uint64 { return bit(f(value(x[0]), value(x[1]))) }},
				opTest{fmt.Sprintf("setp.%s.%s %%p1|%%p2, %%a, %%b;\nselp.u32 %%d, 1, 0, %%p2;", op, ty), s, func(x []uint64) uint64 { return bit(!f(value(x[0]), value(x[1]))) }},
				opTest{fmt.Sprintf("setp.gt.u32 %%p3, %%b, 99;\nsetp.%s.xor.%s %%p1, %%a, %%b, !%%p3;\nselp.u32 %%d, 1, 0, %%p1;", op, ty), s, func(x []uint64) uint64 {
					return bit(f(value(x[0]), value(x[1])) != !(x[1] > 99))
				}},
				opTest{fmt.Sprintf("setp.gt.u32 %%p3, %%b, 99;\nsetp.%s.and.%s %%p1|%%p2, %%a, %%b, %%p3;\nselp.u32 %%r5, 2, 0, %%p2;\nselp.u32 %%d, 1, 0, %%p1;\nadd.u32 %%d, %%d, %%r5;", op, ty), s, func(x []uint64) uint64 {
					v := f(value(x[0]), value(x[1]))
					return bit(v && x[1] > 99) + 2*bit(!v && x[1] > 99)
				}},
				opTest{fmt.Sprintf("set.%s.u32.%s %%d, %%a, %%b;", op, ty), s, func(x []uint64) uint64 { return -bit(f(value(x[0]), value(x[1]))) & 0xffffffff }})
		}
	}
	testOps(t, list)
}
