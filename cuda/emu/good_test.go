package emu

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// Kernels without a mistake, for TestMutants to break.

func goodKernels() []goodKernel {
	three := smallGEMM
	deep := mmaGEMM{warpsM: 1, warpsN: 2, mi: 2, ni: 1, stages: 4}
	runMMA := func(g mmaGEMM) func(t testing.TB, o Options, text string, shared int) error {
		return func(t testing.TB, o Options, text string, shared int) error {
			for _, s := range [][3]int{{37, 41, 168}, {40, 33, 8}, {33, 34, 40}, {34, 33, 72}} {
				if _, err := g.run(t, o, text, s[0], s[1], s[2], shared); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return []goodKernel{
		{name: "mma of 3 stages", text: three.text(), shared: three.shared(), run: runMMA(three)},
		{name: "mma of 4 stages", text: deep.text(), shared: deep.shared(), run: runMMA(deep)},
		{name: "simt", text: simtGEMM, run: runSIMT},
		{name: "warp transpose", text: warpTranspose, shared: 4 * 4 * 32 * 33, run: runWarpTranspose},
		{name: "last block", text: lastBlock, run: runLastBlock},
		{name: "split", text: splitSum, run: runSplitSum},
		{name: "mbarrier stages", text: mbarrierStages, shared: stagesShared, run: runMbarrierStages},
	}
}

// simtGEMM multiplies f32 matrices by tiles of 16 x 16, a thread an element.
const simtGEMM = header + `
.visible .entry simt(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 M, .param .u32 N, .param .u32 K)
{
.reg .b32 %r<40>;
.reg .b64 %rd<20>;
.reg .f32 %f<10>;
.reg .pred %p<10>;
.shared .align 16 .b8 tileA[1024];
.shared .align 16 .b8 tileB[1024];
ld.param.u64 %rd1, [A];
ld.param.u64 %rd2, [B];
ld.param.u64 %rd3, [C];
ld.param.u32 %r1, [M];
ld.param.u32 %r2, [N];
ld.param.u32 %r3, [K];
mov.u32 %r4, %tid.x;
mov.u32 %r5, %tid.y;
mov.u32 %r6, %ctaid.y;
mad.lo.u32 %r6, %r6, 16, %r5;
mov.u32 %r7, %ctaid.x;
mad.lo.u32 %r7, %r7, 16, %r4;
mov.u32 %r20, tileA;
mov.u32 %r21, tileB;
mad.lo.u32 %r8, %r5, 16, %r4;
shl.b32 %r8, %r8, 2;
add.u32 %r9, %r8, %r20;
add.u32 %r10, %r8, %r21;
mov.f32 %f1, 0f00000000;
mov.u32 %r11, 0;
loop:
setp.ge.u32 %p1, %r11, %r3;
@%p1 bra done;
add.u32 %r12, %r11, %r4;
setp.lt.u32 %p2, %r12, %r3;
setp.lt.and.u32 %p2, %r6, %r1, %p2;
mad.lo.u32 %r13, %r6, %r3, %r12;
mul.wide.u32 %rd4, %r13, 4;
add.u64 %rd4, %rd4, %rd1;
mov.f32 %f2, 0f00000000;
@%p2 ld.global.f32 %f2, [%rd4];
st.shared.f32 [%r9], %f2;
add.u32 %r12, %r11, %r5;
setp.lt.u32 %p2, %r12, %r3;
setp.lt.and.u32 %p2, %r7, %r2, %p2;
mad.lo.u32 %r13, %r12, %r2, %r7;
mul.wide.u32 %rd4, %r13, 4;
add.u64 %rd4, %rd4, %rd2;
mov.f32 %f2, 0f00000000;
@%p2 ld.global.f32 %f2, [%rd4];
st.shared.f32 [%r10], %f2;
bar.sync 0;
mov.u32 %r14, 0;
shl.b32 %r15, %r5, 6;
add.u32 %r15, %r15, %r20;
shl.b32 %r16, %r4, 2;
add.u32 %r16, %r16, %r21;
inner:
ld.shared.f32 %f3, [%r15];
ld.shared.f32 %f4, [%r16];
fma.rn.f32 %f1, %f3, %f4, %f1;
add.u32 %r15, %r15, 4;
add.u32 %r16, %r16, 64;
add.u32 %r14, %r14, 1;
setp.lt.u32 %p3, %r14, 16;
@%p3 bra inner;
bar.sync 0;
add.u32 %r11, %r11, 16;
bra loop;
done:
setp.lt.u32 %p4, %r6, %r1;
setp.lt.and.u32 %p4, %r7, %r2, %p4;
mad.lo.u32 %r13, %r6, %r2, %r7;
mul.wide.u32 %rd4, %r13, 4;
add.u64 %rd4, %rd4, %rd3;
@%p4 st.global.f32 [%rd4], %f1;
ret;
}`

func runSIMT(t testing.TB, o Options, text string, _ int) error {
	const m, n, k = 18, 35, 41
	r := newRig(t, o)
	x, y := make([]float32, m*k), make([]float32, k*n)
	for i := range x {
		x[i] = float32(i%7 - 3)
	}
	for i := range y {
		y[i] = float32(i%5 - 2)
	}
	a, b, c := r.alloc(floats(x...)), r.alloc(floats(y...)), r.empty(4*m*n)
	g := cuda.Grid{Blocks: [3]int{3, 2, 1}, Threads: [3]int{16, 16, 1}}
	if err := r.launch(text, "simt", g, a, b, c, uint32(m), uint32(n), uint32(k)); err != nil {
		return err
	}
	for i, v := range toFloats(r.read(c)) {
		want := float32(0)
		for l := range k {
			want += x[i/n*k+l] * y[l*n+i%n]
		}
		if v != want {
			return fmt.Errorf("C[%d] = %g, want %g", i, v, want)
		}
	}
	return nil
}

// warpTranspose transposes 32 x 32 words twice, each warp in its part of shared
// memory, so that only bar.warp.sync is needed.
const warpTranspose = header + `
.extern .shared .align 16 .b8 smem[];
.visible .entry transpose(.param .u64 A, .param .u64 C)
{
.reg .b32 %r<40>;
.reg .b64 %rd<20>;
.reg .pred %p<4>;
ld.param.u64 %rd1, [A];
ld.param.u64 %rd2, [C];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
and.b32 %r3, %r1, 31;
mul.wide.u32 %rd3, %r2, 4096;
add.u64 %rd1, %rd1, %rd3;
add.u64 %rd2, %rd2, %rd3;
mul.wide.u32 %rd4, %r3, 4;
add.u64 %rd1, %rd1, %rd4;
add.u64 %rd2, %rd2, %rd4;
mov.u32 %r4, smem;
mad.lo.u32 %r4, %r2, 4224, %r4;
mad.lo.u32 %r5, %r3, 4, %r4;
mad.lo.u32 %r6, %r3, 132, %r4;
mov.u32 %r7, 0;
again:
mov.u32 %r8, 0;
mov.u32 %r9, %r5;
mov.u64 %rd5, %rd1;
in:
ld.global.u32 %r10, [%rd5];
st.shared.u32 [%r9], %r10;
add.u64 %rd5, %rd5, 128;
add.u32 %r9, %r9, 132;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p1, %r8, 32;
@%p1 bra in;
bar.warp.sync 0xffffffff;
mov.u32 %r8, 0;
mov.u32 %r9, %r6;
mov.u64 %rd5, %rd2;
out:
ld.shared.u32 %r10, [%r9];
st.global.u32 [%rd5], %r10;
add.u64 %rd5, %rd5, 128;
add.u32 %r9, %r9, 4;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p1, %r8, 32;
@%p1 bra out;
bar.warp.sync 0xffffffff;
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 2;
@%p2 bra again;
ret;
}`

func runWarpTranspose(t testing.TB, o Options, text string, shared int) error {
	r := newRig(t, o)
	const warps = 4
	x := make([]uint32, warps*1024)
	for i := range x {
		x[i] = uint32(i)
	}
	a, c := r.alloc(words(x...)), r.empty(4*len(x))
	if err := r.launch(text, "transpose", grid(1, 32*warps, shared), a, c); err != nil {
		return err
	}
	for i, v := range toWords(r.read(c)) {
		w, row, col := i/1024, i/32%32, i%32
		if want := x[w*1024+col*32+row]; v != want {
			return fmt.Errorf("C[%d] = %d, want %d", i, v, want)
		}
	}
	return nil
}

// lastBlock adds numbers: each block leaves its sum in memory, and the block that
// finds itself the last adds the sums (CUDA samples call it threadFenceReduction).
const lastBlock = header + `
.visible .entry last(.param .u64 X, .param .u64 S, .param .u64 N, .param .u64 R)
{
.reg .b32 %r<40>;
.reg .b64 %rd<20>;
.reg .pred %p<8>;
.shared .align 4 .b8 flag[4];
.shared .align 4 .b8 sum[4];
.reg .b32 %tmp;
ld.param.u64 %rd1, [X];
ld.param.u64 %rd2, [S];
ld.param.u64 %rd3, [N];
ld.param.u64 %rd4, [R];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %nctaid.x;
mad.lo.u32 %r4, %r2, 64, %r1;
mul.wide.u32 %rd5, %r4, 4;
add.u64 %rd5, %rd5, %rd1;
ld.global.u32 %r5, [%rd5];
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra begun;
st.shared.u32 [sum], 0;
begun:
bar.sync 0;
red.shared.add.u32 [sum], %r5;
bar.sync 0;
mov.u32 %r6, 0;
@!%p1 bra told;
ld.shared.u32 %r7, [sum];
mul.wide.u32 %rd6, %r2, 4;
add.u64 %rd6, %rd6, %rd2;
st.global.u32 [%rd6], %r7;
membar.gl;
atom.global.add.u32 %r8, [%rd3], 1;
add.u32 %r9, %r3, -1;
membar.gl;
st.shared.u32 [flag], 0;
setp.eq.u32 %p2, %r8, %r9;
@%p2 st.shared.u32 [flag], 1;
told:
bar.sync 0;
ld.shared.u32 %r6, [flag];
setp.eq.u32 %p3, %r6, 0;
@%p3 bra done;
setp.lt.u32 %p4, %r1, %r3;
mul.wide.u32 %rd7, %r1, 4;
add.u64 %rd7, %rd7, %rd2;
mov.u32 %r10, 0;
@%p4 ld.global.u32 %r10, [%rd7];
shfl.sync.bfly.b32 %r11, %r10, 16, 31, 0xffffffff;
add.u32 %r10, %r10, %r11;
shfl.sync.bfly.b32 %r11, %r10, 8, 31, 0xffffffff;
add.u32 %r10, %r10, %r11;
shfl.sync.bfly.b32 %r11, %r10, 4, 31, 0xffffffff;
add.u32 %r10, %r10, %r11;
shfl.sync.bfly.b32 %r11, %r10, 2, 31, 0xffffffff;
add.u32 %r10, %r10, %r11;
shfl.sync.bfly.b32 %r11, %r10, 1, 31, 0xffffffff;
add.u32 %r10, %r10, %r11;
@!%p1 bra done;
st.global.u32 [%rd4], %r10;
done:
ret;
}`

func runLastBlock(t testing.TB, o Options, text string, _ int) error {
	r := newRig(t, o)
	const blocks = 7
	x := make([]uint32, 64*blocks)
	want := uint32(0)
	for i := range x {
		x[i] = uint32(i * i)
		want += x[i]
	}
	out := r.empty(4)
	err := r.launch(text, "last", grid(blocks, 64, 0), r.alloc(words(x...)), r.empty(4*blocks), r.alloc(words(0)), out)
	if err != nil {
		return err
	}
	if got := toWords(r.read(out))[0]; got != want {
		return fmt.Errorf("the sum is %d, want %d", got, want)
	}
	return nil
}

// splitSum hands a sum from block to block, as a split-K product in order does: each
// waits for its turn in a flag, adds, and passes the flag on.
const splitSum = header + `
.visible .entry split(.param .u64 X, .param .u64 F, .param .u64 R)
{
.reg .b32 %r<40>;
.reg .b64 %rd<20>;
.reg .pred %p<8>;
ld.param.u64 %rd1, [X];
ld.param.u64 %rd2, [F];
ld.param.u64 %rd3, [R];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r4, %r2, 64, %r1;
mul.wide.u32 %rd5, %r4, 4;
add.u64 %rd5, %rd5, %rd1;
ld.global.u32 %r5, [%rd5];
mul.wide.u32 %rd6, %r1, 4;
add.u64 %rd6, %rd6, %rd3;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra mine;
poll:
ld.acquire.gpu.global.u32 %r6, [%rd2];
setp.ne.u32 %p2, %r6, %r2;
@%p2 bra poll;
mine:
bar.sync 0;
setp.eq.u32 %p3, %r2, 0;
mov.u32 %r7, 0;
@!%p3 ld.global.u32 %r7, [%rd6];
add.u32 %r7, %r7, %r5;
st.global.u32 [%rd6], %r7;
bar.sync 0;
@%p1 bra done;
add.u32 %r8, %r2, 1;
st.release.gpu.global.u32 [%rd2], %r8;
done:
ret;
}`

func runSplitSum(t testing.TB, o Options, text string, _ int) error {
	r := newRig(t, o)
	const blocks = 6
	x := make([]uint32, 64*blocks)
	for i := range x {
		x[i] = uint32(i * i)
	}
	out := r.empty(4 * 64)
	if err := r.launch(text, "split", grid(blocks, 64, 0), r.alloc(words(x...)), r.alloc(words(0)), out); err != nil {
		return err
	}
	for i, got := range toWords(r.read(out)) {
		want := uint32(0)
		for b := range blocks {
			want += x[64*b+i]
		}
		if got != want {
			return fmt.Errorf("sum %d is %d, want %d", i, got, want)
		}
	}
	return nil
}

const stagesShared = 4*32*16 + 64

// mbarrierStages has a warp that copies and one that adds up what was copied, with a
// buffer of four stages of 512 bytes between them: an mbarrier says that a stage is
// full, another that it is empty.
const mbarrierStages = header + `
.extern .shared .align 16 .b8 smem[];
.visible .entry stages(.param .u64 X, .param .u64 R, .param .u32 tiles)
{
.reg .b32 %r<40>;
.reg .b64 %rd<20>;
.reg .pred %p<8>;
ld.param.u64 %rd1, [X];
ld.param.u64 %rd2, [R];
ld.param.u32 %r1, [tiles];
mov.u32 %r2, %tid.x;
and.b32 %r3, %r2, 31;
mov.u32 %r4, smem;
shl.b32 %r5, %r3, 4;
add.u32 %r5, %r5, %r4;
setp.eq.u32 %p1, %r2, 0;
@!%p1 bra made;
mbarrier.init.shared.b64 [%r4+2048], 32;
mbarrier.init.shared.b64 [%r4+2056], 32;
mbarrier.init.shared.b64 [%r4+2064], 32;
mbarrier.init.shared.b64 [%r4+2072], 32;
mbarrier.init.shared.b64 [%r4+2080], 32;
mbarrier.init.shared.b64 [%r4+2088], 32;
mbarrier.init.shared.b64 [%r4+2096], 32;
mbarrier.init.shared.b64 [%r4+2104], 32;
made:
bar.sync 0;
mov.u32 %r6, 0;
mov.u32 %r7, 0;
mov.u32 %r8, 0;
mov.u32 %r9, 0;
mul.wide.u32 %rd3, %r3, 16;
add.u64 %rd1, %rd1, %rd3;
setp.ge.u32 %p2, %r2, 32;
@%p2 bra consume;
produce:
setp.ge.u32 %p3, %r6, %r1;
@%p3 bra done;
shl.b32 %r10, %r7, 3;
add.u32 %r10, %r10, %r4;
xor.b32 %r11, %r8, 1;
waitempty:
mbarrier.test_wait.parity.shared.b64 %p4, [%r10+2080], %r11; // parity
@!%p4 bra waitempty;
shl.b32 %r12, %r7, 9;
add.u32 %r12, %r12, %r5;
cp.async.cg.shared.global [%r12], [%rd1], 16;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r10+2048];
add.u64 %rd1, %rd1, 512;
add.u32 %r6, %r6, 1;
add.u32 %r7, %r7, 1;
setp.ne.u32 %p5, %r7, 4;
@%p5 bra produce;
mov.u32 %r7, 0;
xor.b32 %r8, %r8, 1;
bra produce;
consume:
setp.ge.u32 %p3, %r6, %r1;
@%p3 bra sum;
shl.b32 %r10, %r7, 3;
add.u32 %r10, %r10, %r4;
waitfull:
mbarrier.test_wait.parity.shared.b64 %p4, [%r10+2048], %r8; // parity
@!%p4 bra waitfull;
xor.b32 %r13, %r3, 1;
shl.b32 %r13, %r13, 4;
add.u32 %r13, %r13, %r4;
shl.b32 %r12, %r7, 9;
add.u32 %r12, %r12, %r13;
ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];
mbarrier.arrive.shared.b64 %rd5, [%r10+2080];
add.u32 %r9, %r9, %r20;
add.u32 %r9, %r9, %r21;
add.u32 %r9, %r9, %r22;
add.u32 %r9, %r9, %r23;
add.u32 %r6, %r6, 1;
add.u32 %r7, %r7, 1;
setp.ne.u32 %p5, %r7, 4;
@%p5 bra consume;
mov.u32 %r7, 0;
xor.b32 %r8, %r8, 1;
bra consume;
sum:
mul.wide.u32 %rd3, %r3, 4;
add.u64 %rd2, %rd2, %rd3;
st.global.u32 [%rd2], %r9;
done:
ret;
}`

func runMbarrierStages(t testing.TB, o Options, text string, shared int) error {
	r := newRig(t, o)
	const tiles = 11
	x := make([]uint32, tiles*128)
	for i := range x {
		x[i] = uint32(i * i)
	}
	out := r.empty(4 * 32)
	if err := r.launch(text, "stages", grid(1, 64, shared), r.alloc(words(x...)), out, uint32(tiles)); err != nil {
		return err
	}
	for i, got := range toWords(r.read(out)) {
		want := uint32(0)
		for tile := range tiles {
			for j := range 4 {
				want += x[tile*128+(i^1)*4+j]
			}
		}
		if got != want {
			return fmt.Errorf("sum %d is %d, want %d", i, got, want)
		}
	}
	return nil
}
