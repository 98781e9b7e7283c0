package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// interpret parses the body of a function with pointer arguments a and b and an
// integer n, and runs it on 16 i32 in a, 0 to 15, and 16 undefined ones in b.
func interpret(t *testing.T, m *emit.Machine, body string) ([]int32, error) {
	t.Helper()
	f, err := emit.Parse("func @f(a: ptr @0, b: ptr @8, n: i64 @16) {\n" +
		"%0 = param {name=\"a\"} : ptr\n%1 = param {name=\"b\"} : ptr\n%2 = param {name=\"n\"} : i64\n" + body + "\n}\n")
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	x := make([]int32, 16)
	for i := range x {
		x[i] = int32(i)
	}
	b := emit.NewMemory("B", emit.Generic, 64)
	m.Bind("a", emit.PtrTo(emit.MemoryOf("A", emit.Generic, x), 0))
	m.Bind("b", emit.PtrTo(b, 0))
	if _, ok := m.Args["n"]; !ok {
		m.Bind("n", emit.IntWord(5))
	}
	err = m.Run(f)
	b.Decode(x)
	return x, err
}

func TestInterpret(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"masked lanes are not touched", `
			%3 = maskn %2 : i1x16
			%4 = loadm %3, %0 {off=44} : i32x16
			storem %4, %3, %1 {off=44}`, "[0 0 0 0 0 0 0 0 0 0 0 11 12 13 14 15]"},
		{"a masked load gives zeros", `
			%3 = maskn %2 : i1x8
			%4 = loadm %3, %0 {off=4} : i32x8
			store %4, %1`, "[1 2 3 4 5 0 0 0 0 0 0 0 0 0 0 0]"},
		{"a mask of bits, and bits of a mask", `
			%3 = maskof %2 : i1x4
			%4 = loadm %3, %0 {off=4} : i32x4
			store %4, %1
			%5 = const {imm=3} : i32x4
			%6 = cmp %4, %5 {name="eq"} : i1x4
			%7 = maskbits %6 : i64
			store %7, %1 {off=16}`, "[1 0 3 0 4 0 0 0 0 0 0 0 0 0 0 0]"},
		{"index and scale, prefetch anywhere", `
			prefetch %0, %2 {scale=8, off=100000}
			%3 = loadb %0, %2 {scale=4, off=-8} : i32x4
			store %3, %1, %2 {scale=8}`, "[0 0 0 0 0 0 0 0 0 0 3 3 3 3 0 0]"},
		{"carried values change places", `
			%3 = const : i64
			%4 = const {imm=1} : i64
			%5 = const {imm=7} : i32
			%6 = const {imm=9} : i32
			%7, %8 = for %3, %2, %4, %5, %6 : i32, i32 (%9: i64, %10: i32, %11: i32) {
				yield %11, %10
			}
			store %7, %1
			store %8, %1 {off=4}`, "[9 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0]"},
		{"signed bounds", `
			%3 = const {imm=-3} : i32
			%4 = const {imm=2} : i32
			%5 = const : i32
			%6 = for %3, %4, %4, %5 : i32 (%7: i32, %8: i32) {
				%9 = add %7, %8 : i32
				yield %9
			}
			store %6, %1`, "[-3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]"},
		{"while", `
			%3 = const {imm=1} : i64
			%4 = while %2 : i64 (%5: i64) {
				%6 = cmp %5, %3 {name="gt"} : i1
				yield %6, %5
			} do (%7: i64) {
				%8 = sub %7, %3 : i64
				%9 = trunc %8 : i32
				store %9, %1, %8 {scale=4}
				yield %8
			}
			store %4, %1`, "[1 0 2 3 4 0 0 0 0 0 0 0 0 0 0 0]"},
		{"if, and a pointer that is chosen", `
			%3 = const {imm=8} : i64
			%4 = cmp %2, %3 {name="ge"} : i1
			%5 = select %4, %0, %1 : ptr
			%6 = if %4 : i64 {
				yield %3
			} else {
				%7 = addp %5, %3 : ptr
				store %2, %7
				yield %2
			}
			store %6, %1`, "[5 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0]"},
		{"splat, copy and shuffle of two", `
			%3 = const {imm=3} : i32
			%4 = splat %3 : i32x4
			%5 = load %0 : i32x4
			%6 = copy %5 : i32x4
			%7 = shuffle %6, %4 {perm=[7, 3, 0, 4, 2, 2, 1, 1]} : i32x8
			store %7, %1`, "[3 3 0 3 2 2 1 1 0 0 0 0 0 0 0 0]"},
		{"widths", `
			%3 = const {imm=-1} : i8
			%4 = zext %3 : i32
			%5 = const {imm=4} : i32
			%6 = shl %4, %5 : i32
			%7 = trunc %6 : i8
			%8 = zext %7 : i32
			%9 = udiv %4, %5 : i32
			store %4, %1
			store %8, %1 {off=4}
			store %9, %1 {off=8}`, "[255 240 63 0 0 0 0 0 0 0 0 0 0 0 0 0]"},
	} {
		got, err := interpret(t, &emit.Machine{}, strings.ReplaceAll(c.body, "\t", " "))
		if s := fmt.Sprint(got); err != nil || s != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, s, err, c.want)
		}
	}
}

// What a run refuses, with the whole sentence once and its point otherwise.
func TestInterpretErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"%3 = load %0, %2 {scale=4} : i32x16", "f (5:1): %3 = load %0, %2 {scale=4} : i32x16: reads 64 bytes at offset 20 of A, which has 64 bytes"},
		{"%3 = load %0 {off=-1} : i8", "reads 1 bytes at offset -1 of A"},
		{"store %2, %1 {off=57}", "writes 8 bytes at offset 57 of B, which has 64 bytes"},
		{"%3 = load %1 {off=8} : i32", "reads 4 bytes at offset 8 of B: nothing has written offset 8"},
		{"%3 = addp %0, %2 : ptr\n%4 = loadb %3 {off=60} : i32x4", "reads 4 bytes at offset 65 of A"},
		{"%3 = maskn %2 : i1x4", "a mask of 4 lanes cannot have the first 5 set"},
		{"%3 = const {imm=64} : i64\n%4 = shl %2, %3 : i64", "shifts i64 by 64"},
		{"%3 = const : i64\n%4 = urem %2, %3 : i64", "divides by zero"},
		{"%3 = const {imm=1} : i64\nfor %2, %3, %3 {once} (%4: i64) {\nyield\n}", "is said to run at least once, but runs from 5 to 1"},
		{"%3 = const : i64\nfor %3, %2, %3 (%4: i64) {\nyield\n}", "gave up after 1000 steps"},
		{"%3 = load %0 : ptr", "cannot load pointers"},
		{"%3 = sreg {name=\"clock\"} : i32", `no special register "clock"`},
	} {
		_, err := interpret(t, &emit.Machine{MaxSteps: 1000}, c.body)
		wantError(t, err, c.want)
	}
	m := &emit.Machine{}
	m.Bind("n", emit.Word{Lane: make([]uint64, 4)})
	_, err := interpret(t, m, "")
	wantError(t, err, `argument "n" is bound to a value of 4 lanes, not to a i64`)
}

// Pointers keep what their types promise.
func TestAlignment(t *testing.T) {
	f := build(t, "aligned", block("p", emit.Pointer(emit.Shared, 16), "n", emit.Int64), func(b *emit.Builder) {
		p := offset(b, emit.Pointer(emit.Shared, 8), b.Param("p", emit.Pointer(emit.Shared, 16)), b.Param("n", emit.Int64))
		b.Store(b.Const(emit.Vector(emit.F32, 4), 0), emit.At(p, 0))
	})
	mem := &emit.Memory{Name: "smem", Space: emit.Shared, Data: make([]byte, 64)}
	run := func(p emit.Word, n int64) error {
		m := &emit.Machine{}
		m.Bind("p", p)
		m.Bind("n", emit.IntWord(n))
		return m.Run(f)
	}
	if err := run(emit.PtrTo(mem, 16), 32); err != nil {
		t.Error(err)
	}
	wantError(t, run(emit.PtrTo(mem, 8), 0), `argument "p" is a ptr.shared.16`, "offset 8 of smem is not a multiple of 16 bytes")
	wantError(t, run(emit.PtrTo(mem, 0), 4), "addp", "offset 4 of smem is not a multiple of 8 bytes")
	wantError(t, run(emit.PtrTo(mem, 0), 8), "store", "offset 8 of smem is not a multiple of 16 bytes")
	wantError(t, run(emit.PtrTo(mem, 48), 16), "writes 16 bytes at offset 64 of smem")
	wantError(t, run(emit.Word{Lane: []uint64{0}}, 0), "through a pointer that points nowhere")
	mem.Base, mem.ReadOnly = 8, true
	wantError(t, run(emit.PtrTo(mem, 8), 16), "writes 16 bytes at offset 24 of smem, which is read-only")
	mem.Space = emit.Global
	wantError(t, run(emit.PtrTo(mem, 8), 8), "smem is other memory")
}

// Threads that do not come together, or wait for what never happens.
func TestThreads(t *testing.T) {
	tid := func(b *emit.Builder) *emit.Value { return b.SReg("tid.x", emit.Int64, emit.Thread) }
	run := func(threads int, body func(b *emit.Builder)) error {
		f := build(t, "threads", block("smem", shared16), body)
		m := &emit.Machine{Threads: threads}
		m.Bind("smem", emit.PtrTo(emit.NewMemory("smem", emit.Shared, 64), 0))
		return m.Run(f)
	}
	// The check trusts what is said of a register; the machine does not.
	wantError(t, run(64, func(b *emit.Builder) { b.SReg("warpid", emit.Int64, emit.CTA) }),
		"thread 32: warpid is said to be the same over a cta, but threads 0 and 32 differ")
	wantError(t, run(48, func(b *emit.Builder) {
		b.Inst(inst.LdmatrixA, 0, b.Param("smem", shared16))
	}), "is executed by 32 threads together, and the machine has 48")

	// The check refuses conditions that differ, so this one is exchanged after it.
	diverge := func(otherwise func(b *emit.Builder)) error {
		f := build(t, "threads", nil, func(b *emit.Builder) {
			n := b.SReg("ntid.x", emit.Int64, emit.CTA)
			b.Cmp("ne", tid(b), b.Int(7))
			b.If(b.Cmp("ne", n, b.Int(7)), func() []*emit.Value { b.Inst(inst.BarSync, 0); return nil },
				func() []*emit.Value { otherwise(b); return nil })
		})
		var differs *emit.Value
		f.Body.Walk(func(op *emit.Op) {
			switch {
			case op.Def.Name == "cmp" && differs == nil:
				differs = op.Result()
			case op.Def.Name == "if":
				op.Args[0] = differs
			}
		})
		wantError(t, f.Check(), "must be executed by a whole cta together")
		return (&emit.Machine{Threads: 32}).Run(f)
	}
	wantError(t, diverge(func(*emit.Builder) {}), "divergent: threads 0-31 must execute it together, but thread 7 has ended")
	wantError(t, diverge(func(b *emit.Builder) { b.Inst(inst.BarSync, 1) }), "divergent", "is at bar.sync (interp_test.go:")

	wantError(t, run(64, func(b *emit.Builder) {
		p := b.Param("smem", shared16)
		first := b.Cmp("eq", tid(b), b.Int(0))
		b.If(first, func() []*emit.Value { b.Inst(inst.MbarrierInit, 0, p, b.Const(emit.Int32, 2)); return nil }, nil)
		b.Inst(inst.BarSync, 0)
		b.If(first, func() []*emit.Value { b.Inst(inst.MbarrierArrive, 0, p); return nil }, nil)
		b.While(nil, func([]*emit.Value) (*emit.Value, []*emit.Value) {
			done := b.Inst(inst.MbarrierTryWait, 0, p, b.Const(emit.Int32, 0))[0]
			return b.Xor(done, b.Const(emit.Bool, 1)), nil
		}, func([]*emit.Value) []*emit.Value { return nil })
	}), "deadlock: nothing can go on: threads 0-63 at mbarrier.try_wait.parity.shared::cta.b64 (interp_test.go:")
	wantError(t, run(1, func(b *emit.Builder) {
		b.Inst(inst.MbarrierArrive, 0, b.Param("smem", shared16))
	}), "nothing has written offset 0")
}

func TestMbarrier(t *testing.T) {
	const count = 3
	run := func(arrivals int) error {
		f := build(t, "arrivals", block("smem", shared16), func(b *emit.Builder) {
			p := b.Param("smem", shared16)
			b.Inst(inst.MbarrierInit, 0, p, b.Const(emit.Int32, count))
			b.Inst(inst.MbarrierExpectTx, 0, p, b.Const(emit.Int32, 16))
			for range arrivals {
				b.Inst(inst.MbarrierArrive, 0, p)
			}
			b.Inst(inst.MbarrierTryWait, 0, p, b.Const(emit.Int32, 0))
			b.Inst(inst.MbarrierTryWait, 0, p, b.Const(emit.Int32, 0))
		})
		m := &emit.Machine{}
		m.Bind("smem", emit.PtrTo(emit.NewMemory("smem", emit.Shared, 64), 0))
		return m.Run(f)
	}
	wantError(t, run(count-1), "deadlock") // all arrived, 16 bytes did not
	wantError(t, run(count), "counts 3 arrivals a phase, and one more comes")
}

// The edge of a matrix: bytes past the end of the source are zeros, not reads.
func TestZfill(t *testing.T) {
	f := build(t, "edge", block("smem", shared16, "src", global16, "n", emit.Int32), func(b *emit.Builder) {
		b.Inst(inst.CpAsyncZfill, 0, b.Param("smem", shared16), b.Param("src", global16), b.Param("n", emit.Int32))
		b.Inst(inst.CpAsyncCommit, 0)
		b.Inst(inst.CpAsyncWait, 0)
	})
	for _, c := range []struct {
		n    int64
		want string
	}{{12, "[1 2 3 0]"}, {0, "[0 0 0 0]"}, {13, "reads 13 bytes"}, {17, "more than 16"}} {
		smem := emit.NewMemory("smem", emit.Shared, 16)
		m := &emit.Machine{}
		m.Bind("smem", emit.PtrTo(smem, 0))
		m.Bind("src", emit.PtrTo(emit.MemoryOf("src", emit.Global, []int32{1, 2, 3}), 0))
		m.Bind("n", emit.IntWord(c.n))
		if err := m.Run(f); err != nil {
			wantError(t, err, c.want)
			continue
		}
		got := make([]int32, 4)
		smem.Decode(got)
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%d bytes: %s, want %s", c.n, s, c.want)
		}
	}
}
