package inst_test

import (
	"encoding/binary"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

func run(t *testing.T, m *emit.Machine, args []emit.Arg, body func(b *emit.Builder)) {
	t.Helper()
	f, err := emit.Build("test", args, body)
	if err == nil {
		err = m.Run(f)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every layout that a descriptor can name, written element by element as the
// PTX ISA draws it, and an accumulator that begins with numbers of the threads.
func TestWgmmaLayouts(t *testing.T) {
	const rows, at = 64, 1024 // A and B are both 64 x 16; B is at 16 KB
	a := func(r, k int) int { return (r*5+k*3)%11 - 5 }
	b := func(r, k int) int { return (r*7+k*2)%13 - 6 }
	for _, c := range []struct {
		swizzle         inst.SwizzleBytes
		leading, stride int
	}{{0, 128, 256}, {0, 1024, 128}, {32, 16, 256}, {64, 16, 512}, {128, 16, 1024}} {
		smem := &emit.Memory{Name: "smem", Space: emit.Shared, Data: make([]byte, 1<<15), Base: at}
		smem.Track()
		for r := range rows {
			for k := range 16 {
				off := r/8*c.stride + r%8*int(c.swizzle) + 2*k
				if c.swizzle == 0 { // 8 x 8 blocks of 128 bytes
					off = r/8*c.stride + r%8*16 + k/8*c.leading + k%8*2
				}
				for i, x := range []int{a(r, k), b(r, k)} {
					to := c.swizzle.Swizzle(int64(at+i*16384+off)) - at
					if err := smem.Write(to, binary.LittleEndian.AppendUint16(nil, uint16(emit.BF16.Encode(float64(x))))); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		out := emit.NewMemory("out", emit.Global, 64*64*4)
		m := &emit.Machine{Threads: 128, Shared: smem}
		m.Bind("out", emit.PtrTo(out, 0))
		global := emit.Pointer(emit.Global, 4)
		run(t, m, []emit.Arg{{Name: "out", Type: global}}, func(b *emit.Builder) {
			w, f32 := inst.Wgmma64, emit.Scalar(emit.F32)
			tid := b.SReg("tid.x", emit.Int64, emit.Thread)
			regs := make([]*emit.Value, 32)
			for i := range regs {
				regs[i] = b.Const(f32, float64(i))
			}
			acc := b.Inst(w.Fence, 0, b.Pack(regs...))[0]
			d := int64(inst.Descriptor(c.leading, c.stride, c.swizzle)) + at>>4
			acc = b.Inst(w.Mma, 0, acc, b.Int(d), b.Int(d+16384>>4))[0]
			b.Inst(inst.WgmmaCommit, 0)
			p := b.AddP(b.Param("out", global), b.Mul(tid, b.Int(128)))
			for i, v := range b.Unpack(b.Inst(w.Wait, 0, acc)[0]) {
				b.Store(v, emit.At(p, int64(4*i)))
			}
		})
		got := make([]float32, 64*64)
		out.Decode(got)
		for thread := range 128 {
			for i := range 32 {
				row, col := inst.WgmmaD(thread, i)
				want := i
				for k := range 16 {
					want += a(row, k) * b(col, k)
				}
				if got[thread*32+i] != float32(want) {
					t.Fatalf("%+v: D[%d, %d] = %g, want %d", c, row, col, got[thread*32+i], want)
				}
			}
		}
	}
}

// A transposing load of B stored by rows, [k][n], gives what a plain load of
// [n][k] gives: the fragments of mma.
func TestLdmatrixTrans(t *testing.T) {
	var x []uint16 // 16 x 16
	for i := range 256 {
		x = append(x, uint16(i))
	}
	shared, global := emit.Pointer(emit.Shared, 16), emit.Pointer(emit.Global, 16)
	out := emit.NewMemory("out", emit.Global, 32*16)
	m := &emit.Machine{Threads: 32}
	m.Bind("smem", emit.PtrTo(emit.MemoryOf("smem", emit.Shared, x), 0))
	m.Bind("out", emit.PtrTo(out, 0))
	run(t, m, []emit.Arg{{Name: "smem", Type: shared}, {Name: "out", Type: global, Offset: 8}}, func(b *emit.Builder) {
		lane := b.SReg("laneid", emit.Int64, emit.Thread)
		// Row k = l%16 and columns 8(l/16): matrices 0 and 1 are the first fragment.
		at := b.Add(b.Mul(b.And(lane, b.Int(15)), b.Int(32)), b.Mul(b.Shr(lane, b.Int(4)), b.Int(16)))
		p := b.Op("addp", emit.Attr{}, []emit.Type{shared}, b.Param("smem", shared), at)[0]
		to := b.AddP(b.Param("out", global), b.Mul(lane, b.Int(16)))
		for i, frag := range b.Inst(inst.LdmatrixBTrans, 0, p) {
			for j, r := range b.Unpack(frag) {
				b.Store(r, emit.At(to, int64(8*i+4*j)))
			}
		}
	})
	got := make([]uint16, 256)
	out.Decode(got)
	for lane := range 32 {
		for i := range 8 {
			k, n := inst.MmaB(lane, i%4)
			if want := uint16(k*16 + n + i/4*8); got[lane*8+i] != want {
				t.Fatalf("lane %d, element %d is %d, want %d", lane, i, got[lane*8+i], want)
			}
		}
	}
}

// TestCpAsyncZfill4 copies fewer than 4 bytes, none, and refuses more.
func TestCpAsyncZfill4(t *testing.T) {
	shared, global := emit.Pointer(emit.Shared, 4), emit.Pointer(emit.Global, 4)
	try := func(bytes int64) ([]byte, error) {
		smem := emit.NewMemory("smem", emit.Shared, 4)
		m := &emit.Machine{}
		m.Bind("to", emit.PtrTo(smem, 0))
		m.Bind("from", emit.PtrTo(emit.MemoryOf("from", emit.Global, []byte{1, 2, 3, 4}), 0))
		m.Bind("n", emit.IntWord(bytes))
		f, err := emit.Build("copy", []emit.Arg{{Name: "to", Type: shared}, {Name: "from", Type: global, Offset: 8}, {Name: "n", Type: emit.Int32, Offset: 16}}, func(b *emit.Builder) {
			b.Inst(inst.CpAsyncZfill4, 0, b.Param("to", shared), b.Param("from", global), b.Param("n", emit.Int32))
			b.Inst(inst.CpAsyncCommit, 0)
			b.Inst(inst.CpAsyncWait, 0)
		})
		if err == nil {
			err = m.Run(f)
		}
		return smem.Data, err
	}
	for n, want := range []string{"\x00\x00\x00\x00", "\x01\x00\x00\x00", "\x01\x02\x00\x00", "\x01\x02\x03\x00", "\x01\x02\x03\x04"} {
		if have, err := try(int64(n)); err != nil || string(have) != want {
			t.Errorf("%d bytes: %v %v, want %v", n, have, err, []byte(want))
		}
	}
	if _, err := try(5); err == nil {
		t.Error("5 bytes are copied")
	}
}
