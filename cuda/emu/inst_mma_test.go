package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A fragment says where element i of a lane lies, as the ISA tables it.
type fragment func(g, t, i int) (row, col int)

func low(c bool) int { return btoi(c) }

// The tables of ISA 9.7.14.5, one row a shape: A as (row, k), B as (k, n), C.
var mmaTables = []struct {
	shape   string
	types   []string // of A; B is the same unless mixed
	k       int
	a, b, c fragment
}{
	{"m16n8k16", []string{"f16", "bf16"}, 16,
		func(g, t, i int) (int, int) {
			return g + 8*low(i == 2 || i == 3 || i == 6 || i == 7), 2*t + i&1 + 8*low(i >= 4)
		},
		func(g, t, i int) (int, int) { return 2*t + i&1 + 8*low(i >= 2), g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m16n8k8", []string{"f16", "bf16"}, 8,
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 },
		func(g, t, i int) (int, int) { return 2*t + i, g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m16n8k8", []string{"tf32"}, 8,
		func(g, t, i int) (int, int) { return g + 8*low(i == 1 || i == 3), t + 4*low(i >= 2) },
		func(g, t, i int) (int, int) { return t + 4*i, g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m16n8k4", []string{"tf32"}, 4,
		func(g, t, i int) (int, int) { return g + 8*i, t },
		func(g, t, i int) (int, int) { return t, g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m16n8k32", []string{"s8", "u8", "e4m3", "e5m2"}, 32,
		func(g, t, i int) (int, int) {
			return g + 8*low(!(i < 4 || i >= 8 && i < 12)), 4*t + i&3 + 16*low(i >= 8)
		},
		func(g, t, i int) (int, int) { return 4*t + i&3 + 16*low(i >= 4), g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m16n8k16", []string{"s8", "u8"}, 16,
		func(g, t, i int) (int, int) { return g + 8*low(i >= 4), 4*t + i&3 },
		func(g, t, i int) (int, int) { return 4*t + i, g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
	{"m8n8k4", []string{"f64"}, 4,
		func(g, t, i int) (int, int) { return g, t },
		func(g, t, i int) (int, int) { return t, g },
		func(g, t, i int) (int, int) { return g, 2*t + i }},
	{"m16n8k16", []string{"f64"}, 16,
		func(g, t, i int) (int, int) { return g + 8*(i&1), 4*(i>>1) + t },
		func(g, t, i int) (int, int) { return t + 4*i, g },
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 }},
}

func TestMMA(t *testing.T) {
	rng := rand.New(level.PCG(5, 6))
	for _, tab := range mmaTables {
		for _, ta := range tab.types {
			for _, tb := range tab.types {
				if ta != tb && types[ta].size > 1 || types[ta].integer() != types[tb].integer() {
					continue
				}
				for _, td := range []string{"f32", "f16"} {
					switch {
					case types[ta].integer():
						if td = "s32"; tb == "s8" && ta == "u8" {
							td = "s32"
						}
					case ta == "f64":
						td = "f64"
					case td == "f16" && ta != "f16":
						continue
					}
					testMMA(t, rng, tab.shape, ta, tb, td, tab.k, tab.a, tab.b, tab.c)
				}
			}
		}
	}
}

// testMMA runs one instruction on small integers.
func testMMA(t *testing.T, rng *rand.Rand, shape, ta, tb, td string, k int, fa, fb, fc fragment) {
	t.Helper()
	m, n := 16, 8
	if strings.HasPrefix(shape, "m8") {
		m = 8
	}
	reg := 4
	if ta == "f64" {
		reg = 8
	}
	small := func(ty string) float64 {
		if ty == "u8" {
			return float64(rng.IntN(8) + 200)
		}
		return float64(rng.IntN(7) - 3)
	}
	A, B, C := make([]float64, m*k), make([]float64, k*n), make([]float64, m*n)
	for i := range A {
		A[i] = small(ta)
	}
	for i := range B {
		B[i] = small(tb)
	}
	for i := range C {
		C[i] = small(td)
	}
	encode := func(ty string, v float64) uint64 {
		switch ty {
		case "f64":
			return math.Float64bits(v)
		case "f32":
			return uint64(math.Float32bits(float32(v)))
		case "tf32": // the low bits are not looked at
			return uint64(math.Float32bits(float32(v))) | uint64(rng.IntN(1<<13))
		case "s8", "u8":
			return uint64(uint8(int(v)))
		case "s32":
			return uint64(uint32(int32(v)))
		}
		return formats[ty].encode(v, roundNear, false)
	}
	// regs packs the elements of a lane into registers.
	regs := func(ty string, count int, f fragment, lane int, x []float64, cols int) (out []uint64) {
		size := types[ty].size
		for i := range count {
			row, col := f(lane/4, lane%4, i)
			at := i * size % reg
			if at == 0 {
				out = append(out, 0)
			}
			out[len(out)-1] |= encode(ty, x[row*cols+col]) << (8 * at)
		}
		return out
	}
	var data []byte
	var na, nb, nc int
	for lane := range 32 {
		a, b, c := regs(ta, m*k/32, fa, lane, A, k), regs(tb, k*n/32, fb, lane, B, n), regs(td, m*n/32, fc, lane, C, n)
		na, nb, nc = len(a), len(b), len(c)
		for _, v := range append(append(a, b...), c...) {
			var w [8]byte
			binary.LittleEndian.PutUint64(w[:], v)
			data = append(data, w[:reg]...)
		}
	}
	per := reg * (na + nb + nc)
	var body strings.Builder
	fmt.Fprintf(&body, "mul.wide.u32 %%rd5, %%r0, %d;\nadd.u64 %%rd5, %%rd5, %%rd0;\nmul.wide.u32 %%rd6, %%r0, %d;\nadd.u64 %%rd6, %%rd6, %%rd1;\n", per, reg*nc)
	name := func(i int, d string) string {
		switch d {
		case "f64":
			return fmt.Sprintf("%%d%d", i)
		case "f32":
			return fmt.Sprintf("%%f%d", i)
		}
		return fmt.Sprintf("%%r%d", i+1)
	}
	list := func(from, n int, ty string) string {
		var s []string
		for i := range n {
			s = append(s, name(from+i, ty))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
	tyReg := "b32"
	if reg == 8 {
		tyReg = "f64"
	}
	regA := map[bool]string{true: "f64", false: "b32"}[reg == 8]
	for i := range na + nb {
		fmt.Fprintf(&body, "ld.global.%s %s, [%%rd5+%d];\n", tyReg, name(i, regA), reg*i)
	}
	for i := range nc {
		fmt.Fprintf(&body, "ld.global.%s %s, [%%rd5+%d];\n", tyReg, name(na+nb+i, td), reg*(na+nb+i))
	}
	fmt.Fprintf(&body, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s %s, %s, %s, %s;\n", shape, td, ta, tb, td,
		list(na+nb, nc, td), list(0, na, regA), list(na, nb, regA), list(na+nb, nc, td))
	for i := range nc {
		fmt.Fprintf(&body, "st.global.%s [%%rd6+%d], %s;\n", tyReg, reg*i, name(na+nb+i, td))
	}
	r := newRig(t, Options{})
	in, out := r.alloc(data), r.empty(32*reg*nc)
	src := kernel(2, body.String())
	src = strings.Replace(src, ".f64 %d<20>", ".f64 %d<40>", 1)
	src = strings.Replace(strings.Replace(src, "sm_80", "sm_90", 1), "8.0", "8.4", 1)
	if err := r.launch(src, "k", grid(1, 32, 0), in, out); err != nil {
		t.Fatalf("%s %s %s %s: %v", shape, td, ta, tb, err)
	}
	got := r.read(out)
	D := make([]float64, m*n)
	for i := range m {
		for j := range n {
			D[i*n+j] = C[i*n+j]
			for l := range k {
				D[i*n+j] += A[i*k+l] * B[l*n+j]
			}
		}
	}
	for lane := range 32 {
		for i, want := range regs(td, m*n/32, fc, lane, D, n) {
			at := (lane*nc + i) * reg
			if v := little(got[at : at+reg]); v != want {
				t.Fatalf("%s %s %s %s: lane %d register %d = %#x, want %#x", shape, td, ta, tb, lane, i, v, want)
			}
		}
	}
}

// Sums of integers that 32 bits do not hold wrap, or with .satfinite end at the nearest.
func TestIntSums(t *testing.T) {
	for _, c := range []struct{ sum, wrapped, clamped int64 }{{5, 5, 5}, {1 << 31, -1 << 31, 1<<31 - 1}, {-1<<31 - 1, 1<<31 - 1, -1 << 31}} {
		if got := storeWhole(false)(c.sum); got != uint64(uint32(c.wrapped)) {
			t.Errorf("%d is stored as %#x, want %d", c.sum, got, c.wrapped)
		}
		if got := storeWhole(true)(c.sum); got != uint64(uint32(c.clamped)) {
			t.Errorf("%d is stored as %#x with .satfinite, want %d", c.sum, got, c.clamped)
		}
	}
}

// The sum of an mma is taken with k ascending, in single precision.
func TestMMAOrder(t *testing.T) {
	var A, B, C [512]float32
	A[0], B[0] = 1, 1<<24
	A[1], B[8] = 1, 1
	A[2], B[16] = 1, -1<<24
	multiply(nil, &warpProduct{m: 16, n: 8, k: 16}, &A, &B, &C)
	if C[0] != 0 {
		t.Errorf("2^24 + 1 - 2^24 in that order is %g, want 0", C[0])
	}
}

// Matrices of 8 x 8 go through shared memory and come back.
func TestMatrixMoves(t *testing.T) {
	// Element (r, c) of matrix i is 256i + 16r + c.
	x := make([]byte, 4*128)
	for i := range 4 {
		for e := range 64 {
			binary.LittleEndian.PutUint16(x[i*128+2*e:], uint16(256*i+16*(e/8)+e%8))
		}
	}
	element := func(i, r, c int) uint32 { return uint32(256*i + 16*r + c) }
	copyIn := "mov.u32 %r1, smem;\nshl.b32 %r2, %r0, 4;\nadd.u32 %r3, %r1, %r2;\nmul.wide.u32 %rd5, %r0, 16;\nadd.u64 %rd6, %rd0, %rd5;\nadd.u64 %rd7, %rd1, %rd5;\n"
	load := copyIn + "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd6];\nst.shared.v4.b32 [%r3], {%r4,%r5,%r6,%r7};\nbar.sync 0;\n"
	for _, c := range []struct {
		name, body string
		want       func(lane, i int) uint32
	}{
		{"ldmatrix", load + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r3];\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};",
			func(l, i int) uint32 { return element(i, l/4, l%4*2) | element(i, l/4, l%4*2+1)<<16 }},
		{"ldmatrix.trans", load + "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10,%r11,%r12,%r13}, [%r3];\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};",
			func(l, i int) uint32 { return element(i, l%4*2, l/4) | element(i, l%4*2+1, l/4)<<16 }},
		{"stmatrix", copyIn + "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd6];\nstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r4,%r5,%r6,%r7};\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r3];\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};",
			func(l, i int) uint32 { return binary.LittleEndian.Uint32(x[16*l+4*i:]) }},
		{"stmatrix.trans", copyIn + "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd6];\nstmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r3], {%r4,%r5,%r6,%r7};\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10,%r11,%r12,%r13}, [%r3];\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};",
			func(l, i int) uint32 { return binary.LittleEndian.Uint32(x[16*l+4*i:]) }},
		{"movmatrix", load + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r3];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r10, %r10;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r13, %r13;\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};",
			func(l, i int) uint32 {
				if i == 0 || i == 3 {
					return element(i, l%4*2, l/4) | element(i, l%4*2+1, l/4)<<16
				}
				return element(i, l/4, l%4*2) | element(i, l/4, l%4*2+1)<<16
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{})
			in, out := r.alloc(x), r.empty(512)
			if err := r.launch(strings.Replace(kernel(2, c.body), "sm_80", "sm_90", 1), "k", grid(1, 32, 512), in, out); err != nil {
				t.Fatal(err)
			}
			for n, v := range toWords(r.read(out)) {
				if want := c.want(n/4, n%4); v != want {
					t.Fatalf("lane %d register %d = %#x, want %#x", n/4, n%4, v, want)
				}
			}
		})
	}
	// Through stmatrix, lane 4j+t leaves its register in word t of row j.
	r := newRig(t, Options{})
	in, out := r.alloc(x), r.empty(512)
	body := copyIn + "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd6];\nstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r4,%r5,%r6,%r7};\nbar.sync 0;\nld.shared.v4.b32 {%r10,%r11,%r12,%r13}, [%r3];\nst.global.v4.b32 [%rd7], {%r10,%r11,%r12,%r13};"
	if err := r.launch(strings.Replace(kernel(2, body), "sm_80", "sm_90", 1), "k", grid(1, 32, 512), in, out); err != nil {
		t.Fatal(err)
	}
	for n, v := range toWords(r.read(out)) {
		row, word := n/4, n%4 // of 32 rows of 16 bytes
		want := binary.LittleEndian.Uint32(x[16*(row%8*4+word)+4*(row/8):])
		if v != want {
			t.Fatalf("row %d word %d = %#x, want %#x", row, word, v, want)
		}
	}
}
