package emu

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// TestNarrow holds the small integer instructions against bits counted one by one.
func TestNarrow(t *testing.T) {
	var list []opTest
	w3, w4 := []int{4, 4, 4}, []int{4, 4, 4, 4}
	add := func(text string, sizes []int, want func(x []uint64) uint64) {
		list = append(list, opTest{text, sizes, want})
	}
	word := func(v int64) uint64 { return uint64(uint32(v)) }
	for _, ty := range []string{"u32", "s32"} {
		low := func(x uint64) int64 {
			v := int64(x % (1 << 24))
			if ty == "s32" && v >= 1<<23 {
				v -= 1 << 24
			}
			return v
		}
		add("mul24.lo."+ty+" %d, %a, %b;", w3, func(x []uint64) uint64 { return word(low(x[0]) * low(x[1])) })
		add("mul24.hi."+ty+" %d, %a, %b;", w3, func(x []uint64) uint64 { return word(low(x[0]) * low(x[1]) >> 16) })
		add("mad24.lo."+ty+" %d, %a, %b, %c;", w4, func(x []uint64) uint64 { return word(low(x[0])*low(x[1]) + int64(x[2])) })
		add("mad24.hi."+ty+" %d, %a, %b, %c;", w4, func(x []uint64) uint64 { return word(low(x[0])*low(x[1])>>16 + int64(x[2])) })
		for _, tb := range []string{"u32", "s32"} {
			for h, half := range []string{"lo", "hi"} {
				add("dp2a."+half+"."+ty+"."+tb+" %d, %a, %b, %c;", w4, func(x []uint64) uint64 {
					s := int64(x[2])
					for i := range 2 {
						a, b := int64(x[0]>>(16*i)&0xffff), int64(x[1]>>(8*(i+2*h))&0xff)
						if ty == "s32" && a > 0x7fff {
							a -= 0x10000
						}
						if tb == "s32" && b > 0x7f {
							b -= 0x100
						}
						s += a * b
					}
					return word(s)
				})
			}
		}
		for _, mode := range []string{"clamp", "wrap"} {
			add("szext."+mode+"."+ty+" %d, %a, %b;", w3, func(x []uint64) uint64 {
				n := x[1]
				if mode == "wrap" {
					n %= 32
				}
				if n >= 32 {
					return x[0]
				}
				v := int64(x[0] % (1 << n))
				if ty == "s32" && n > 0 && v >= 1<<(n-1) {
					v -= 1 << n
				}
				return word(v)
			})
		}
	}
	add("mad24.hi.sat.s32 %d, %a, %b, %c;", w4, func(x []uint64) uint64 {
		a, b := int64(int32(x[0]<<8))/256, int64(int32(x[1]<<8))/256
		return word(min(max(int64(int32(a*b>>16))+int64(int32(x[2])), math.MinInt32), math.MaxInt32))
	})
	for _, mode := range []string{"clamp", "wrap"} {
		add("bmsk."+mode+".b32 %d, %a, %b;", w3, func(x []uint64) (r uint64) {
			at, n := x[0], x[1]
			if mode == "wrap" {
				at, n = at%32, n%32
			}
			for i := range uint64(32) {
				if i >= at && i-at < n {
					r |= 1 << i
				}
			}
			return r
		})
	}
	for _, offset := range []int{0, 1, 2, 5, -1, -3} {
		for _, base := range []int{0, 7, 31, 32} {
			add(fmt.Sprintf("fns.b32 %%d, %%a, %d, %d;", base, offset), []int{4, 4}, func(x []uint64) uint64 {
				var ones []int // from the base on, in the direction
				for i := base; i >= 0 && i < 32; {
					if x[0]>>i&1 != 0 {
						ones = append(ones, i)
					}
					if offset < 0 {
						i--
					} else {
						i++
					}
				}
				n := max(offset, -offset)
				if n == 0 {
					if len(ones) > 0 && ones[0] == base {
						return uint64(base)
					}
					return 0xffffffff
				}
				if n > len(ones) {
					return 0xffffffff
				}
				return uint64(ones[n-1])
			})
		}
	}
	for name, p := range packedTypes {
		lo, hi := int64(0), int64(1)<<p.bits-1
		if p.signed {
			lo, hi = -1<<(p.bits-1), 1<<(p.bits-1)-1
		}
		clamp := func(x uint64) uint64 { return uint64(min(max(int64(int32(x)), lo), hi)) % (1 << p.bits) }
		if p.bits == 16 {
			add("cvt.pack.sat"+name+".s32 %d, %a, %b;", w3, func(x []uint64) uint64 { return clamp(x[0])<<16 + clamp(x[1]) })
			continue
		}
		add("cvt.pack.sat"+name+".s32.b32 %d, %a, %b, %c;", w4, func(x []uint64) uint64 {
			return (x[2]<<(2*p.bits) + clamp(x[0])<<p.bits + clamp(x[1])) % (1 << 32)
		})
	}
	add("slct.ftz.s32.f32 %d, %a, %b, %c;", w4, func(x []uint64) uint64 {
		if f := f32(x[2]); f >= 0 || math.Abs(float64(f)) < 0x1p-126 {
			return x[0]
		}
		return x[1]
	})
	for _, op := range []string{"rcp", "rsqrt"} {
		add(op+".approx.ftz.f64 %d, %a;", []int{8, 8}, func(x []uint64) uint64 {
			v := f64(x[0] >> 32 << 32)
			if math.Abs(v) < 0x1p-1022 {
				v = math.Copysign(0, v)
			}
			r := 1 / v
			if op == "rsqrt" {
				r = 1 / math.Sqrt(v)
				if v == 0 {
					r = math.Copysign(math.Inf(1), v)
				}
			}
			switch {
			case r != r:
				return anyNaN
			case math.Abs(r) < 0x1p-1022:
				r = math.Copysign(0, r)
			}
			return math.Float64bits(r) >> 32 << 32
		})
	}
	testOps(t, list)
}

// TestCarry adds, subtracts and multiplies numbers of three words.
func TestCarry(t *testing.T) {
	for _, size := range []int{4, 8} {
		bits := 8 * size
		n := func(v []uint64) *big.Int { // low word first; the third is 0, and a sum's carry goes there
			x := new(big.Int).SetUint64(v[1])
			return x.Lsh(x, uint(bits)).Add(x, new(big.Int).SetUint64(v[0]))
		}
		word := func(x *big.Int, i int) uint64 {
			x = new(big.Int).Rsh(x, uint(i*bits))
			return new(big.Int).And(x, new(big.Int).SetUint64(maskOf(size))).Uint64()
		}
		sizes := []int{size, size, size, size}
		r := map[int]string{4: "%r", 8: "%rd"}[size]
		ty := map[int]string{4: "u32", 8: "u64"}[size]
		var list []opTest
		for i := range 3 { // the word that is looked at
			// (a, b) + (b, c) and (a, b) - (b, c), of three words
			add3 := func(first, next string) string {
				return fmt.Sprintf("%s.%s %s30, %%a, %%b;\n%s.cc.%s %s31, %%b, %%c;\n%s.%s %s32, 0, 0;\nmov.b%d %%d, %s%d;",
					first, ty, r, next, ty, r, next, ty, r, bits, r, 30+i)
			}
			list = append(list, opTest{add3("add.cc", "addc"), sizes, func(x []uint64) uint64 {
				return word(new(big.Int).Add(n(x[:2]), n(x[1:])), i)
			}}, opTest{add3("sub.cc", "subc"), sizes, func(x []uint64) uint64 {
				return word(new(big.Int).Sub(n(x[:2]), n(x[1:])), i)
			}})
			if i == 2 {
				continue
			}
			// a * b + (c, a)
			list = append(list, opTest{fmt.Sprintf("mad.lo.cc.%s %s30, %%a, %%b, %%c;\nmadc.hi.%s %s31, %%a, %%b, %%a;\nmov.b%d %%d, %s%d;", ty, r, ty, r, bits, r, 30+i),
				sizes, func(x []uint64) uint64 {
					p := new(big.Int).Mul(new(big.Int).SetUint64(x[0]), new(big.Int).SetUint64(x[1]))
					return word(p.Add(p, n([]uint64{x[2], x[0]})), i)
				}})
		}
		testOps(t, list)
	}
	r := newRig(t, Options{})
	err := r.launch(kernel(1, "addc.u32 %r1, %r0, %r0;"), "k", grid(1, 32, 0), r.empty(4))
	wantFault(t, err, UninitReg, "the carry flag")
}
