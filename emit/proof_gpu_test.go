package emit_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

var (
	shared16 = emit.Pointer(emit.Shared, 16)
	global16 = emit.Pointer(emit.Global, 16)
	global   = emit.Pointer(emit.Global, 0)
	mbar     = emit.Pointer(emit.Shared, 8)
)

// offset returns p + n as a pointer with the alignment of t.
func offset(b *emit.Builder, t emit.Type, p, n *emit.Value) *emit.Value {
	return b.Op("addp", emit.Attr{}, []emit.Type{t}, p, n)[0]
}

// multistage is the main loop of an Ampere kernel: each of 32 threads copies 16
// bytes a tile into a buffer of stages, three tiles ahead, and reads what its
// neighbour copied.
func multistage(t *testing.T) *emit.Func {
	const stages = 4
	args := block("smem", shared16, "src", global16, "dst", global16, "tiles", emit.Int64)
	return build(t, "multistage", args, func(b *emit.Builder) {
		smem, tiles := b.Param("smem", shared16), b.Param("tiles", emit.Int64)
		tid := b.SReg("tid.x", emit.Int64, emit.Thread)
		mine := b.Mul(tid, b.Int(16))
		next := b.Mul(b.And(b.Add(tid, b.Int(1)), b.Int(31)), b.Int(16))
		src := offset(b, global16, b.Param("src", global16), mine)
		dst := offset(b, global16, b.Param("dst", global16), mine)
		// stage returns where this tile's bytes of a thread are in the buffer.
		stage := func(tile, thread *emit.Value) *emit.Value {
			at := b.Mul(b.And(tile, b.Int(stages-1)), b.Int(512))
			return offset(b, shared16, smem, b.Add(at, thread))
		}
		// fetch starts the copy of a tile if there is one; the group is there anyway,
		// so that the groups count the same at the end.
		fetch := func(tile *emit.Value) {
			b.If(b.Cmp("lt", tile, tiles), func() []*emit.Value {
				from := offset(b, global16, src, b.Mul(tile, b.Int(512)))
				b.Inst(inst.CpAsync, 0, stage(tile, mine), from)
				return nil
			}, nil)
			b.Inst(inst.CpAsyncCommit, 0)
		}
		for i := range stages - 1 {
			fetch(b.Int(int64(i)))
		}
		b.For(b.Int(0), tiles, 1, nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			b.Inst(inst.CpAsyncWait, stages-2)
			b.Inst(inst.BarSync, 0)
			v := b.Load(emit.Vector(emit.F32, 4), emit.At(stage(i, next), 0))
			b.Store(v, emit.At(offset(b, global16, dst, b.Mul(i, b.Int(512))), 0))
			fetch(b.Add(i, b.Int(stages-1)))
			return nil
		})
	})
}

func runMultistage(f *emit.Func, m *emit.Machine, track bool) error {
	const tiles = 7
	x := make([]float32, tiles*128)
	for i := range x {
		x[i] = float32(i + 1)
	}
	smem := &emit.Memory{Name: "smem", Space: emit.Shared, Data: make([]byte, 4*512)}
	if track {
		smem.Track()
	}
	dst := &emit.Memory{Name: "dst", Space: emit.Global, Data: make([]byte, 4*len(x))}
	m.Threads = 32
	m.Bind("smem", emit.PtrTo(smem, 0))
	m.Bind("src", emit.PtrTo(emit.MemoryOf("src", emit.Global, x), 0))
	m.Bind("dst", emit.PtrTo(dst, 0))
	m.Bind("tiles", emit.IntWord(tiles))
	if err := m.Run(f); err != nil {
		return err
	}
	got := make([]float32, len(x))
	dst.Decode(got)
	for i := range got {
		if want := x[i/128*128+(i+4)%128]; got[i] != want {
			return fmt.Errorf("dst[%d] = %g, want %g", i, got[i], want)
		}
	}
	return nil
}

func TestProofMultistage(t *testing.T) {
	f := multistage(t)
	for _, m := range []*emit.Machine{{}, {Seed: 1}, {Seed: 2}, {Early: true}} {
		if err := runMultistage(f, m, true); err != nil {
			t.Errorf("seed %d, early %v: %v", m.Seed, m.Early, err)
		}
	}
	late := without(t, f, "wait_group")
	if err := runMultistage(late, &emit.Machine{}, false); err == nil || emit.AsError(err) != nil {
		t.Errorf("without wait_group the numbers are right, or it stops: %v", err)
	}
	wantError(t, runMultistage(late, &emit.Machine{}, true), "multistage (proof_gpu_test.go:", "thread 0: reads 16 bytes at offset 16 of smem: nothing has written offset 16")
	alone := without(t, f, "bar.sync")
	if err := runMultistage(alone, &emit.Machine{}, false); err == nil {
		t.Error("without bar.sync the numbers are right")
	}
	// One bar.sync too few threads reach: refused while building.
	_, err := emit.Build("some", nil, func(b *emit.Builder) {
		tid := b.SReg("tid.x", emit.Int64, emit.Thread)
		b.If(b.Cmp("lt", tid, b.Int(16)), func() []*emit.Value { b.Inst(inst.BarSync, 0); return nil }, nil)
	})
	wantError(t, err, "bar.sync", "together")
}

// The shared memory of the Hopper kernel: stages of A and B, each swizzled, and a
// pair of barriers a stage.
const (
	hopperStages = 3
	bytesA       = 64 * 64 * 2
	bytesB       = 256 * 64 * 2
	stageB       = hopperStages * bytesA
	fullAt       = stageB + hopperStages*bytesB
	emptyAt      = fullAt + 8*hopperStages
	hopperSmem   = emptyAt + 8*hopperStages
)

// hopper is the loop of a warp-specialised kernel for one tile of 64 x 256. The
// first warpgroup's thread 0 copies tiles of 64 columns of K into the stages; the
// second warpgroup multiplies, with one group of multiplications in flight while
// it waits for the next tile. The first tile is peeled, so that the accumulator
// begins as a product and not as zeros.
func hopper(t *testing.T) *emit.Func {
	args := block("smem", emit.Pointer(emit.Shared, 1024), "a", global16, "b", global16, "c", global16, "tiles", emit.Int64)
	return build(t, "hopper", args, func(b *emit.Builder) {
		smem, tiles := b.Param("smem", emit.Pointer(emit.Shared, 1024)), b.Param("tiles", emit.Int64)
		tid := b.SReg("tid.x", emit.Int64, emit.Thread)
		warpgroup := b.SReg("warpgroup", emit.Int64, emit.Warpgroup)
		zero, one := b.Int(0), b.Int(1)
		barrier := func(at int64, stage *emit.Value) *emit.Value {
			return offset(b, mbar, smem, b.Add(b.Int(at), b.Mul(stage, b.Int(8))))
		}
		b.If(b.Cmp("eq", tid, zero), func() []*emit.Value {
			for s := range int64(hopperStages) {
				b.Inst(inst.MbarrierInit, 0, barrier(fullAt, b.Int(s)), b.Const(emit.Int32, 1))
				b.Inst(inst.MbarrierInit, 0, barrier(emptyAt, b.Int(s)), b.Const(emit.Int32, 1))
			}
			b.Inst(inst.FenceMbarrierInit, 0)
			return nil
		}, nil)
		b.Inst(inst.BarSync, 0)

		// wait polls until the phase with the given parity has completed.
		wait := func(bar, parity *emit.Value) {
			p := b.Op("trunc", emit.Attr{}, []emit.Type{emit.Int32}, parity)[0]
			b.While(nil, func([]*emit.Value) (*emit.Value, []*emit.Value) {
				done := b.Inst(inst.MbarrierTryWait, 0, bar, p)[0]
				return b.Xor(done, b.Const(emit.Bool, 1)), nil
			}, func([]*emit.Value) []*emit.Value { return nil })
		}
		// advance moves to the next stage; the parity flips when the stage wraps.
		advance := func(stage, parity *emit.Value) (s, p *emit.Value) {
			s = b.Add(stage, one)
			wrap := b.Cmp("eq", s, b.Int(hopperStages))
			return b.Select(wrap, zero, s), b.Select(wrap, b.Xor(parity, one), parity)
		}
		b.If(b.Cmp("eq", warpgroup, zero), func() []*emit.Value {
			b.If(b.Cmp("eq", tid, zero), func() []*emit.Value {
				produce(b, smem, tiles, barrier, wait, advance)
				return nil
			}, nil)
			return nil
		}, func() []*emit.Value {
			consume(b, smem, tiles, tid, barrier, wait, advance)
			return nil
		})
	})
}

type (
	barrierAt func(at int64, stage *emit.Value) *emit.Value
	waitFor   func(bar, parity *emit.Value)
	nextStage func(stage, parity *emit.Value) (s, p *emit.Value)
)

func produce(b *emit.Builder, smem, tiles *emit.Value, barrier barrierAt, wait waitFor, advance nextStage) {
	zero, one := b.Int(0), b.Int(1)
	ga, gb := b.Param("a", global16), b.Param("b", global16)
	b.For(zero, tiles, 1, []*emit.Value{zero, zero}, func(i *emit.Value, x []*emit.Value) []*emit.Value {
		stage, parity := x[0], x[1]
		// On the first way round no phase has completed; the one before counts.
		wait(barrier(emptyAt, stage), b.Xor(parity, one))
		full := barrier(fullAt, stage)
		b.Inst(inst.MbarrierExpectTx, 0, full, b.Const(emit.Int32, bytesA+bytesB))
		copyTile := func(g *emit.Value, at, bytes int64) {
			to := offset(b, shared16, smem, b.Add(b.Int(at), b.Mul(stage, b.Int(bytes))))
			b.Inst(inst.CpAsyncBulk, 0, to, offset(b, global16, g, b.Mul(i, b.Int(bytes))), b.Const(emit.Int32, float64(bytes)), full)
		}
		copyTile(ga, 0, bytesA)
		copyTile(gb, stageB, bytesB)
		s, p := advance(stage, parity)
		return []*emit.Value{s, p}
	})
}

func consume(b *emit.Builder, smem, tiles, tid *emit.Value, barrier barrierAt, wait waitFor, advance nextStage) {
	w := inst.Wgmma256
	zero, one := b.Int(0), b.Int(1)
	address := b.Inst(inst.SharedAddress, 0, smem)[0]
	layout := b.Int(int64(inst.Descriptor(16, 1024, 128)))
	desc := func(at int64, stage *emit.Value, bytes, k int64) *emit.Value {
		start := b.Add(address, b.Add(b.Int(at+32*k), b.Mul(stage, b.Int(bytes))))
		return b.Add(layout, b.Shr(start, b.Int(4)))
	}
	// multiply issues the four steps of a tile as one group.
	multiply := func(stage, acc *emit.Value) *emit.Value {
		b.Inst(inst.WgmmaFence, 0)
		for k := range int64(4) {
			da, db := desc(0, stage, bytesA, k), desc(stageB, stage, bytesB, k)
			if acc == nil {
				acc = b.Inst(w.MmaZero, 0, da, db)[0]
			} else {
				acc = b.Inst(w.Mma, 0, acc, da, db)[0]
			}
		}
		b.Inst(inst.WgmmaCommit, 0)
		return acc
	}
	lane := b.And(tid, b.Int(127))
	first := b.Cmp("eq", lane, zero)
	release := func(stage *emit.Value) {
		b.If(first, func() []*emit.Value { b.Inst(inst.MbarrierArrive, 0, barrier(emptyAt, stage)); return nil }, nil)
	}
	wait(barrier(fullAt, zero), zero)
	acc := multiply(zero, nil)
	s, p := advance(zero, zero)
	out := b.For(one, tiles, 1, []*emit.Value{acc, s, p, zero}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		stage, parity, before := x[1], x[2], x[3]
		wait(barrier(fullAt, stage), parity)
		acc := b.Inst(w.Keep, 1, multiply(stage, x[0]))[0]
		release(before)
		s, p := advance(stage, parity)
		return []*emit.Value{acc, s, p, stage}
	})
	d := b.Unpack(b.Inst(w.Wait, 0, out[0])[0])
	release(out[3])
	// Register 4j+q of thread 32w+4g+t is row 16w+g, or 8 below, column 8j+2t+q%2.
	row := b.Add(b.Mul(b.Shr(lane, b.Int(5)), b.Int(16)), b.Shr(b.And(lane, b.Int(31)), b.Int(2)))
	col := b.Mul(b.And(lane, b.Int(3)), b.Int(2))
	c := b.AddP(b.Param("c", global16), b.Mul(b.Add(b.Mul(row, b.Int(256)), col), b.Int(4)))
	for i, v := range d {
		r, q := inst.WgmmaD(0, i)
		b.Store(v, emit.At(c, int64(4*(256*r+q))))
	}
}

// pack lays out tiles of 64 columns of K, each a row after the other with the
// 128-byte swizzle, as the tensor memory accelerator would deliver them.
func pack(x []float32, rows, k int) *emit.Memory {
	m := &emit.Memory{Name: fmt.Sprintf("%d x %d", rows, k), Space: emit.Global, Data: make([]byte, 2*rows*k), ReadOnly: true}
	for i, v := range x {
		row, col := i/k, i%k
		at := inst.SwizzleBytes(128).Swizzle(int64(row*128 + col%64*2))
		binary.LittleEndian.PutUint16(m.Data[col/64*rows*128+int(at):], uint16(emit.BF16.Encode(float64(v))))
	}
	return m
}

func runHopper(f *emit.Func, m *emit.Machine, tiles int) error {
	k := 64 * tiles
	a, bt := make([]float32, 64*k), make([]float32, 256*k)
	for i := range a {
		a[i] = float32(i*7%13 - 6)
	}
	for i := range bt {
		bt[i] = float32(i*5%17 - 8)
	}
	smem := emit.NewMemory("smem", emit.Shared, hopperSmem)
	smem.Base = 1024 // not 0, so that an address that should be relative shows
	c := emit.NewMemory("C", emit.Global, 64*256*4)
	m.Threads, m.Shared = 256, smem
	m.SRegs = func(name string, thread int) uint64 {
		if name == "warpgroup" {
			return uint64(thread / 128)
		}
		return uint64(thread)
	}
	m.Bind("smem", emit.PtrTo(smem, 0))
	m.Bind("a", emit.PtrTo(pack(a, 64, k), 0))
	m.Bind("b", emit.PtrTo(pack(bt, 256, k), 0))
	m.Bind("c", emit.PtrTo(c, 0))
	m.Bind("tiles", emit.IntWord(int64(tiles)))
	if err := m.Run(f); err != nil {
		return err
	}
	if _, err := c.Read(0, len(c.Data)); err != nil {
		return err
	}
	got := make([]float32, 64*256)
	c.Decode(got)
	for i := range 64 {
		for j := range 256 {
			var want float32
			for l := range k {
				want += a[i*k+l] * bt[j*k+l]
			}
			if got[i*256+j] != want {
				return fmt.Errorf("C[%d, %d] = %g, want %g", i, j, got[i*256+j], want)
			}
		}
	}
	return nil
}

func TestProofHopper(t *testing.T) {
	f := hopper(t)
	for _, m := range []*emit.Machine{{}, {Seed: 1}, {Early: true}} {
		if err := runHopper(f, m, 7); err != nil {
			t.Errorf("seed %d, early %v: %v", m.Seed, m.Early, err)
		}
	}
	if err := runHopper(f, &emit.Machine{}, 1); err != nil {
		t.Errorf("one tile: %v", err)
	}
	wantError(t, runHopper(without(t, f, "fence.sync"), &emit.Machine{}, 1), "threads 128-255: a wgmma.fence is missing")
	wantError(t, runHopper(without(t, f, "expect_tx"), &emit.Machine{}, 4), "deadlock", "at mbarrier.try_wait")
	// The producer waits for stages that the consumer never gives back.
	wantError(t, runHopper(without(t, f, `"mbarrier.arrive.shared`), &emit.Machine{}, 4), "deadlock", "thread 0 at mbarrier.try_wait")
	// Stages given back while multiplications still read them are overwritten.
	early := f.Clone()
	early.Body.Walk(func(op *emit.Op) {
		if op.Inst == inst.Wgmma256.Keep {
			op.Attr.Imm = 2
		}
	})
	for seed := uint64(0); ; seed++ {
		if err := runHopper(early, &emit.Machine{Seed: seed}, 7); err != nil {
			break
		}
		if seed == 30 { // each has one chance in nine: slow multiplications, fast copies
			t.Fatal("wait_group 2 gives right numbers")
		}
	}
}

// Reading an accumulator in flight, and using one again that was overwritten,
// are refused when the function is built.
func TestAsyncAndTied(t *testing.T) {
	w := inst.Wgmma64
	start := func(b *emit.Builder) (acc, d *emit.Value) {
		b.Inst(inst.WgmmaFence, 0)
		d = b.Int(int64(inst.Descriptor(16, 1024, 128)))
		return b.Inst(w.MmaZero, 0, d, d)[0], d
	}
	refused := func(body func(b *emit.Builder), parts ...string) {
		t.Helper()
		_, err := emit.Build("bad", nil, body)
		wantError(t, err, append(parts, "proof_gpu_test.go:")...)
	}
	refused(func(b *emit.Builder) { acc, _ := start(b); b.Op("copy", emit.Attr{}, []emit.Type{acc.Type}, acc) }, "async")
	refused(func(b *emit.Builder) { acc, _ := start(b); b.Unpack(acc) }, "async")
	refused(func(b *emit.Builder) {
		acc, d := start(b)
		b.Inst(w.Mma, 0, acc, d, d)
		b.Inst(w.Wait, 0, acc)
	}, "overwritten")
	refused(func(b *emit.Builder) {
		acc, _ := start(b)
		b.Inst(w.Wait, 0, acc)
		b.Inst(w.Wait, 0, acc)
	}, "overwritten")

	// What no type can say is found when it runs.
	run := func(body func(b *emit.Builder), parts ...string) {
		t.Helper()
		f := build(t, "late", nil, body)
		m := &emit.Machine{Threads: 128, Shared: &emit.Memory{Name: "smem", Space: emit.Shared, Data: make([]byte, 8192)}}
		wantError(t, m.Run(f), parts...)
	}
	run(func(b *emit.Builder) { acc, _ := start(b); b.Inst(w.Wait, 0, acc) }, "never committed")
	run(func(b *emit.Builder) {
		acc, _ := start(b)
		b.Inst(inst.WgmmaCommit, 0)
		b.Inst(w.Wait, 1, acc)
	}, "in flight")
	run(func(b *emit.Builder) {
		acc, d := start(b)
		acc = b.Inst(w.Mma, 0, acc, d, b.Int(int64(inst.Descriptor(16, 1024, 128))+500))[0]
		b.Inst(inst.WgmmaCommit, 0)
		b.Inst(w.Wait, 0, acc)
	}, "threads 0-127: B: reads 16 bytes at offset", "of smem, which has 8192 bytes")
}

// mma.sync fed by ldmatrix from row-major A and column-major B, and by hand from
// the layout functions.
func TestMma(t *testing.T) {
	f := build(t, "mma", block("smem", shared16, "c", global16), func(b *emit.Builder) {
		smem := b.Param("smem", shared16)
		lane := b.SReg("laneid", emit.Int64, emit.Thread)
		// Rows of 16 elements are 32 bytes: lane l points at row l%16, half l/16.
		at := b.Add(b.Mul(b.And(lane, b.Int(15)), b.Int(32)), b.Mul(b.Shr(lane, b.Int(4)), b.Int(16)))
		a := b.Inst(inst.LdmatrixA, 0, offset(b, shared16, smem, at))[0]
		// B has 16 columns, n = l%8 + 8(l/16), k half l/8%2: two fragments.
		n := b.Add(b.And(lane, b.Int(7)), b.Mul(b.Shr(lane, b.Int(4)), b.Int(8)))
		half := b.And(b.Shr(lane, b.Int(3)), b.Int(1))
		bs := b.Inst(inst.LdmatrixB, 0, offset(b, shared16, smem, b.Add(b.Int(512), b.Add(b.Mul(n, b.Int(32)), b.Mul(half, b.Int(16))))))
		zero := b.Const(emit.Scalar(emit.F32), 0)
		for j, bj := range bs {
			d := b.Unpack(b.Inst(inst.MmaBF16, 0, a, bj, b.Pack(zero, zero, zero, zero))[0])
			for i, v := range d {
				r, q := inst.MmaC(0, i)
				row, col := b.Shr(lane, b.Int(2)), b.Mul(b.And(lane, b.Int(3)), b.Int(2))
				c := b.AddP(b.Param("c", global16), b.Mul(b.Add(b.Mul(row, b.Int(16)), col), b.Int(4)))
				b.Store(v, emit.At(c, int64(4*(16*r+q+8*j))))
			}
		}
	})
	var x []uint16
	for i := range 512 {
		x = append(x, uint16(emit.BF16.Encode(float64(i*11%19-9))))
	}
	c := emit.NewMemory("C", emit.Global, 16*16*4)
	m := &emit.Machine{Threads: 32}
	m.Bind("smem", emit.PtrTo(emit.MemoryOf("smem", emit.Shared, x), 0))
	m.Bind("c", emit.PtrTo(c, 0))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 256)
	c.Decode(got)
	for i := range 16 {
		for j := range 16 {
			want := 0
			for k := range 16 {
				want += ((16*i+k)*11%19 - 9) * ((256+16*j+k)*11%19 - 9)
			}
			if got[16*i+j] != float32(want) {
				t.Fatalf("C[%d, %d] = %g, want %d", i, j, got[16*i+j], want)
			}
		}
	}
	// Every fragment layout is one to one.
	for _, l := range []struct {
		name                  string
		lanes, each, from, to int
		at                    func(lane, i int) (int, int)
	}{{"A", 32, 8, 16, 16, inst.MmaA}, {"B", 32, 4, 16, 8, inst.MmaB}, {"C", 32, 4, 16, 8, inst.MmaC}, {"D", 128, 128, 64, 256, inst.WgmmaD}} {
		var seen []int
		for lane := range l.lanes {
			for i := range l.each {
				r, c := l.at(lane, i)
				if r < 0 || r >= l.from || c < 0 || c >= l.to {
					t.Fatalf("%s: lane %d, element %d is at %d, %d", l.name, lane, i, r, c)
				}
				seen = append(seen, r*l.to+c)
			}
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != l.from*l.to {
			t.Errorf("%s reaches %d of %d places", l.name, n, l.from*l.to)
		}
	}
}
