package emu

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/internal/level"
)

// A wmmaCase is a product of one type.
type wmmaCase struct {
	a, c, d        string // types
	shape          string
	m, n, k        int
	ra, rb, rc, rd int // registers
	mma            string
}

func wmmaCases() (list []wmmaCase) {
	add := func(a, c, d, shape, mma string, ra, rb, rc, rd int) {
		w := wmmaCase{a: a, c: c, d: d, shape: shape, ra: ra, rb: rb, rc: rc, rd: rd, mma: mma}
		fmt.Sscanf(shape, "m%dn%dk%d", &w.m, &w.n, &w.k)
		list = append(list, w)
	}
	regs := map[string][2]int{"m16n16k16": {4, 4}, "m32n8k16": {8, 2}, "m8n32k16": {2, 8}}
	for shape, r := range regs {
		for _, c := range []string{"f16", "f32"} {
			for _, d := range []string{"f16", "f32"} {
				n := map[string]int{"f16": 4, "f32": 8}
				add("f16", c, d, shape, "."+d+"."+c, 8, 8, n[c], n[d])
			}
		}
		add("bf16", "f32", "f32", shape, ".f32.bf16.bf16.f32", r[0], r[1], 8, 8)
		add("s8", "s32", "s32", shape, ".s32.s8.s8.s32", r[0]/2, r[1]/2, 8, 8)
		add("u8", "s32", "s32", shape, ".s32.u8.u8.s32.satfinite", r[0]/2, r[1]/2, 8, 8)
	}
	add("tf32", "f32", "f32", "m16n16k8", ".f32.tf32.tf32.f32", 4, 4, 8, 8)
	add("f64", "f64", "f64", "m8n8k4", ".rn.f64.f64.f64.f64", 1, 1, 2, 2)
	return list
}

// text is a kernel that multiplies with leading dimensions of 32 elements.
func (w *wmmaCase) text(la, lb, lc, ld, from string) string {
	reg := func(t string) string {
		switch t {
		case "f32":
			return "%f"
		case "f64":
			return "%d"
		}
		return "%r"
	}
	list := func(t string, at, n int) string {
		var s []string
		if t == "f64" {
			at = at / 10 * 4
		}
		for i := range n {
			s = append(s, fmt.Sprintf("%s%d", reg(t), at+i))
		}
		return "{" + strings.Join(s, ", ") + "}"
	}
	a, b, c, d := list(w.a, 10, w.ra), list(w.a, 20, w.rb), list(w.c, 30, w.rc), list(w.d, 40, w.rd)
	if w.a == "tf32" {
		a, b = list("b32", 10, w.ra), list("b32", 20, w.rb)
	}
	return fmt.Sprintf(`wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%%rd0], 32;
wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%%rd1], %%r1;
wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%%rd2], 32;
wmma.mma.sync.aligned.%s.%s.%s%s %s, %s, %s, %s;
wmma.store.d.sync.aligned.%s.%s%s.%s [%%rd3], %s, 32;
`, la, w.shape, from, w.a, a, lb, w.shape, from, w.a, b, lc, w.shape, from, w.c, c, la, lb, w.shape, w.mma, d, a, b, c, ld, w.shape, from, w.d, d)
}

// TestWmma multiplies small integers in every type, shape and order.
func TestWmma(t *testing.T) {
	encode := func(name string, x int) ([]byte, int) {
		var bits uint64
		size := types[name].size
		switch name {
		case "f16", "bf16":
			bits = formats[name].encode(float64(x), roundNear, false)
		case "f32", "tf32":
			bits = uint64(math.Float32bits(float32(x)))
		case "f64":
			bits = math.Float64bits(float64(x))
		default:
			bits = uint64(x)
		}
		b := make([]byte, 8)
		putLittle(b, bits)
		return b[:size], size
	}
	for i, w := range wmmaCases() {
		orders := []string{"row", "col"}
		for o := range 16 {
			if level.Of((o+i)%11 != 0, false, false) {
				continue
			}
			la, lb, lc, ld := orders[o&1], orders[o>>1&1], orders[o>>2&1], orders[o>>3]
			name := fmt.Sprintf("%s/%s/%s-%s/%s-%s-%s-%s", w.shape, w.a, w.c, w.d, la, lb, lc, ld)
			matrix := func(kind, order string, rows, cols int, value func(i, j int) int) []byte {
				_, size := encode(kind, 0)
				b := make([]byte, 32*32*size)
				for i := range rows {
					for j := range cols {
						at := i*32 + j
						if order == "col" {
							at = j*32 + i
						}
						e, _ := encode(kind, value(i, j))
						copy(b[at*size:], e)
					}
				}
				return b
			}
			va, vb, vc := func(i, j int) int { return (i*7 + j*3) % 5 }, func(i, j int) int { return (i + j*5) % 7 }, func(i, j int) int { return i*3 + j }
			r := newRig(t, Options{})
			d := r.alloc(make([]byte, 32*32*types[w.d].size))
			err := r.launch(kernel(4, "mov.u32 %r1, 32;\n"+w.text(la, lb, lc, ld, ".global")), "k", grid(1, 32, 0),
				r.alloc(matrix(w.a, la, w.m, w.k, va)), r.alloc(matrix(w.a, lb, w.k, w.n, vb)), r.alloc(matrix(w.c, lc, w.m, w.n, vc)), d)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := matrix(w.d, ld, w.m, w.n, func(i, j int) int {
				s := vc(i, j)
				for l := range w.k {
					s += va(i, l) * vb(l, j)
				}
				return s
			})
			if got := r.read(d); string(got) != string(want) {
				t.Errorf("%s is wrong", name)
			}
		}
	}
}

// TestWmmaText: the assembler takes what the emulator takes and refuses what it refuses.
func TestWmmaText(t *testing.T) {
	var taken []string
	for i, w := range wmmaCases() {
		o := []string{"row", "col"}
		for line := range strings.Lines(w.text(o[i&1], o[i>>1&1], o[i>>2&1], "row", []string{"", ".global", ".shared"}[i%3])) {
			if strings.TrimSpace(line) != "" {
				taken = append(taken, "{ .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .f64 %d<60>; "+strings.TrimSpace(line)+" }")
			}
		}
	}
	refused := []string{
		"wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd0];",
		"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1, %r2, %r3}, [%rd0];",
		"wmma.load.a.sync.aligned.row.m16n16k16.f32 {%r0, %r1, %r2, %r3}, [%rd0];",
		"wmma.load.d.sync.aligned.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd0];",
		"wmma.load.c.sync.aligned.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd0];",
		"wmma.store.c.sync.aligned.row.m16n16k16.f32 [%rd0], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
		"wmma.load.c.sync.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd0], %f1;",
		"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%d0, %d1}, {%d0}, {%d1, %d2}, {%d3, %d4};",
		"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r0, %r1}, {%r2, %r3}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};",
	}
	for i, l := range refused {
		refused[i] = "{ .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .f64 %d<60>; " + l + " }"
	}
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	load := func(line string) error {
		_, err := d.Load(assemblerHead + line + assemblerTail)
		return err
	}
	for _, l := range taken {
		if err := load(l); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
	for _, l := range refused {
		if err := load(l); err == nil {
			t.Errorf("%s is taken", l)
		}
	}
	assembleTable(t, taken, refused)
}

// TestWmmaFaults: addresses that differ or are not aligned, and lanes that are missing.
func TestWmmaFaults(t *testing.T) {
	const load = "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1], %r1;"
	run := func(before string, threads int) error {
		r := newRig(t, Options{})
		return r.launch(kernel(1, "mov.u32 %r1, 16;\nmov.u64 %rd1, %rd0;\n"+before+"\n"+load), "k", cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{threads, 1, 1}}, r.alloc(make([]byte, 1024)))
	}
	if err := run("", 32); err != nil {
		t.Error(err)
	}
	wantFault(t, run("add.u64 %rd1, %rd1, 4;", 32), Misaligned, "multiples of 16")
	wantFault(t, run("mov.u32 %r1, 17;", 32), Misaligned, "68 bytes from row to row")
	wantFault(t, run("mov.u32 %r1, %r0;", 32), Diverged, "lane 0")
	wantFault(t, run("mov.u32 %r1, 20;", 32), Bounds, "1024 bytes")
	wantFault(t, run("", 31), Diverged, "32 threads")
}
