package emu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// What accesses cost, by hand. The address of lane i is i*stride, in bytes.
func TestCosts(t *testing.T) {
	const all = "mov.u32 %r1, smem;\nmad.lo.u32 %r1, %r0, STRIDE, %r1;\nmul.wide.u32 %rd1, %r0, STRIDE;\nadd.u64 %rd1, %rd1, %rd0;\n"
	for _, c := range []struct {
		name, body  string
		stride      int
		waves, best int64
		sectors     int64
		bestSectors int64
	}{
		{"words in a row", "st.shared.u32 [%r1], %r0;", 4, 1, 1, 0, 0},
		{"every second word", "st.shared.u32 [%r1], %r0;", 8, 2, 1, 0, 0},
		{"one bank", "st.shared.u32 [%r1], %r0;", 128, 32, 1, 0, 0},
		{"padded rows", "st.shared.u32 [%r1], %r0;", 132, 1, 1, 0, 0},
		{"pairs", "st.shared.v2.u32 [%r1], {%r0, %r0};", 8, 2, 2, 0, 0},
		{"quads", "st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};", 16, 4, 4, 0, 0},
		{"quads apart", "st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};", 32, 8, 4, 0, 0},
		{"quads on the same banks", "st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};", 128, 32, 4, 0, 0},
		{"one lane", "setp.eq.u32 %p1, %r0, 3;\n@%p1 st.shared.u32 [%r1], %r0;", 128, 1, 1, 0, 0},
		{"broadcast", "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r2, [smem];", 4, 2, 2, 0, 0},
		{"rows of a matrix, swizzled or not", "st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r1];", 16, 8, 8, 0, 0},
		{"rows of a matrix on the same banks", "st.shared.v4.u32 [%r1], {%r0, %r0, %r0, %r0};\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r1];", 128, 64, 8, 0, 0},
		{"global words in a row", "ld.global.u32 %r2, [%rd1];", 4, 0, 0, 4, 4},
		{"global words apart", "ld.global.u32 %r2, [%rd1];", 32, 0, 0, 32, 4},
		{"global quads", "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1];", 16, 0, 0, 16, 16},
		{"global, begun in the middle", "ld.global.u32 %r2, [%rd1+16];", 4, 0, 0, 5, 4},
		{"one global word", "ld.global.u32 %r2, [%rd0];", 4, 0, 0, 1, 1},
		{"copies", "cp.async.cg.shared.global [%r1], [%rd1], 16;\ncp.async.wait_all;", 16, 4, 4, 16, 16},
	} {
		r := newRig(t, Options{})
		m := r.alloc(make([]byte, 8192))
		body := strings.ReplaceAll(all+c.body, "STRIDE", fmt.Sprint(c.stride))
		if err := r.launch(kernel(1, body), "k", grid(1, 32, 8192), m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		k := r.d.Report().Kernels[0]
		if k.SharedWavefronts != c.waves || k.SharedIdeal != c.best || k.GlobalSectors != c.sectors || k.GlobalIdeal != c.bestSectors {
			t.Errorf("%s: %d/%d wavefronts, %d/%d sectors, want %d/%d and %d/%d", c.name,
				k.SharedWavefronts, k.SharedIdeal, k.GlobalSectors, k.GlobalIdeal, c.waves, c.best, c.sectors, c.bestSectors)
		}
		r.d.ResetReport()
		if n := len(r.d.Report().Kernels); n != 0 {
			t.Errorf("%d kernels after ResetReport", n)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{SMs: -1}, "negative"}, {Options{Major: 7}, "7.0 is not emulated"}, {Options{Major: 13}, "13.0 is not emulated"}, {Options{Async: 7}, "Async is 7"}, {Options{SharedPerBlock: 1 << 20}, "1048576 bytes of shared memory"},
	} {
		if _, err := Open(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%+v): %v, want %q", c.o, err, c.want)
		}
	}
	d, err := Open(Options{Major: 8, Minor: 6, MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if i := d.Info(); i.SharedPerBlock != 99<<10 || i.Major != 8 || i.Minor != 6 || i.Kind != "emu" {
		t.Errorf("Info is %+v", i)
	}
	for cc, want := range map[[2]int]int64{{8, 0}: 163, {8, 7}: 163, {8, 9}: 99, {9, 0}: 227, {10, 0}: 227, {10, 3}: 227, {12, 0}: 99, {12, 1}: 99} {
		if d, err := Open(Options{Major: cc[0], Minor: cc[1]}); err != nil || d.Info().SharedPerBlock != want<<10 {
			t.Errorf("sm_%d%d: %v, %+v; want %d KiB", cc[0], cc[1], err, d, want)
		}
	}
	m, err := d.Alloc(900)
	if err != nil {
		t.Fatal(err)
	}
	if m.Address()%256 != 0 {
		t.Errorf("the address is %#x", m.Address())
	}
	if _, err := d.Alloc(101); !errors.Is(err, cuda.ErrMemory) {
		t.Errorf("101 bytes of 100: %v", err)
	}
	if err := m.Free(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(1000); err != nil {
		t.Error(err)
	}
}

// With one worker, everything that depends on an order is the same each time.
func TestSameEachTime(t *testing.T) {
	body := "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 64, %r0;\natom.global.exch.b32 %r2, [%rd0], %r1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r2;"
	run := func(seed uint64) string {
		r := newRig(t, Options{Seed: seed, Workers: 1})
		n, out := r.alloc(words(0)), r.empty(4*64*10)
		if err := r.launch(kernel(2, body), "k", grid(10, 64, 0), n, out); err != nil {
			t.Fatal(err)
		}
		return string(r.read(out))
	}
	if run(7) != run(7) {
		t.Error("seed 7 differs from itself")
	}
	if run(7) == run(8) {
		t.Error("seeds 7 and 8 give the same order")
	}
}
