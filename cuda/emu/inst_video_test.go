package emu

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestVideo has results that are plain to see. %r30 has the bytes 80, ff, 7f and 01.
func TestVideo(t *testing.T) {
	var list []opTest
	for text, want := range map[string]uint64{
		"vadd.u32.u32.u32.sat %d, -1, 2;":                           0xffffffff,
		"vsub.u32.u32.u32.sat %d, 1, 2;":                            0,
		"vsub.s32.u32.u32 %d, 1, 2;":                                0xffffffff,
		"vabsdiff.u32.s32.s32 %d, -3, 4;":                           7,
		"vabsdiff.u32.u32.s32 %d, -3, -3;":                          0, // 2^32
		"vabsdiff.u32.u32.s32.sat %d, -3, -3;":                      0xffffffff,
		"vmin.s32.u32.s32 %d, -1, 5;":                               5,
		"vmax.s32.s32.s32 %d, -1, -5;":                              0xffffffff,
		"vadd.u32.u32.u32 %d, 1, 2, 99;":                            3, // nothing is done with 99
		"vadd.u32.u32.u32.min %d, -1, 0, 5;":                        5,
		"vshl.u32.u32.u32.clamp %d, 1, 40;":                         0,
		"vshl.u32.u32.u32.wrap %d, 1, 40;":                          256,
		"vshr.s32.s32.u32.clamp %d, -1, 99;":                        0xffffffff,
		"vshr.u32.u32.u32.clamp.add %d, 64, 5, 7;":                  9,
		"vset.s32.u32.lt %d, -1, 0;":                                1,
		"vset.u32.u32.lt.add %d, 1, 2, 41;":                         42,
		"vmad.s32.s32.s32 %d, -3, 4, 5;":                            0xfffffff9,
		"vmad.u32.u32.u32.po.shr7 %d, 16, 16, 7;":                   2,
		"vmad.u32.u32.u32.sat %d, 65536, 65536, 0;":                 0xffffffff,
		"vmad.s32.s32.s32.sat %d, 65536, 32768, 0;":                 0x7fffffff,
		"vadd.s32.s32.s32 %d, %r30.b3, %r30.b2;":                    0xffffff7f,
		"vadd.u32.u32.u32 %d, %r30.b1, %r30.h1;":                    0x817e,
		"vadd.s32.s32.s32.sat %d.b1, %r30.b1, 5, 0x11223344;":       0x11227f44,
		"vsub.u32.u32.u32.sat %d.h1, 3, %r30, 0x11223344;":          0x00003344,
		"vmax.s32.s32.s32 %d.h0, %r30.h1, %r30.h0, 0x11223344;":     0x11227f01,
		"vmad.s32.s32.s32 %d, -%r30.b2, %r30.b1, 1;":                128,
		"mov.b32 %r31, 9;\nvmad.u32.u32.u32 %d, %r30.b0, 2, -%r31;": 0xfffffff9,
	} {
		list = append(list, opTest{"mov.b32 %r30, 0x80ff7f01;\n" + text, []int{4}, func([]uint64) uint64 { return want }})
	}
	testOps(t, list)
}

// A videoModel computes with numbers of any size what the ISA says of 33 and 34 bits.
type videoModel struct {
	op, sat, second string
	d, a, b         bool // signed
	da, db, dd      string
}

func draw[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func (m *videoModel) text() string {
	t := func(signed bool) string { return map[bool]string{true: ".s32", false: ".u32"}[signed] }
	types := t(m.d) + t(m.a) + t(m.b)
	op, mode, _ := strings.Cut(m.op, " ")
	if op == "vset" {
		types = types[4:]
	}
	return fmt.Sprintf("%s%s%s%s%s %%d%s, %%a%s, %%b%s, %%c;", op, types, m.sat, mode, m.second, m.dd, m.da, m.db)
}

// cut is x modulo 2^n, between -2^(n-1) and 2^(n-1) if it is signed.
func cut(x *big.Int, n uint, signed bool) *big.Int {
	size := new(big.Int).Lsh(big.NewInt(1), n)
	x = new(big.Int).Mod(x, size)
	if signed && x.Bit(int(n)-1) != 0 {
		x.Sub(x, size)
	}
	return x
}

// place is where a selector points to, and how many bits it has.
func place(sel string) (at, n uint) {
	if sel == "" {
		return 0, 32
	}
	k := uint(sel[2] - '0')
	if sel[1] == 'h' {
		return 16 * k, 16
	}
	return 8 * k, 8
}

func (m *videoModel) result(x []uint64) uint64 {
	read := func(v uint64, sel string, signed bool) *big.Int {
		at, n := place(sel)
		return cut(new(big.Int).SetUint64(v>>at), n, signed)
	}
	a, b, c := read(x[0], m.da, m.a), read(x[1], m.db, m.b), read(x[2], "", m.d)
	v := new(big.Int)
	op, mode, _ := strings.Cut(m.op, " ")
	n := uint(b.Uint64()) & 31
	if mode == ".clamp" {
		n = uint(min(b.Uint64(), 32))
	}
	order := map[string]bool{".eq": a.Cmp(b) == 0, ".ne": a.Cmp(b) != 0, ".lt": a.Cmp(b) < 0, ".le": a.Cmp(b) <= 0, ".gt": a.Cmp(b) > 0, ".ge": a.Cmp(b) >= 0}
	switch op {
	case "vadd":
		v.Add(a, b)
	case "vsub":
		v.Sub(a, b)
	case "vabsdiff":
		v.Abs(v.Sub(a, b))
	case "vmin":
		if v = b; a.Cmp(b) < 0 {
			v = a
		}
	case "vmax":
		if v = a; a.Cmp(b) < 0 {
			v = b
		}
	case "vshl":
		v.Lsh(a, n)
	case "vshr":
		v.Rsh(a, n)
	case "vset":
		v.SetInt64(int64(btoi(order[mode])))
	}
	v = cut(v, 34, true)
	at, bits := place(m.dd)
	if m.sat != "" {
		least, most := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), bits)
		if m.d {
			most.Rsh(most, 1)
			least.Neg(most)
		}
		most.Sub(most, big.NewInt(1))
		if v.Cmp(least) < 0 {
			v = least
		} else if v.Cmp(most) > 0 {
			v = most
		}
	}
	v = cut(v, 33, true)
	switch {
	case m.second == ".add":
		v = new(big.Int).Add(v, c)
	case m.second == ".min" && c.Cmp(v) < 0, m.second == ".max" && c.Cmp(v) > 0:
		v = c
	}
	w := cut(v, bits, false).Uint64()
	return x[2]&^((1<<bits-1)<<at) | w<<at
}

// TestVideoModel holds the family against the model, in forms that are drawn.
func TestVideoModel(t *testing.T) {
	rng := rand.New(level.PCG(5, 6))
	parts := []string{"", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}
	var list []opTest
	for range 150 {
		m := &videoModel{op: draw(rng, "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl .clamp", "vshl .wrap", "vshr .clamp", "vshr .wrap", "vset .eq", "vset .ne", "vset .lt", "vset .le", "vset .gt", "vset .ge"),
			sat: draw(rng, "", ".sat"), d: draw(rng, true, false), a: draw(rng, true, false), b: draw(rng, true, false),
			da: draw(rng, parts...), db: draw(rng, parts...), dd: draw(rng, parts...)}
		switch m.op[:4] {
		case "vset":
			m.d, m.sat = false, ""
		case "vshl", "vshr":
			m.b = false
		}
		if m.dd == "" {
			m.second = draw(rng, ".add", ".min", ".max")
		}
		list = append(list, opTest{m.text(), []int{4, 4, 4, 4}, m.result})
	}
	testOps(t, list)
}

// TestVideoProducts holds vmad against numbers of any size.
func TestVideoProducts(t *testing.T) {
	rng := rand.New(level.PCG(7, 8))
	one := big.NewInt(1)
	var list []opTest
	for range 60 {
		ta, tb := draw(rng, "u32", "s32"), draw(rng, "u32", "s32")
		da, db := draw(rng, "", ".b2", ".h1"), draw(rng, "", ".b0", ".h0")
		sat, mode := draw(rng, "", ".sat"), draw(rng, "", "", ".po", "a", "b", "ab", "c")
		scale := draw(rng, uint(0), 7, 15)
		sign := func(operand string) string {
			if strings.Contains(mode, operand) {
				return "-"
			}
			return ""
		}
		po, shr := "", map[uint]string{7: ".shr7", 15: ".shr15"}[scale]
		if mode == ".po" {
			po = mode
		}
		text := fmt.Sprintf("vmad.%s.%s.%s%s%s%s %%d, %s%%a%s, %s%%b%s, %s%%c;", draw(rng, "u32", "s32"), ta, tb, po, sat, shr, sign("a"), da, sign("b"), db, sign("c"))
		minus := len(mode) == 1 && mode != "c"
		signed := ta == "s32" || tb == "s32" || minus || mode == "c"
		list = append(list, opTest{text, []int{4, 4, 4, 4}, func(x []uint64) uint64 {
			read := func(v uint64, sel string, signed bool) *big.Int {
				at, n := place(sel)
				return cut(new(big.Int).SetUint64(v>>at), n, signed)
			}
			v := read(x[0], da, ta == "s32")
			v.Mul(v, read(x[1], db, tb == "s32"))
			if minus {
				v.Neg(v)
			}
			switch mode {
			case ".po":
				v.Add(v, one)
				fallthrough
			default:
				v.Add(v, read(x[2], "", signed))
			case "c": // 32 bits are inverted, then one is added to the sum
				v.Add(v, read(x[2]^0xffffffff, "", true))
				v.Add(v, one)
			}
			v = cut(v.Rsh(v, scale), 64, signed)
			least, most := big.NewInt(-1<<31), big.NewInt(1<<31-1)
			if !signed {
				least, most = big.NewInt(0), big.NewInt(1<<32-1)
			}
			switch {
			case sat != "" && v.Cmp(least) < 0:
				v = least
			case sat != "" && v.Cmp(most) > 0:
				v = most
			}
			return cut(v, 32, false).Uint64()
		}})
	}
	testOps(t, list)
}
