package ptx_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

// Kernels of the shapes that matter: a multistage buffer of copies, tensor cores fed
// through it, and wgmma fed by bulk copies with warps of two kinds.

func build(t testing.TB, name string, threads, shared int, args []emit.Arg, body func(b *emit.Builder)) *emit.Func {
	t.Helper()
	f, err := emit.Build(name, args, body)
	if err != nil {
		t.Fatal(err)
	}
	f.Threads, f.Shared = threads, shared
	return f
}

// pointers lays out parameters that are pointers to global memory, then numbers.
func pointers(ptrs []string, numbers ...string) []emit.Arg {
	var args []emit.Arg
	for _, name := range ptrs {
		args = append(args, emit.Arg{Name: name, Type: emit.Pointer(emit.Global, 16), Offset: 8 * len(args)})
	}
	for _, name := range numbers {
		args = append(args, emit.Arg{Name: name, Type: emit.Int64, Offset: 8 * len(args)})
	}
	return args
}

// mmaRing multiplies tiles of 16 x 16 by 16 x 8 that come through a buffer of stages
// by cp.async, one warp, and adds them up.
func mmaRing(t testing.TB) *emit.Func {
	const stages, bytes = 4, 1024
	return build(t, "mma_ring", 32, stages*bytes, pointers([]string{"a", "b", "c"}, "tiles"), func(b *emit.Builder) {
		lane := b.SReg("laneid", emit.Int64, emit.Thread)
		tiles := b.Param("tiles", emit.Int64)
		ga, gb := b.Param("a", emit.Pointer(emit.Global, 16)), b.Param("b", emit.Pointer(emit.Global, 16))
		smem, mine := b.Shared(0, 16), b.Mul(lane, b.Int(16))
		fetch := func(tile *emit.Value) {
			b.If(b.Cmp("lt", tile, tiles), func() []*emit.Value {
				stage := b.Mul(b.And(tile, b.Int(stages-1)), b.Int(bytes))
				for i, g := range []*emit.Value{ga, gb} {
					from := b.AddPAligned(b.AddPAligned(g, b.Mul(tile, b.Int(512)), 16), mine, 16)
					to := b.Add(b.Add(stage, mine), b.Int(int64(512*i)))
					b.Inst(inst.CpAsync, 0, b.AddPAligned(smem, to, 16), from)
				}
				return nil
			}, nil)
			b.Inst(inst.CpAsyncCommit, 0)
		}
		for i := range stages - 1 {
			fetch(b.Int(int64(i)))
		}
		row := b.Add(b.Mul(b.And(lane, b.Int(15)), b.Int(32)), b.Mul(b.Shr(lane, b.Int(4)), b.Int(16)))
		zero := b.Const(emit.Scalar(emit.F32), 0)
		sums := []*emit.Value{b.Pack(zero, zero, zero, zero), b.Pack(zero, zero, zero, zero)}
		sums = b.For(b.Int(0), tiles, 1, sums, func(i *emit.Value, acc []*emit.Value) []*emit.Value {
			b.Inst(inst.CpAsyncWait, stages-2)
			b.Inst(inst.BarSync, 0)
			b.Comment("tile i is there for all")
			at := b.AddPAligned(smem, b.Add(b.Mul(b.And(i, b.Int(stages-1)), b.Int(bytes)), row), 16)
			x := b.Inst(inst.LdmatrixA, 0, at)[0]
			y := b.Inst(inst.LdmatrixBTrans, 0, b.AddPAligned(at, b.Int(512), 16))
			out := []*emit.Value{b.Inst(inst.MmaBF16, 0, x, y[0], acc[0])[0], b.Inst(inst.MmaBF16, 0, x, y[1], acc[1])[0]}
			fetch(b.Add(i, b.Int(stages-1)))
			return out
		})
		c := b.AddPAligned(b.Param("c", emit.Pointer(emit.Global, 16)), b.Mul(lane, b.Int(32)), 16)
		for i, acc := range sums {
			r := b.Unpack(acc)
			v := b.Shuffle([]int{0, 1, 2, 3}, b.Shuffle([]int{0, 1}, r[0], r[1]), b.Shuffle([]int{0, 1}, r[2], r[3]))
			b.Store(v, emit.At(c, int64(16*i)))
		}
	})
}

// hopper multiplies 64 x 64 by 64 x N tiles: thread 0 of the first warpgroup copies
// them into a buffer of three stages, the second warpgroup multiplies with one group in
// flight, and gives a stage back when what reads it is done.
func hopper(t testing.TB, w *inst.Wgmma) *emit.Func {
	const stages = 3
	bytesA, bytesB := int64(64*64*2), int64(w.N*64*2)
	full := stages * (bytesA + bytesB)
	empty := full + 8*stages
	mbar := emit.Pointer(emit.Shared, 8)
	return build(t, "hopper", 256, int(empty+8*stages), pointers([]string{"a", "b", "c"}, "tiles"), func(b *emit.Builder) {
		zero, one := b.Int(0), b.Int(1)
		tiles, smem := b.Param("tiles", emit.Int64), b.Shared(0, 1024)
		tid, group := b.SReg("tid.x", emit.Int64, emit.Thread), b.SReg("warpgroup", emit.Int64, emit.Warpgroup)
		bar := func(at int64, stage *emit.Value) *emit.Value {
			return b.AddPAligned(smem, b.Add(b.Int(at), b.Mul(stage, b.Int(8))), mbar.Align)
		}
		i32 := func(n int64) *emit.Value { return b.Const(emit.Int32, float64(n)) }
		wait := func(bar, parity *emit.Value) {
			p := b.Trunc(emit.I32, parity)
			b.While(nil, func([]*emit.Value) (*emit.Value, []*emit.Value) {
				return b.Not(b.Inst(inst.MbarrierTryWait, 0, bar, p)[0]), nil
			}, func([]*emit.Value) []*emit.Value { return nil })
		}
		advance := func(stage, parity *emit.Value) (s, p *emit.Value) {
			s = b.Add(stage, one)
			wrap := b.Cmp("eq", s, b.Int(stages))
			return b.Select(wrap, zero, s), b.Select(wrap, b.Xor(parity, one), parity)
		}
		once := func(cond *emit.Value, body func()) {
			b.If(cond, func() []*emit.Value { body(); return nil }, nil)
		}
		once(b.Cmp("eq", tid, zero), func() {
			for s := range int64(stages) {
				b.Inst(inst.MbarrierInit, 0, bar(full, b.Int(s)), i32(1))
				b.Inst(inst.MbarrierInit, 0, bar(empty, b.Int(s)), i32(1))
			}
			b.Inst(inst.FenceMbarrierInit, 0)
		})
		b.Inst(inst.BarSync, 0)
		once(b.Cmp("eq", tid, zero), func() {
			b.For(zero, tiles, 1, []*emit.Value{zero, zero}, func(i *emit.Value, x []*emit.Value) []*emit.Value {
				wait(bar(empty, x[0]), b.Xor(x[1], one))
				to := bar(full, x[0])
				b.Inst(inst.MbarrierExpectTx, 0, to, i32(bytesA+bytesB))
				for _, c := range []struct {
					name      string
					at, bytes int64
				}{{"a", 0, bytesA}, {"b", stages * bytesA, bytesB}} {
					dst := b.AddPAligned(smem, b.Add(b.Int(c.at), b.Mul(x[0], b.Int(c.bytes))), 16)
					src := b.AddPAligned(b.Param(c.name, emit.Pointer(emit.Global, 16)), b.Mul(i, b.Int(c.bytes)), 16)
					b.Inst(inst.CpAsyncBulk, 0, dst, src, i32(c.bytes), to)
				}
				s, p := advance(x[0], x[1])
				return []*emit.Value{s, p}
			})
		})
		once(b.Cmp("eq", group, one), func() {
			start := b.Inst(inst.SharedAddress, 0, smem)[0]
			layout := b.Int(int64(inst.Descriptor(16, 1024, 128)))
			desc := func(at int64, stage *emit.Value, bytes, k int64) *emit.Value {
				return b.Add(layout, b.Shr(b.Add(start, b.Add(b.Int(at+32*k), b.Mul(stage, b.Int(bytes)))), b.Int(4)))
			}
			multiply := func(stage, acc *emit.Value) *emit.Value {
				b.Inst(inst.WgmmaFence, 0)
				for k := range int64(4) {
					x, y := desc(0, stage, bytesA, k), desc(stages*bytesA, stage, bytesB, k)
					if acc == nil {
						acc = b.Inst(w.MmaZero, 0, x, y)[0]
					} else {
						acc = b.Inst(w.Mma, 0, acc, x, y)[0]
					}
				}
				b.Inst(inst.WgmmaCommit, 0)
				return acc
			}
			first := b.Cmp("eq", b.And(tid, b.Int(127)), zero)
			release := func(stage *emit.Value) {
				once(first, func() { b.Inst(inst.MbarrierArrive, 0, bar(empty, stage)) })
			}
			wait(bar(full, zero), zero)
			acc := multiply(zero, nil)
			s, p := advance(zero, zero)
			out := b.For(one, tiles, 1, []*emit.Value{acc, s, p, zero}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
				wait(bar(full, x[1]), x[2])
				acc := b.Inst(w.Keep, 1, multiply(x[1], x[0]))[0]
				release(x[3])
				s, p := advance(x[1], x[2])
				return []*emit.Value{acc, s, p, x[1]}
			})
			d := b.Unpack(b.Inst(w.Wait, 0, out[0])[0])
			release(out[3])
			c := b.AddPAligned(b.Param("c", emit.Pointer(emit.Global, 16)), b.Mul(tid, b.Int(int64(2*w.N))), 16)
			for i, v := range d {
				b.Store(v, emit.At(c, int64(4*i)))
			}
		})
	})
}

func TestProofs(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(testing.TB) *emit.Func
		target emit.Target
		golden bool
	}{
		{"mma_ring", mmaRing, ptx.SM80, true},
		{"mma_ring_sm_90", mmaRing, ptx.SM90, false},
		{"hopper64", func(t testing.TB) *emit.Func { return hopper(t, inst.Wgmma64) }, ptx.SM90a, true},
		{"hopper256", func(t testing.TB) *emit.Func { return hopper(t, inst.Wgmma256) }, ptx.SM90a, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := print(t, c.target, c.f(t))
			if c.golden {
				golden(t, c.name+".ptx", l.Text)
			}
			// Registers of instructions in flight are never copied.
			seen := false
			for s := range strings.SplitSeq(l.Text, "\n") {
				seen = seen || strings.Contains(s, "wgmma.fence")
				if seen && strings.Contains(s, "mov.f32") {
					t.Errorf("after the first wgmma.fence: %s", s)
				}
			}
			assemble(t, c.target, l)
		})
	}
}
