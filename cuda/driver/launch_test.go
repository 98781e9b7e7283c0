package driver

import (
	"errors"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/cudatest"
)

// bench is a device with all that the tests of one call need.
type bench struct {
	*fake
	dev     cuda.Device
	s       cuda.Stream
	e       cuda.Event
	mem     cuda.Memory
	reverse cuda.Function
	grid    cuda.Grid
	params  []byte
}

func newBench(t testing.TB, configure ...func(*fake)) *bench {
	t.Helper()
	b := &bench{fake: newFake(t, configure...)}
	b.dev = b.open()
	b.s = b.stream(b.dev)
	var err error
	if b.e, err = b.dev.NewEvent(); err != nil {
		t.Fatal(err)
	}
	if b.mem, err = b.dev.Alloc(4 << 20); err != nil {
		t.Fatal(err)
	}
	m, err := b.dev.Load(cudatest.PTX)
	if err != nil {
		t.Fatal(err)
	}
	if b.reverse, err = m.Function("reverse_f32"); err != nil {
		t.Fatal(err)
	}
	b.grid = cuda.Grid{Blocks: [3]int{2, 1, 1}, Threads: [3]int{64, 1, 1}, Shared: 64 << 10}
	var p cuda.Params
	p.Pointer(b.mem.Address())
	p.Pointer(b.mem.Address() + 4096)
	b.params = p.Block()
	return b
}

// operations are all that a running program does over and over.
func (b *bench) operations() map[string]func() error {
	host := make([]byte, 3<<20)
	return map[string]func() error{
		"Launch":      func() error { return b.reverse.Launch(b.s, b.grid, b.params) },
		"Write":       func() error { return b.s.Write(b.mem, 0, host) },
		"Read":        func() error { return b.s.Read(host, b.mem, 0) },
		"Copy":        func() error { return b.s.Copy(b.mem, 0, b.mem, 1<<20, 1<<20) },
		"Fill":        func() error { return b.s.Fill(b.mem, 0, 0, 1<<20) },
		"Record":      func() error { return b.s.Record(b.e) },
		"Wait":        func() error { return b.s.Wait(b.e) },
		"Synchronize": func() error { return b.s.Synchronize() },
		"Device":      func() error { return b.dev.Synchronize() },
	}
}

func TestNoAllocation(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector has pools allocate")
	}
	b := newBench(t)
	for name, op := range b.operations() {
		if n := testing.AllocsPerRun(100, func() {
			if err := op(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}

// TestContext calls everything on a thread that has no context, which is what a
// goroutine finds that has moved.
func TestContext(t *testing.T) {
	b := newBench(t)
	all := b.operations()
	all["Alloc and Free"] = func() error {
		m, err := b.dev.Alloc(1)
		if err != nil {
			return err
		}
		b.call("fake_forget")
		return m.Free()
	}
	all["Load, Function and Unload"] = func() error {
		m, err := b.dev.Load(cudatest.PTX)
		if err != nil {
			return err
		}
		b.call("fake_forget")
		if _, err := m.Function("add_f32"); err != nil {
			return err
		}
		b.call("fake_forget")
		return m.Unload()
	}
	all["NewStream and Close"] = func() error {
		s, err := b.dev.NewStream()
		if err != nil {
			return err
		}
		b.call("fake_forget")
		return s.Close()
	}
	all["NewEvent and Close"] = func() error {
		e, err := b.dev.NewEvent()
		if err != nil {
			return err
		}
		b.call("fake_forget")
		return e.Close()
	}
	all["Since"] = func() error { _, err := b.e.Since(b.e); return err }
	if err := b.s.Record(b.e); err != nil {
		t.Fatal(err)
	}
	for name, op := range all {
		b.call("fake_forget")
		if err := op(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c := b.complaint(); c != "" {
			t.Errorf("%s: the driver complains of %s", name, c)
		}
	}
	b.call("fake_forget")
	if err := b.dev.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestSharedLeave counts how often leave is asked for shared memory: a launch that
// had it does not ask again.
func TestSharedLeave(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ shared, asked int }{
		{1 << 10, 0}, {48 << 10, 0}, {48<<10 + 1, 1}, {48<<10 + 1, 1}, {100 << 10, 2}, {64 << 10, 2}, {0, 2}, {200 << 10, 3}, {200 << 10, 3},
	} {
		b.grid.Shared = c.shared
		if c.shared == 0 {
			b.grid.Shared = 256
		}
		if err := b.reverse.Launch(b.s, b.grid, b.params); err != nil {
			t.Errorf("%d bytes: %v", c.shared, err)
		}
		if n := b.calls(cuFuncSetAttribute); n != c.asked {
			t.Errorf("%d bytes: asked %d times, want %d", c.shared, n, c.asked)
		}
	}
	// A failure is not remembered as leave.
	b.fail(cuFuncSetAttribute, 1, 0, 1)
	b.grid.Shared = 220 << 10
	if err := b.reverse.Launch(b.s, b.grid, b.params); err == nil || !strings.Contains(err.Error(), "225280 bytes of dynamic shared memory") {
		t.Errorf("a launch without leave: %v", err)
	}
	if err := b.reverse.Launch(b.s, b.grid, b.params); err != nil {
		t.Errorf("the launch after it: %v", err)
	}
}

// TestBigKernel: limits that are the kernel's own.
func TestBigKernel(t *testing.T) {
	b := newBench(t)
	m, err := b.dev.Load(strings.ReplaceAll(cudatest.PTX, "reverse_f32", "big_f32"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("big_f32")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Attributes(), (cuda.Attributes{Registers: 255, Static: 1024, Local: 16}); got != want {
		t.Errorf("attributes %+v, want %+v", got, want)
	}
	shared := int(b.dev.Info().SharedPerBlock)
	for _, c := range []struct {
		threads, shared int
		want            string
	}{
		{512, 2048, "512 threads a block; with 255 registers a thread there is room for 256"},
		{256, shared, "233472 bytes of shared memory, 232448 dynamic and 1024 static, want at most 232448 on Fake GPU 0"},
		{256, shared - 1024, ""},
		{256, 47<<10 + 512, ""}, // needs leave: with the static part it is above 48 KB
	} {
		g := cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{c.threads, 1, 1}, Shared: c.shared}
		err := f.Launch(b.s, g, b.params)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, cuda.ErrUnsupported) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d threads, %d bytes: %v, want %q", c.threads, c.shared, err, c.want)
		}
	}
}

// TestOldParams: a driver before CUDA 12.4 cannot say what a kernel takes; it still
// refuses what is wrong.
func TestOldParams(t *testing.T) {
	b := newBench(t)
	b.lib.fn[cuFuncGetParamInfo] = 0
	m := must(b.dev.Load(cudatest.PTX))
	f := must(m.Function("reverse_f32"))
	if err := f.Launch(b.s, b.grid, b.params); err != nil {
		t.Error(err)
	}
	var e *Error
	if err := f.Launch(b.s, b.grid, b.params[:8]); !errors.As(err, &e) || e.Name != "CUDA_ERROR_INVALID_VALUE" || !strings.Contains(err.Error(), "launch of reverse_f32") {
		t.Errorf("half of the parameters: %v", err)
	}
	if err := f.Launch(b.s, b.grid, make([]byte, cuda.MaxParams+1)); err == nil {
		t.Error("5000 bytes of parameters were taken")
	}
}

// BenchmarkLaunch is the cost of two calls into C and of the checks around them; the
// fake does the rest.
func BenchmarkLaunch(b *testing.B) {
	x := newBench(b, func(f *fake) { f.set("eager", 1) })
	x.grid = cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Shared: 4}
	op := x.operations()["Launch"]
	for b.Loop() {
		if err := op(); err != nil {
			b.Fatal(err)
		}
	}
}
