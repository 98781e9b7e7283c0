package emu

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
)

// runWarp runs body in one warp and returns %r10 of each lane; %r1 holds in[lane].
func runWarp(t *testing.T, in []uint32, body string) []uint32 {
	t.Helper()
	r := newRig(t, Options{})
	a, out := r.alloc(words(in...)), r.empty(128)
	src := "mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd6, %rd0, %rd5;\nadd.u64 %rd7, %rd1, %rd5;\nld.global.u32 %r1, [%rd6];\n" +
		strings.ReplaceAll(body, "; ", ";\n") + "\nst.global.u32 [%rd7], %r10;"
	if err := r.launch(kernel(2, src), "k", grid(1, 32, 0), a, out); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return toWords(r.read(out))
}

func TestWarpOps(t *testing.T) {
	in := make([]uint32, 32)
	for i := range in {
		in[i] = uint32(i) * 2654435761 >> 7 % 11
	}
	fold := func(f func(a, b uint32) uint32, from, to int) uint32 {
		v := in[from]
		for i := from + 1; i < to; i++ {
			v = f(v, in[i])
		}
		return v
	}
	ballot := func(f func(v uint32) bool) (m uint32) {
		for i, v := range in {
			if f(v) {
				m |= 1 << i
			}
		}
		return m
	}
	for _, c := range []struct {
		body string
		want func(lane int) uint32
	}{
		{"shfl.sync.idx.b32 %r10, %r1, 5, 31, 0xffffffff;", func(int) uint32 { return in[5] }},
		{"add.u32 %r2, %r0, 3; shfl.sync.idx.b32 %r10, %r1, %r2, 31, 0xffffffff;", func(l int) uint32 { return in[(l+3)%32] }},
		{"shfl.sync.bfly.b32 %r10, %r1, 3, 31, -1;", func(l int) uint32 { return in[l^3] }},
		{"shfl.sync.up.b32 %r10|%p1, %r1, 4, 0, -1;", func(l int) uint32 {
			if l < 4 {
				return in[l]
			}
			return in[l-4]
		}},
		{"shfl.sync.down.b32 %r10|%p1, %r1, 4, 31, -1; selp.b32 %r10, %r10, 99, %p1;", func(l int) uint32 {
			if l+4 > 31 {
				return 99
			}
			return in[l+4]
		}},
		// Segments of eight lanes: c = 0x1807 has the mask in its upper part.
		{"shfl.sync.down.b32 %r10|%p1, %r1, 2, 0x1807, -1; selp.b32 %r10, %r10, 99, %p1;", func(l int) uint32 {
			if l%8+2 > 7 {
				return 99
			}
			return in[l+2]
		}},
		{"shfl.sync.idx.b32 %r10, %r1, 2, 0x1807, -1;", func(l int) uint32 { return in[l/8*8+2] }},
		{"setp.gt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r10, %p1, -1;", func(int) uint32 { return ballot(func(v uint32) bool { return v > 5 }) }},
		{"setp.gt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r10, !%p1, -1;", func(int) uint32 { return ballot(func(v uint32) bool { return v <= 5 }) }},
		{"setp.gt.u32 %p1, %r1, 100; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r10, 1, 2, %p2;", func(int) uint32 { return 2 }},
		{"setp.lt.u32 %p1, %r1, 100; vote.sync.all.pred %p2, %p1, -1; selp.b32 %r10, 1, 2, %p2;", func(int) uint32 { return 1 }},
		{"setp.gt.u32 %p1, %r1, 5; vote.sync.uni.pred %p2, %p1, -1; selp.b32 %r10, 1, 2, %p2;", func(int) uint32 { return 2 }},
		{"redux.sync.add.u32 %r10, %r1, -1;", func(int) uint32 { return fold(func(a, b uint32) uint32 { return a + b }, 0, 32) }},
		{"redux.sync.max.u32 %r10, %r1, -1;", func(int) uint32 { return fold(func(a, b uint32) uint32 { return max(a, b) }, 0, 32) }},
		{"sub.s32 %r2, 3, %r1; redux.sync.min.s32 %r10, %r2, -1;", func(int) uint32 {
			return 3 - fold(func(a, b uint32) uint32 { return max(a, b) }, 0, 32)
		}},
		{"redux.sync.xor.b32 %r10, %r1, -1;", func(int) uint32 { return fold(func(a, b uint32) uint32 { return a ^ b }, 0, 32) }},
		{"match.any.sync.b32 %r10, %r1, -1;", func(l int) uint32 { return ballot(func(v uint32) bool { return v == in[l] }) }},
		{"match.all.sync.b32 %r10|%p1, 7, -1; selp.b32 %r10, %r10, 5, %p1;", func(int) uint32 { return math.MaxUint32 }},
		{"match.all.sync.b32 %r10|%p1, %r1, -1; selp.b32 %r10, 4, 5, %p1;", func(int) uint32 { return 5 }},
		{"mov.u32 %r10, 0; setp.lt.u32 %p1, %r0, 12; @%p1 activemask.b32 %r10;", func(l int) uint32 {
			if l < 12 {
				return 0xfff
			}
			return 0
		}},
		// Half a warp by itself.
		{"mov.u32 %r10, 0; setp.lt.u32 %p1, %r0, 16; @!%p1 bra e; redux.sync.add.u32 %r10, %r1, 0xffff; e:", func(l int) uint32 {
			if l >= 16 {
				return 0
			}
			return fold(func(a, b uint32) uint32 { return a + b }, 0, 16)
		}},
		{"and.b32 %r2, %r0, 16; shl.b32 %r3, 0xffff, %r2; redux.sync.add.u32 %r10, %r1, %r3;", func(l int) uint32 {
			return fold(func(a, b uint32) uint32 { return a + b }, l/16*16, l/16*16+16)
		}},
		{"mov.u32 %r10, %lanemask_lt;", func(l int) uint32 { return 1<<l - 1 }},
		{"mov.u32 %r10, %lanemask_ge;", func(l int) uint32 { return -uint32(1 << l) }},
		{"mov.u32 %r10, %ntid.x;", func(int) uint32 { return 32 }},
		// The lanes of a switch come together again.
		{"and.b32 %r2, %r0, 3; mov.u32 %r10, 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra a; setp.eq.u32 %p1, %r2, 1; @%p1 bra b; add.u32 %r10, %r10, 5; bra e; a: add.u32 %r10, %r10, 1; bra e; b: add.u32 %r10, %r10, 2; e: bar.sync 0; activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 8; or.b32 %r10, %r10, %r3;",
			func(l int) uint32 { return [4]uint32{1, 2, 5, 5}[l%4] | 32<<8 }},
		// A sum by a loop that lanes leave at different times.
		{"mov.u32 %r10, 0; mov.u32 %r2, 0; l: add.u32 %r10, %r10, %r2; add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r0; @%p1 bra l;", func(l int) uint32 { return uint32(l * (l + 1) / 2) }},
	} {
		for l, got := range runWarp(t, in, c.body) {
			if want := c.want(l); got != want {
				t.Errorf("%s: lane %d = %#x, want %#x", c.body, l, got, want)
				break
			}
		}
	}
}

func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op       string
		size     int
		init     uint64
		operand  func(i int) uint64
		combined uint64 // of 64 threads
	}{
		{"add.u32", 4, 5, func(i int) uint64 { return uint64(i) }, 5 + 2016},
		{"add.u64", 8, 5, func(i int) uint64 { return uint64(i) << 30 }, 5 + 2016<<30},
		{"add.f32", 4, 0, func(i int) uint64 { return uint64(math.Float32bits(float32(i))) }, uint64(math.Float32bits(2016))},
		{"add.f64", 8, 0, func(i int) uint64 { return math.Float64bits(float64(i)) }, math.Float64bits(2016)},
		{"add.noftz.f16x2", 4, 0, func(i int) uint64 { return 0x3c004000 }, formats["f16"].encode(64, roundNear, false)<<16 | formats["f16"].encode(128, roundNear, false)},
		{"add.noftz.bf16x2", 4, 0, func(i int) uint64 { return 0x3f804000 }, 0x42804300},
		{"min.s32", 4, 7, func(i int) uint64 { return uint64(uint32(3 - i)) }, uint64(uint32(0xffffffc4))},
		{"max.u32", 4, 7, func(i int) uint64 { return uint64(i * 3) }, 189},
		{"and.b32", 4, 0xffffffff, func(i int) uint64 { return ^uint64(1<<(i%32)) & 0xffffffff }, 0},
		{"or.b64", 8, 0, func(i int) uint64 { return 1 << i }, math.MaxUint64},
		{"xor.b32", 4, 3, func(i int) uint64 { return uint64(i) }, 3},
		{"inc.u32", 4, 0, func(i int) uint64 { return 9 }, 4}, // 64 steps modulo 10
		{"dec.u32", 4, 3, func(i int) uint64 { return 9 }, 9},
	} {
		for _, place := range []string{"global", "shared"} {
			for _, o := range []Options{{}, {Seed: 5}} {
				r := newRig(t, o)
				data := make([]byte, 8*64+8)
				putLittle(data[512:], c.init)
				for i := range 64 {
					putLittle(data[8*i:], c.operand(i))
				}
				reg, ty := map[int]string{4: "%r", 8: "%rd"}[c.size], fmt.Sprintf("b%d", 8*c.size)
				if strings.HasSuffix(c.op, ".f32") {
					reg = "%f"
				} else if strings.HasSuffix(c.op, ".f64") {
					reg = "%d"
				}
				at, body := "[%rd0+512]", ""
				if place == "shared" {
					at = "[smem]"
					body = "setp.eq.u32 %p1, %r0, 0;\n@%p1 ld.global." + ty + " " + reg + "5, [%rd0+512];\n@%p1 st.shared." + ty + " [smem], " + reg + "5;\nbar.sync 0;\n"
				}
				body += "mul.wide.u32 %rd5, %r0, 8;\nadd.u64 %rd5, %rd5, %rd0;\nld.global." + ty + " " + reg + "6, [%rd5];\nred." + place + "." + c.op + " " + at + ", " + reg + "6;\n"
				if place == "shared" {
					body += "bar.sync 0;\n@%p1 ld.shared." + ty + " " + reg + "7, [smem];\n@%p1 st.global." + ty + " [%rd0+512], " + reg + "7;\n"
				}
				m := r.alloc(data)
				if err := r.launch(strings.Replace(kernel(1, body), "sm_80", "sm_90", 1), "k", grid(1, 64, 16), m); err != nil {
					t.Fatalf("%s %s: %v", c.op, place, err)
				}
				if got := little(r.read(m)[512 : 512+c.size]); got != c.combined {
					t.Errorf("%s %s = %#x, want %#x", c.op, place, got, c.combined)
				}
			}
		}
	}
	// atom gives what was there: every thread another ticket.
	for _, op := range []string{"atom.global.add.u32 %r10, [%rd2], 1;", "l: ld.volatile.global.u32 %r11, [%rd2]; add.u32 %r12, %r11, 1; atom.global.cas.b32 %r10, [%rd2], %r11, %r12; setp.ne.u32 %p1, %r10, %r11; @%p1 bra l;"} {
		r := newRig(t, Options{Seed: 1})
		n, out := r.alloc(words(0)), r.empty(4*256)
		body := "mov.u64 %rd2, %rd0;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r2, %r2, 64, %r0;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd5, %rd5, %rd1;\n" + strings.ReplaceAll(op, "; ", ";\n") + "\nst.global.u32 [%rd5], %r10;"
		if err := r.launch(kernel(2, body), "k", grid(4, 64, 0), n, out); err != nil {
			t.Fatal(err)
		}
		var seen [4]uint64
		for _, v := range toWords(r.read(out)) {
			if v < 256 {
				seen[v/64] |= 1 << (v % 64)
			}
		}
		total := 0
		for _, s := range seen {
			total += bits.OnesCount64(s)
		}
		if total != 256 {
			t.Errorf("%s: %d different tickets, want 256", op, total)
		}
	}
}

// bar.red counts and joins predicates of the block.
func TestBarrierReductions(t *testing.T) {
	r := newRig(t, Options{})
	out := r.empty(4 * 64)
	body := strings.ReplaceAll("setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r1, 0, %p1; barrier.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1; "+
		"selp.u32 %r2, 1000, 0, %p2; selp.u32 %r3, 2000, 0, %p3; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; "+
		"mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd5, %rd0; st.global.u32 [%rd5], %r1;", "; ", ";\n")
	if err := r.launch(kernel(1, body), "k", grid(1, 64, 0), out); err != nil {
		t.Fatal(err)
	}
	for i, v := range toWords(r.read(out)) {
		if v != 2040 {
			t.Fatalf("thread %d has %d, want 2040", i, v)
		}
	}
}
