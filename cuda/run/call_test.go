package run_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// device returns a fake device, a stream of it, and what makes matrices there.
func device(t testing.TB) (*fake, cuda.Stream) {
	d := newFake()
	s, _ := d.NewStream()
	return d, s
}

func matrix[T dtype.Elem](t testing.TB, d cuda.Device, rows, cols, stride int) cuda.Matrix[T] {
	t.Helper()
	m, err := cuda.NewStrided[T](d, rows, cols, max(stride, cols, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func slice[T dtype.Elem](t testing.TB, d cuda.Device, n int) cuda.Slice[T] {
	t.Helper()
	x, err := cuda.Make[T](d, n)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestChoice: which kernel is launched for operands that lie one way or the other.
func TestChoice(t *testing.T) {
	type bf = dtype.BF16
	cut := func(m cuda.Matrix[bf], rows, cols int) cuda.Matrix[bf] { return m.Slice(1, 1+rows, 1, 1+cols) }
	for _, c := range []struct {
		name    string
		m, n, k int
		lie     func(d cuda.Device) (out, a, b cuda.Matrix[bf])
		want    string
	}{
		{"row-major", 4096, 4096, 4096, nil, "kn16"},
		{"shallow", 4096, 4096, 256, nil, "kn16pair"},
		{"small", 256, 256, 256, nil, "kn16small"},
		{"b transposed", 4096, 4096, 64, func(d cuda.Device) (out, a, b cuda.Matrix[bf]) {
			return matrix[bf](t, d, 4096, 4096, 0), matrix[bf](t, d, 4096, 64, 0), matrix[bf](t, d, 4096, 64, 0).T()
		}, "kk16pair"},
		{"both transposed", 4096, 4096, 64, func(d cuda.Device) (out, a, b cuda.Matrix[bf]) {
			return matrix[bf](t, d, 4096, 4096, 0), matrix[bf](t, d, 64, 4096, 0).T(), matrix[bf](t, d, 4096, 64, 0).T()
		}, "mk16pair"},
		{"even rows", 30, 30, 30, nil, "kn4"},
		{"odd rows", 31, 31, 31, nil, "any"},
		{"many odd rows", 511, 512, 511, nil, "padkn16small"},
		{"odd rows, and of out", 511, 511, 511, nil, "padpadkn4splitpartsnarrow"},
		{"odd start", 32, 32, 32, func(d cuda.Device) (out, a, b cuda.Matrix[bf]) {
			return matrix[bf](t, d, 32, 32, 0), cut(matrix[bf](t, d, 40, 40, 0), 32, 32), matrix[bf](t, d, 32, 32, 0)
		}, "padkn16small"},
		{"out by columns", 32, 32, 32, func(d cuda.Device) (out, a, b cuda.Matrix[bf]) {
			return matrix[bf](t, d, 32, 32, 0).T(), matrix[bf](t, d, 32, 32, 0), matrix[bf](t, d, 32, 32, 0)
		}, "kn4"},
		{"one row", 1, 4096, 4096, func(d cuda.Device) (out, a, b cuda.Matrix[bf]) {
			return matrix[bf](t, d, 1, 4096, 4097), matrix[bf](t, d, 1, 4096, 4097), matrix[bf](t, d, 4096, 4096, 0)
		}, "kn16smallsplitparts"},
		{"nothing", 0, 32, 32, nil, ""},
		{"no depth", 32, 32, 0, nil, "mn16small"},
	} {
		d, s := device(t)
		out, a, b := matrix[bf](t, d, c.m, c.n, 0), matrix[bf](t, d, c.m, c.k, 0), matrix[bf](t, d, c.k, c.n, 0)
		if c.lie != nil {
			out, a, b = c.lie(d)
		}
		if err := MatMulBF16(s, run.Options{}, out, a, b); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		have := ""
		for _, l := range d.launches {
			have += strings.TrimPrefix(l.name, "matMulBF16_sm80_")
		}
		if have != c.want {
			t.Errorf("%s: launched %q, want %q", c.name, have, c.want)
		}
	}
}

// TestRefused: what does not fit is an error that names the operand.
func TestRefused(t *testing.T) {
	type bf = dtype.BF16
	d, s := device(t)
	other, _ := device(t)
	out, a, b := matrix[bf](t, d, 32, 32, 0), matrix[bf](t, d, 32, 32, 0), matrix[bf](t, d, 32, 32, 0)
	wide := a
	wide.Cols = 33
	same := out
	same.RowStride = 0
	for _, c := range []struct {
		name      string
		s         cuda.Stream
		opt       run.Options
		out, a, b cuda.Matrix[bf]
		want      string
	}{
		{"shape", s, run.Options{}, out, a, matrix[bf](t, d, 31, 32, 0), "out is 32 x 32, a is 32 x 32 and b is 31 x 32; want m x n, m x k and k x n"},
		{"bounds", s, run.Options{}, out, wide, b, "a: 1024 elements do not hold 32 x 33"},
		{"one place", s, run.Options{}, same, a, b, "out: strides (0, 1) put several elements"},
		{"overlap", s, run.Options{}, out, out, b, "out: shares memory with a"},
		{"overlap in part", s, run.Options{}, out.Slice(0, 16, 0, 16), out.Slice(15, 31, 15, 31), matrix[bf](t, d, 16, 16, 0), "out: shares memory with a"},
		{"foreign", s, run.Options{}, out, a, matrix[bf](t, other, 32, 32, 0), "b belongs to another device"},
		{"no stream", nil, run.Options{}, out, a, b, "the stream is nil"},
		{"kernel", s, run.Options{Kernel: "nope"}, out, a, b, `Options.Kernel "nope" is not one of its kernels`},
		{"kernel that does not suit", s, run.Options{Kernel: "matMulBF16_sm80_mn16"}, out, a, b, "lie otherwise"},
	} {
		err := MatMulBF16(c.s, c.opt, c.out, c.a, c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "test.MatMulBF16: ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if len(d.launches) > 0 {
		t.Errorf("%d kernels were launched", len(d.launches))
	}
	// Blocks of one matrix that do not meet are no overlap.
	big := matrix[bf](t, d, 64, 64, 0)
	if err := MatMulBF16(s, run.Options{}, big.Slice(0, 32, 0, 32), big.Slice(0, 32, 32, 64), big.Slice(32, 64, 0, 32)); err != nil {
		t.Error(err)
	}
	old := newFake()
	old.info.Major, old.info.Minor = 7, 5
	s, _ = old.NewStream()
	err := MatMulBF16(s, run.Options{}, matrix[bf](t, old, 8, 8, 0), matrix[bf](t, old, 8, 8, 0), matrix[bf](t, old, 8, 8, 0))
	if !errors.Is(err, cuda.ErrUnsupported) {
		t.Errorf("on an old GPU: %v", err)
	}
}

// TestTarget: a device takes the newest target that it can run.
func TestTarget(t *testing.T) {
	for _, c := range []struct {
		major, minor int
		want         string // of the kernel's name
	}{{8, 0, "sm80"}, {8, 9, "sm89"}, {9, 0, "sm90a"}, {10, 0, "sm89"}, {7, 5, ""}} {
		d, s := device(t)
		d.info.Major, d.info.Minor = c.major, c.minor
		set := &run.Set{Name: "test", A: dtype.F32, B: dtype.F32, Plain: true, Slots: []run.Slot{{Name: "out", Type: dtype.F32}}}
		for _, target := range []string{"sm_89", "sm_90a", "sm_80"} {
			name := strings.Replace(target, "_", "", 1)
			set.Targets = append(set.Targets, run.Target{
				PTX:     ".version 8.0\n.target " + target + "\n.address_size 64\n\n.visible .entry " + name + "()\n{\n}\n",
				Kernels: []run.Kernel{{Name: name, Tile: tiling.GPU{BM: 32, BN: 32, BK: 8, WM: 32, WN: 32, Stages: 2}, Threads: 32}},
			})
		}
		square := func() cuda.Matrix[float32] { return matrix[float32](t, d, 8, 8, 8) }
		call := run.Begin(set, s, run.Options{})
		run.Out(call, square())
		run.A(call, square())
		run.B(call, square())
		err := call.Launch()
		have := ""
		for _, l := range d.launches {
			have += l.name
		}
		if have != c.want || (err == nil) != (c.want != "") {
			t.Errorf("sm_%d%d runs %q, %v; want %q", c.major, c.minor, have, err, c.want)
		}
	}
}

// TestHuge: more elements than 32 bits count.
func TestHuge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int counts no more than that here")
	}
	type bf = dtype.BF16
	d, s := device(t)
	const n = 70000
	square := func() cuda.Matrix[bf] { return matrix[bf](t, d, n, n, n+8) }
	if err := MatMulBF16(s, run.Options{}, square(), square(), square()); err != nil {
		t.Fatal(err)
	}
	l := d.launches[0]
	if want := (n + 127) / 128 * ((n + 255) / 256); l.grid.Blocks[0] != want {
		t.Errorf("%d CTAs, want %d", l.grid.Blocks[0], want)
	}
	const rows = min(1<<39, math.MaxInt)
	tall := matrix[bf](t, d, rows, 8, 8)
	err := MatMulBF16(s, run.Options{}, tall, matrix[bf](t, d, rows, 8, 8), matrix[bf](t, d, 8, 8, 8))
	if err == nil || !strings.Contains(err.Error(), "more than the 2147483647 of a launch; cut the product") {
		t.Errorf("a grid that is too large: %v", err)
	}
}

// TestSharedMemory: where the large tile does not fit a smaller one is taken, and
// where none does the call says so.
func TestSharedMemory(t *testing.T) {
	type bf = dtype.BF16
	try := func(bytes int64) (string, error) {
		d, s := device(t)
		d.info.SharedPerBlock = bytes
		square := func() cuda.Matrix[bf] { return matrix[bf](t, d, 4096, 4096, 0) }
		err := MatMulBF16(s, run.Options{}, square(), square(), square())
		name := ""
		for _, l := range d.launches {
			name += l.name
		}
		return name, err
	}
	for bytes, want := range map[int64]string{227 << 10: "matMulBF16_sm80_kn16", 99 << 10: "matMulBF16_sm80_kn16pair", 50 << 10: "matMulBF16_sm80_kn16small"} {
		if name, err := try(bytes); name != want || err != nil {
			t.Errorf("with %d bytes: %q, %v, want %s", bytes, name, err, want)
		}
	}
	if _, err := try(48<<10 - 1); !errors.Is(err, cuda.ErrUnsupported) || !strings.Contains(err.Error(), "its kernels take 49152 bytes of shared memory and more, fake has 49151") {
		t.Errorf("with too little: %v", err)
	}
}

// TestReductions: the kernel, then one launch for each reduction.
func TestReductions(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("makes kernels with reductions")
	}
	d, s := device(t)
	f32 := func(rows, cols int) cuda.Matrix[float32] { return matrix[float32](t, d, rows, cols, 0) }
	peak, at, sums, bias := slice[float32](t, d, 40), slice[int32](t, d, 40), slice[float32](t, d, 300), slice[float32](t, d, 300)
	call := func(out cuda.Matrix[float32]) error {
		return Biased(s, out, peak, at, sums, f32(40, 64), f32(64, 300), bias)
	}
	if err := call(f32(40, 300)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range d.launches {
		names = append(names, l.name)
	}
	if have := strings.Join(names, " "); have != "biased_sm80_kn16small biased_sm80_join0 biased_sm80_join1 biased_sm80_join2" {
		t.Errorf("launched %s", have)
	}
	out, a, b := f32(40, 300), f32(40, 64), f32(64, 300)
	fresh, _ := d.NewStream() // without a workspace yet
	d.fail = cuda.ErrMemory
	for want, err := range map[string]error{
		"bias: has 299 elements; out has 300 columns":         Biased(s, out, peak, at, sums, a, b, bias.Slice(0, 299)),
		"peak: has 39 elements; out has 40 rows":              Biased(s, out, peak.Slice(0, 39), at, sums, a, b, bias),
		"sums: shares memory with bias":                       Biased(s, out, peak, at, bias, a, b, bias),
		"workspace for partial results: out of device memory": Biased(fresh, out, peak, at, sums, a, b, bias),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAllocations: a call that was made before allocates nothing.
func TestAllocations(t *testing.T) {
	d, s := device(t)
	d.quiet = true
	type bf = dtype.BF16
	out, a, b := matrix[bf](t, d, 64, 64, 0), matrix[bf](t, d, 64, 64, 0), matrix[bf](t, d, 64, 64, 0)
	if n := testing.AllocsPerRun(100, func() {
		if err := MatMulBF16(s, run.Options{}, out, a, b); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations a call", n)
	}
	odd := matrix[bf](t, d, 64, 64, 65) // which is copied
	if n := testing.AllocsPerRun(100, func() {
		if err := MatMulBF16(s, run.Options{Pad: true}, out, odd, b); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations a call with a copy", n)
	}
	if level.Of(true, false, false) {
		return // reductions have kernels of their own
	}
	f32 := func(rows, cols int) cuda.Matrix[float32] { return matrix[float32](t, d, rows, cols, 0) }
	peak, at, sums, bias := slice[float32](t, d, 40), slice[int32](t, d, 40), slice[float32](t, d, 300), slice[float32](t, d, 300)
	x, y, z := f32(40, 300), f32(40, 64), f32(64, 300)
	if n := testing.AllocsPerRun(100, func() {
		if err := Biased(s, x, peak, at, sums, y, z, bias); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations a call with reductions", n)
	}
}
