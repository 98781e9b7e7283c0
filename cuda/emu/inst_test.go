package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// specialBits are operands that rules are made for, by size in bytes.
var specialBits = map[int][]uint64{
	2: {0, 1, 0x7fff, 0x8000, 0xffff, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x03ff, 0x0400, 0x7bff, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x007f, 0x7f7f},
	4: {0, 1, 2, 31, 32, 33, 255, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
		0x00800000, 0x007fffff, 0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x4b000001, 0x3effffff, 0x3f000000, 0x3fc00000, 0x40200000, 0x477fe000, 0x477ff000, 0x33000000, 0x38800000, 0x387fc000},
	8: {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000000, 0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff, 0x41e0000000000000, 0x43e0000000000000, 0x3fe0000000000000, 0x4004000000000000, 0x36a0000000000000},
}

// operands returns bits of a type: special ones in all combinations that fit, then
// random ones. Half of the random ones are small or near each other.
func operands(rng *rand.Rand, sizes []int, n int) [][]uint64 {
	var list [][]uint64
	total := 1
	for _, s := range sizes {
		total *= len(specialBits[s])
	}
	for i := range min(total, n/2) {
		var v []uint64
		at := i
		if total > n/2 {
			at = rng.IntN(total)
		}
		for _, s := range sizes {
			sp := specialBits[s]
			v = append(v, sp[at%len(sp)])
			at /= len(sp)
		}
		list = append(list, v)
	}
	for len(list) < n {
		var v []uint64
		for _, s := range sizes {
			x := rng.Uint64() & maskOf(s)
			switch rng.IntN(6) {
			case 0:
				x &= 63
			case 1: // a float of moderate size
				switch s {
				case 2:
					x = x&0x83ff | uint64(10+rng.IntN(10))<<10
				case 4:
					x = x&0x807fffff | uint64(110+rng.IntN(40))<<23
				case 8:
					x = x&0x800fffffffffffff | uint64(1000+rng.IntN(70))<<52
				}
			case 2:
				if len(v) > 0 {
					x = v[0]&maskOf(s) ^ uint64(rng.IntN(4))
				}
			}
			v = append(v, x)
		}
		list = append(list, v)
	}
	return list
}

var registerOf = map[int]string{2: "%h", 4: "%r", 8: "%rd"}

// evaluate runs an instruction on operands. text has %d for the result and %a, %b,
// %c for operands; sizes are theirs, the first the result's.
func evaluate(t testing.TB, text string, sizes []int, in [][]uint64) []uint64 {
	t.Helper()
	const per = 64
	n := (len(in) + per - 1) / per * per
	var body strings.Builder
	body.WriteString("mov.u32 %r20, %ctaid.x;\nmad.lo.u32 %r20, %r20, 64, %r0;\nmul.wide.u32 %rd20, %r20, 32;\nadd.u64 %rd20, %rd20, %rd0;\n")
	reg := func(i, size int) string { return registerOf[size] + strconv.Itoa(10+i) }
	for i, s := range sizes[1:] {
		fmt.Fprintf(&body, "ld.global.b%d %s, [%%rd20+%d];\n", 8*s, reg(i+1, s), 8*i)
	}
	line := strings.ReplaceAll(text, "%d", reg(0, sizes[0]))
	for i, s := range sizes[1:] {
		line = strings.ReplaceAll(line, "%"+string(rune('a'+i)), reg(i+1, s))
	}
	body.WriteString(line + "\n")
	fmt.Fprintf(&body, "st.global.b%d [%%rd20+24], %s;\n", 8*sizes[0], reg(0, sizes[0]))
	data := make([]byte, 32*n)
	for i, v := range in {
		for j, x := range v {
			binary.LittleEndian.PutUint64(data[32*i+8*j:], x)
		}
	}
	for i := len(in); i < n; i++ {
		copy(data[32*i:], data[:24])
	}
	r := newRig(t, Options{Major: 9})
	m := r.alloc(data)
	src := strings.Replace(kernel(1, body.String()), "sm_80", "sm_90", 1)
	if err := r.launch(src, "k", grid(n/per, per, 0), m); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out := r.read(m)
	res := make([]uint64, len(in))
	for i := range res {
		res[i] = binary.LittleEndian.Uint64(out[32*i+24:]) & maskOf(sizes[0])
	}
	return res
}

// An opTest is an instruction and what it should do.
type opTest struct {
	text  string
	sizes []int // of the result and the operands
	want  func(x []uint64) uint64
}

func testOps(t *testing.T, list []opTest) {
	rng := rand.New(level.PCG(3, 4))
	for _, o := range list {
		in := operands(rng, o.sizes[1:], 640)
		got := evaluate(t, o.text, o.sizes, in)
		bad := 0
		for i, v := range in {
			if want := o.want(v); got[i] != want && !(want == anyNaN && f64(got[i]) != f64(got[i])) {
				if bad++; bad < 4 {
					t.Errorf("%s of %#x = %#x, want %#x", o.text, v, got[i], want)
				}
			}
		}
	}
}

func TestIntegerOps(t *testing.T) {
	var list []opTest
	add := func(text string, sizes []int, want func(x []uint64) uint64) {
		list = append(list, opTest{text, sizes, want})
	}
	for _, size := range []int{2, 4, 8} {
		mask := maskOf(size)
		n := uint(8 * size)
		s3, s2 := []int{size, size, size}, []int{size, size}
		sx := func(x uint64) int64 { return signExtend(x, size) }
		for _, sign := range []string{"u", "s"} {
			ty := fmt.Sprint(sign, n)
			signed := sign == "s"
			// big integers, as an independent way
			bigOf := func(x uint64) *big.Int {
				if signed {
					return big.NewInt(sx(x))
				}
				return new(big.Int).SetUint64(x)
			}
			low := func(v *big.Int, shift uint) uint64 {
				v.Rsh(v, shift)
				return new(big.Int).And(v, new(big.Int).SetUint64(mask)).Uint64()
			}
			add("add."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 { return low(new(big.Int).Add(bigOf(x[0]), bigOf(x[1])), 0) })
			add("sub."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 { return low(new(big.Int).Sub(bigOf(x[0]), bigOf(x[1])), 0) })
			add("mul.lo."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 { return low(new(big.Int).Mul(bigOf(x[0]), bigOf(x[1])), 0) })
			add("mul.hi."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 { return low(new(big.Int).Mul(bigOf(x[0]), bigOf(x[1])), n) })
			add("mad.lo."+ty+" %d, %a, %b, %c;", []int{size, size, size, size}, func(x []uint64) uint64 {
				p := new(big.Int).Mul(bigOf(x[0]), bigOf(x[1]))
				return low(p.Add(p, bigOf(x[2])), 0)
			})
			if size < 8 {
				add("mul.wide."+ty+" %d, %a, %b;", []int{2 * size, size, size}, func(x []uint64) uint64 {
					return new(big.Int).And(new(big.Int).Mul(bigOf(x[0]), bigOf(x[1])), new(big.Int).SetUint64(maskOf(2*size))).Uint64()
				})
				add("mad.wide."+ty+" %d, %a, %b, %c;", []int{2 * size, size, size, 2 * size}, func(x []uint64) uint64 {
					p := new(big.Int).Mul(bigOf(x[0]), bigOf(x[1]))
					p.Add(p, new(big.Int).SetUint64(x[2]))
					return p.And(p, new(big.Int).SetUint64(maskOf(2*size))).Uint64()
				})
			}
			add("div."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 {
				if x[1] == 0 {
					return mask
				}
				return low(new(big.Int).Quo(bigOf(x[0]), bigOf(x[1])), 0)
			})
			add("rem."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 {
				if x[1] == 0 {
					return x[0]
				}
				return low(new(big.Int).Rem(bigOf(x[0]), bigOf(x[1])), 0)
			})
			add("min."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 {
				if bigOf(x[0]).Cmp(bigOf(x[1])) < 0 {
					return x[0]
				}
				return x[1]
			})
			add("max."+ty+" %d, %a, %b;", s3, func(x []uint64) uint64 {
				if bigOf(x[0]).Cmp(bigOf(x[1])) > 0 {
					return x[0]
				}
				return x[1]
			})
			add("shr."+ty+" %d, %a, %b;", []int{size, size, 4}, func(x []uint64) uint64 {
				return low(bigOf(x[0]), uint(min(x[1], 64)))
			})
			if size > 2 {
				add("bfe."+ty+" %d, %a, %b, %c;", []int{size, size, 4, 4}, func(x []uint64) uint64 {
					pos, l := uint(x[1]&255), uint(x[2]&255)
					v := new(big.Int).Rsh(bigOf(x[0]), pos) // copies of the sign come in
					if l == 0 {
						return 0
					}
					if l >= n {
						return low(v, 0)
					}
					f := new(big.Int).And(v, new(big.Int).SetUint64(1<<l-1))
					if signed && f.Bit(int(l-1)) == 1 {
						f.Sub(f, new(big.Int).Lsh(big.NewInt(1), l))
					}
					return low(f, 0)
				})
			}
		}
		add(fmt.Sprintf("neg.s%d %%d, %%a;", n), s2, func(x []uint64) uint64 { return -x[0] & mask })
		add(fmt.Sprintf("abs.s%d %%d, %%a;", n), s2, func(x []uint64) uint64 { return uint64(max(sx(x[0]), -sx(x[0]))) & mask })
		add(fmt.Sprintf("and.b%d %%d, %%a, %%b;", n), s3, func(x []uint64) uint64 { return x[0] & x[1] })
		add(fmt.Sprintf("or.b%d %%d, %%a, %%b;", n), s3, func(x []uint64) uint64 { return x[0] | x[1] })
		add(fmt.Sprintf("xor.b%d %%d, %%a, %%b;", n), s3, func(x []uint64) uint64 { return x[0] ^ x[1] })
		add(fmt.Sprintf("not.b%d %%d, %%a;", n), s2, func(x []uint64) uint64 { return ^x[0] & mask })
		add(fmt.Sprintf("cnot.b%d %%d, %%a;", n), s2, func(x []uint64) uint64 { return uint64(btoi(x[0] == 0)) })
		add(fmt.Sprintf("shl.b%d %%d, %%a, %%b;", n), []int{size, size, 4}, func(x []uint64) uint64 {
			if x[1] >= uint64(n) {
				return 0
			}
			return x[0] << x[1] & mask
		})
		if size == 2 {
			continue
		}
		add(fmt.Sprintf("popc.b%d %%d, %%a;", n), []int{4, size}, func(x []uint64) uint64 { return uint64(bits.OnesCount64(x[0])) })
		add(fmt.Sprintf("clz.b%d %%d, %%a;", n), []int{4, size}, func(x []uint64) uint64 { return uint64(int(n) - bits.Len64(x[0])) })
		add(fmt.Sprintf("brev.b%d %%d, %%a;", n), s2, func(x []uint64) (r uint64) {
			for i := range n {
				r |= x[0] >> i & 1 << (n - 1 - i)
			}
			return r
		})
		add(fmt.Sprintf("bfind.u%d %%d, %%a;", n), []int{4, size}, func(x []uint64) uint64 { return uint64(uint32(bits.Len64(x[0]) - 1)) })
		add(fmt.Sprintf("bfind.shiftamt.u%d %%d, %%a;", n), []int{4, size}, func(x []uint64) uint64 {
			if x[0] == 0 {
				return 0xffffffff
			}
			return uint64(int(n) - bits.Len64(x[0]))
		})
		add(fmt.Sprintf("bfind.s%d %%d, %%a;", n), []int{4, size}, func(x []uint64) uint64 {
			v := sx(x[0])
			if v < 0 {
				v = ^v
			}
			return uint64(uint32(bits.Len64(uint64(v)) - 1))
		})
		add(fmt.Sprintf("bfi.b%d %%d, %%a, %%b, %%c, 7;", n), []int{size, size, size, 4}, func(x []uint64) uint64 {
			r := x[1]
			for i := range uint64(7) {
				if at := x[2]&255 + i; at < uint64(n) {
					r = r&^(1<<at) | x[0]>>i&1<<at
				}
			}
			return r
		})
	}
	add("add.sat.s32 %d, %a, %b;", []int{4, 4, 4}, func(x []uint64) uint64 {
		return uint64(uint32(int32(min(max(int64(int32(x[0]))+int64(int32(x[1])), math.MinInt32), math.MaxInt32))))
	})
	add("sad.u32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		return (max(x[0], x[1]) - min(x[0], x[1]) + x[2]) & 0xffffffff
	})
	add("sad.s32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		a, b := int64(int32(x[0])), int64(int32(x[1]))
		return uint64(uint32(max(a-b, b-a) + int64(x[2])))
	})
	for _, lut := range []uint64{0x80, 0xfe, 0x96, 0xca, 0x1a} {
		add(fmt.Sprintf("lop3.b32 %%d, %%a, %%b, %%c, %d;", lut), []int{4, 4, 4, 4}, func(x []uint64) (r uint64) {
			for i := range 32 {
				k := x[0]>>i&1<<2 | x[1]>>i&1<<1 | x[2]>>i&1
				r |= lut >> k & 1 << i
			}
			return r
		})
	}
	add("prmt.b32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) (r uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x[1]<<32|x[0])
		for i := range 4 {
			s := x[2] >> (4 * i)
			v := b[s&7]
			if s&8 != 0 {
				if v >= 128 {
					v = 255
				} else {
					v = 0
				}
			}
			r |= uint64(v) << (8 * i)
		}
		return r
	})
	add("prmt.b32.rc16 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 { return x[0] >> (x[2] & 1 * 16) & 0xffff * 0x10001 })
	add("prmt.b32.f4e %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 { return (x[1]<<32 | x[0]) >> (8 * (x[2] & 3)) & 0xffffffff })
	add("shf.l.wrap.b32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		n := x[2] & 31
		return (x[1]<<n | x[0]>>(32-n)) & 0xffffffff
	})
	add("shf.r.clamp.b32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		n := min(x[2], 32)
		return (x[0]>>n | x[1]<<(32-n)) & 0xffffffff
	})
	add("dp4a.s32.u32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		s := int32(x[2])
		for i := range 4 {
			s += int32(int8(x[0]>>(8*i))) * int32(uint8(x[1]>>(8*i)))
		}
		return uint64(uint32(s))
	})
	add("slct.s32.s32 %d, %a, %b, %c;", []int{4, 4, 4, 4}, func(x []uint64) uint64 {
		if x[2]>>31 == 0 {
			return x[0]
		}
		return x[1]
	})
	testOps(t, list)
}

// exact rounds an exact result, of which nil is NaN and zero has the sign neg, to a
// precision of prec bits and a least exponent of emin.
func exact(x *big.Float, prec uint, emin int, mode big.RoundingMode) float64 {
	if x.Sign() == 0 || x.IsInf() {
		v, _ := x.Float64()
		return v
	}
	// The weight of the last bit that is kept.
	e := max(x.MantExp(nil)-int(prec), emin)
	scaled := new(big.Float).SetMantExp(x, -e)
	n, acc := scaled.Int(nil) // toward zero
	if acc != big.Exact {
		frac := new(big.Float).Sub(scaled, new(big.Float).SetPrec(4400).SetInt(n))
		frac.Abs(frac)
		half := frac.Cmp(big.NewFloat(0.5))
		up := false
		switch mode {
		case big.ToNearestEven:
			up = half > 0 || half == 0 && n.Bit(0) == 1
		case big.ToPositiveInf:
			up = x.Sign() > 0
		case big.ToNegativeInf:
			up = x.Sign() < 0
		}
		if up {
			n.Add(n, big.NewInt(int64(x.Sign())))
		}
	}
	v, _ := new(big.Float).SetMantExp(new(big.Float).SetPrec(4400).SetInt(n), e).Float64()
	if n.Sign() == 0 && x.Sign() < 0 {
		v = math.Copysign(0, -1)
	}
	return v
}

var bigModes = map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

// single rounds to single precision and gives the bits.
func single(x *big.Float, mode big.RoundingMode) uint64 {
	v := exact(x, 24, -149, mode)
	if math.Abs(v) > math.MaxFloat32 && !x.IsInf() {
		toward := mode == big.ToZero || mode == big.ToNegativeInf && v > 0 || mode == big.ToPositiveInf && v < 0
		if toward {
			v = math.Copysign(math.MaxFloat32, v)
		}
	}
	return uint64(math.Float32bits(float32(v)))
}
