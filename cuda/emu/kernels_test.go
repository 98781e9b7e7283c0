package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/internal/level"
)

// An mmaGEMM is a kernel C = A·Bᵀ in bf16 with f32 sums, written the way kernels for
// sm_80 are: tiles of A and B come by cp.async into a multistage buffer in swizzled
// shared memory, fragments by ldmatrix.
//
//	A is M x K with rows of lda elements, B is N x K, C is M x N; tiles are 32 deep.
type mmaGEMM struct {
	warpsM, warpsN int // of the block
	mi, ni         int // fragments of 16 rows and of 16 columns a warp
	stages         int
}

func (g mmaGEMM) threads() int { return 32 * g.warpsM * g.warpsN }
func (g mmaGEMM) bm() int      { return 16 * g.mi * g.warpsM }
func (g mmaGEMM) bn() int      { return 16 * g.ni * g.warpsN }
func (g mmaGEMM) stage() int   { return 64 * (g.bm() + g.bn()) }
func (g mmaGEMM) shared() int  { return g.stages * g.stage() }

func (g mmaGEMM) text() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s.extern .shared .align 128 .b8 smem[];", header)
	p(".visible .entry gemm(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 M, .param .u32 N, .param .u32 K)")
	p("{\n.reg .b32 %%r<2000>;\n.reg .b64 %%rd<200>;\n.reg .f32 %%acc<%d>;\n.reg .pred %%p<200>;", 8*g.mi*g.ni)
	p("ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\nld.param.u64 %%rd3, [C];")
	p("ld.param.u32 %%r1, [M];\nld.param.u32 %%r2, [N];\nld.param.u32 %%r3, [K];")
	p("cvta.to.global.u64 %%rd1, %%rd1;\ncvta.to.global.u64 %%rd2, %%rd2;\ncvta.to.global.u64 %%rd3, %%rd3;")
	p("mov.u32 %%r4, %%tid.x;\nmov.u32 %%r5, %%ctaid.y;\nmul.lo.u32 %%r5, %%r5, %d;", g.bm())
	p("mov.u32 %%r6, %%ctaid.x;\nmul.lo.u32 %%r6, %%r6, %d;", g.bn())
	p("mov.u32 %%r7, smem;")
	p("add.u32 %%r8, %%r3, 31;\nshr.u32 %%r8, %%r8, 5;") // tiles of K
	for i := range 8 * g.mi * g.ni {
		p("mov.f32 %%acc%d, 0f00000000;", i)
	}
	// load copies the tile whose number is in %r9 to the stage at %r10 (bytes).
	load := func() {
		p("shl.b32 %%r11, %%r9, 5;") // first k
		part := func(rows, base int, global, origin, limit string) {
			for i := range rows * 4 / g.threads() {
				p("add.u32 %%r12, %%r4, %d;\nshr.u32 %%r13, %%r12, 2;\nand.b32 %%r14, %%r12, 3;", i*g.threads())
				p("shr.u32 %%r15, %%r13, 1;\nand.b32 %%r15, %%r15, 3;")
				p("xor.b32 %%r15, %%r15, %%r14; // swizzle")
				p("shl.b32 %%r16, %%r13, 6;\nshl.b32 %%r15, %%r15, 4;\nadd.u32 %%r16, %%r16, %%r15;\nadd.u32 %%r16, %%r16, %%r10;\nadd.u32 %%r16, %%r16, %%r7;")
				p("add.u32 %%r17, %%r13, %s;\nshl.b32 %%r18, %%r14, 3;\nadd.u32 %%r18, %%r18, %%r11;", origin)
				p("sub.s32 %%r19, %%r3, %%r18;\nmul.lo.s32 %%r19, %%r19, 2;\nmax.s32 %%r19, %%r19, 0;\nmin.s32 %%r19, %%r19, 16;")
				p("setp.lt.u32 %%p1, %%r17, %s;", limit)
				p("selp.b32 %%r19, %%r19, 0, %%p1; // edge")
				p("mul.wide.u32 %%rd4, %%r17, %%r3;\ncvt.u64.u32 %%rd5, %%r18;\nadd.u64 %%rd4, %%rd4, %%rd5;\nshl.b64 %%rd4, %%rd4, 1;\nadd.u64 %%rd4, %%rd4, %s;", global)
				p("cp.async.cg.shared.global [%%r16+%d], [%%rd4], 16, %%r19;", base)
			}
		}
		part(g.bm(), 0, "%rd1", "%r5", "%r1")
		part(g.bn(), 64*g.bm(), "%rd2", "%r6", "%r2")
	}
	for s := range g.stages - 1 {
		p("mov.u32 %%r9, %d;\nmov.u32 %%r10, %d;\nsetp.ge.u32 %%p2, %%r9, %%r8;\n@%%p2 bra skip%d;", s, s*g.stage(), s)
		load()
		p("skip%d:\ncp.async.commit_group;", s)
	}
	// Addresses of fragments: rows of the lane, and its half of a k-step.
	p("and.b32 %%r20, %%r4, 31;\nshr.u32 %%r21, %%r4, 5;\nrem.u32 %%r22, %%r21, %d;\ndiv.u32 %%r23, %%r21, %d;", g.warpsM, g.warpsM)
	p("mul.lo.u32 %%r22, %%r22, %d;\nmul.lo.u32 %%r23, %%r23, %d;", 16*g.mi, 16*g.ni)                               // first row, first column of the warp
	p("and.b32 %%r24, %%r20, 15;\nadd.u32 %%r24, %%r24, %%r22;\nshr.u32 %%r25, %%r20, 4;")                          // A: row, chunk
	p("and.b32 %%r26, %%r20, 7;\nshr.u32 %%r27, %%r20, 4;\nshl.b32 %%r27, %%r27, 3;\nadd.u32 %%r26, %%r26, %%r27;") // B: row
	p("add.u32 %%r26, %%r26, %%r23;\nshr.u32 %%r27, %%r20, 3;\nand.b32 %%r27, %%r27, 1;")                           // B: chunk
	p("mov.u32 %%r30, 0;\nmov.u32 %%r31, 0;")                                                                       // tile, its stage
	p("setp.ge.u32 %%p3, %%r30, %%r8;\n@%%p3 bra done;")
	p("loop:\ncp.async.wait_group %d;\nbar.sync 0;", g.stages-2)
	p("mul.lo.u32 %%r32, %%r31, %d;\nadd.u32 %%r32, %%r32, %%r7;", g.stage())
	for k := range 2 {
		frag := func(reg int, row, chunk string, off, base int) {
			p("add.u32 %%r40, %s, %d;\nshr.u32 %%r41, %%r40, 1;\nand.b32 %%r41, %%r41, 3;\nadd.u32 %%r42, %s, %d;", row, off, chunk, 2*k)
			p("xor.b32 %%r41, %%r41, %%r42; // swizzle")
			p("shl.b32 %%r40, %%r40, 6;\nshl.b32 %%r41, %%r41, 4;\nadd.u32 %%r40, %%r40, %%r41;\nadd.u32 %%r40, %%r40, %%r32;")
			p("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%r40+%d];", reg, reg+1, reg+2, reg+3, base)
		}
		for i := range g.mi {
			frag(100+4*i, "%r24", "%r25", 16*i, 0)
		}
		for j := range g.ni {
			frag(200+4*j, "%r26", "%r27", 16*j, 64*g.bm())
		}
		for i := range g.mi {
			for j := range 2 * g.ni {
				c := 4 * (i*2*g.ni + j)
				p("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%%acc%d, %%acc%d, %%acc%d, %%acc%d}, {%%r%d, %%r%d, %%r%d, %%r%d}, {%%r%d, %%r%d}, {%%acc%d, %%acc%d, %%acc%d, %%acc%d};",
					c, c+1, c+2, c+3, 100+4*i, 101+4*i, 102+4*i, 103+4*i, 200+2*j, 201+2*j, c, c+1, c+2, c+3)
			}
		}
	}
	p("add.u32 %%r9, %%r30, %d;\nadd.u32 %%r33, %%r31, %d;\nrem.u32 %%r33, %%r33, %d;\nmul.lo.u32 %%r10, %%r33, %d;", g.stages-1, g.stages-1, g.stages, g.stage())
	p("setp.ge.u32 %%p2, %%r9, %%r8;\n@%%p2 bra none;")
	load()
	p("none:\ncp.async.commit_group;")
	p("add.u32 %%r30, %%r30, 1;\nadd.u32 %%r31, %%r31, 1;\nrem.u32 %%r31, %%r31, %d;\nsetp.lt.u32 %%p3, %%r30, %%r8;\n@%%p3 bra loop;\ndone:", g.stages)
	p("shr.u32 %%r50, %%r20, 2;\nadd.u32 %%r50, %%r50, %%r22;\nadd.u32 %%r50, %%r50, %%r5;") // row
	p("and.b32 %%r51, %%r20, 3;\nshl.b32 %%r51, %%r51, 1;\nadd.u32 %%r51, %%r51, %%r23;\nadd.u32 %%r51, %%r51, %%r6;")
	for i := range g.mi {
		for h := range 2 {
			p("add.u32 %%r52, %%r50, %d;\nsetp.lt.u32 %%p4, %%r52, %%r1;\nmul.wide.u32 %%rd6, %%r52, %%r2;", 16*i+8*h)
			for j := range 2 * g.ni {
				for e := range 2 {
					p("add.u32 %%r53, %%r51, %d;\nsetp.lt.and.u32 %%p5, %%r53, %%r2, %%p4;\ncvt.u64.u32 %%rd7, %%r53;\nadd.u64 %%rd7, %%rd7, %%rd6;\nshl.b64 %%rd7, %%rd7, 2;\nadd.u64 %%rd7, %%rd7, %%rd3;", 8*j+e)
					p("@%%p5 st.global.f32 [%%rd7], %%acc%d;", 4*(i*2*g.ni+j)+2*h+e)
				}
			}
		}
	}
	p("ret;\n}")
	return b.String()
}

// run multiplies small integers on a device and returns what was wrong: a fault, or
// a number.
func (g mmaGEMM) run(t testing.TB, o Options, text string, m, n, k, shared int) (*rig, error) {
	r := newRig(t, o)
	rng := rand.New(level.PCG(1, 2))
	matrix := func(n int) ([]float32, []byte) {
		v, b := make([]float32, n), make([]byte, 2*n)
		for i := range v {
			v[i] = float32(rng.IntN(9) - 4)
			binary.LittleEndian.PutUint16(b[2*i:], uint16(math.Float32bits(v[i])>>16))
		}
		return v, b
	}
	x, xb := matrix(m * k)
	y, yb := matrix(n * k)
	a, b, c := r.alloc(xb), r.alloc(yb), r.empty(4*m*n)
	shape := cuda.Grid{Blocks: [3]int{(n + g.bn() - 1) / g.bn(), (m + g.bm() - 1) / g.bm(), 1}, Threads: [3]int{g.threads(), 1, 1}, Shared: shared}
	mod, err := r.d.Load(text)
	if err != nil {
		return r, err
	}
	f, err := mod.Function("gemm")
	if err != nil {
		return r, err
	}
	if err := f.Launch(r.s, shape, pack(a, b, c, uint32(m), uint32(n), uint32(k))); err != nil {
		return r, err
	}
	if err := r.s.Synchronize(); err != nil {
		return r, err
	}
	got := toFloats(r.read(c))
	for i := range m {
		for j := range n {
			var want float32
			for l := range k {
				want += x[i*k+l] * y[j*k+l]
			}
			if got[i*n+j] != want {
				return r, fmt.Errorf("C[%d, %d] = %g, want %g", i, j, got[i*n+j], want)
			}
		}
	}
	return r, nil
}

// schedules are the orders that every good kernel has to bear.
var schedules = []Options{
	{}, {Async: Latest}, {Seed: 1, Async: Random}, {Seed: 2}, {Seed: 3, Async: Latest, Workers: 1},
}

var smallGEMM = mmaGEMM{warpsM: 2, warpsN: 2, mi: 1, ni: 1, stages: 3}

func TestMMAGEMM(t *testing.T) {
	g := smallGEMM
	for _, o := range schedules {
		for _, s := range [][3]int{{32, 32, 32}, {32, 32, 160}, {33, 31, 40}, {70, 50, 200}, {1, 1, 8}} {
			if _, err := g.run(t, o, g.text(), s[0], s[1], s[2], g.shared()); err != nil {
				t.Errorf("seed %d, async %d, %v: %v", o.Seed, o.Async, s, err)
			}
		}
	}
	r, err := g.run(t, Options{}, g.text(), 64, 64, 128, g.shared())
	if err != nil {
		t.Fatal(err)
	}
	k := r.d.Report().Kernels[0]
	if k.Flops != 2*64*64*128 {
		t.Errorf("%d flops, want %d", k.Flops, 2*64*64*128)
	}
	if k.SharedWavefronts != k.SharedIdeal || k.SharedIdeal == 0 {
		t.Errorf("%d wavefronts, ideal are %d", k.SharedWavefronts, k.SharedIdeal)
	}
	for _, l := range k.Lines {
		// The stores of C are of 4 bytes, 8 apart: half of what they touch.
		copies := strings.HasPrefix(l.Text, "cp.async.cg")
		if wanted := l.GlobalIdeal; copies && (wanted == 0 || l.GlobalSectors != wanted) || !copies && l.GlobalSectors != 2*wanted {
			t.Errorf("line %d `%s`: %d sectors, ideal are %d", l.Line, l.Text, l.GlobalSectors, wanted)
		}
	}
}

func BenchmarkMMAGEMM(b *testing.B) {
	g := mmaGEMM{warpsM: 2, warpsN: 2, mi: 4, ni: 2, stages: 3}
	text := g.text()
	const m, n, k = 256, 128, 256
	r := newRig(b, Options{Workers: 1})
	x := make([]byte, 2*(m+n)*k)
	for i := range x {
		x[i] = byte(i * 7 & 0x3f)
	}
	a, bb, c := r.alloc(x[:2*m*k]), r.alloc(x[2*m*k:]), r.empty(4*m*n)
	mod, err := r.d.Load(text)
	if err != nil {
		b.Fatal(err)
	}
	f, err := mod.Function("gemm")
	if err != nil {
		b.Fatal(err)
	}
	shape := cuda.Grid{Blocks: [3]int{(n + g.bn() - 1) / g.bn(), (m + g.bm() - 1) / g.bm(), 1}, Threads: [3]int{g.threads(), 1, 1}, Shared: g.shared()}
	b.ResetTimer()
	for range b.N {
		if err := f.Launch(r.s, shape, pack(a, bb, c, uint32(m), uint32(n), uint32(k))); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.s.Synchronize(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(2*m*n*k*float64(b.N)/b.Elapsed().Seconds()/1e6, "MFLOP/s")
}
