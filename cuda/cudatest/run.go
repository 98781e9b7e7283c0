package cudatest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// Run tests the devices that open returns, a new one for each part. In its last part a
// kernel stores where no memory is, after which a real GPU may refuse further work of
// the process. So let Run be the last test of a program that uses one.
func Run(t *testing.T, open func() (cuda.Device, error)) {
	for _, part := range []struct {
		name string
		test func(*T)
	}{
		{"Info", info},
		{"Alloc", alloc},
		{"Copies", copies},
		{"Order", order},
		{"Range", ranges},
		{"Foreign", foreign},
		{"Nil", nils},
		{"Events", events},
		{"LoadErrors", loadErrors},
		{"Add", add},
		{"Shared", shared},
		{"Grid", grids},
		{"Matrix", matrices},
		{"Closed", closed},
		{"DeviceClosed", deviceClosed},
		{"Goroutines", goroutines},
		{"Fault", fault},
	} {
		t.Run(part.name, func(t *testing.T) {
			x := &T{T: t, open: open}
			x.dev = x.Open()
			part.test(x)
		})
	}
}

// T is a test with a device.
type T struct {
	*testing.T
	dev  cuda.Device
	open func() (cuda.Device, error)
}

// Open opens a device that is closed with the test, unless it was before.
func (t *T) Open() cuda.Device {
	t.Helper()
	d, err := t.open()
	t.must("open", err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !errors.Is(err, cuda.ErrClosed) && !errors.Is(err, cuda.ErrLaunch) {
			t.Errorf("Close of the device: %v", err)
		}
	})
	return d
}

func (t *T) must(what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// fails wants an error that wraps one of kinds, or any if there are none, and that
// says more than its kind.
func (t *T) fails(what string, err error, kinds ...error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one of %v", what, kinds)
		return
	}
	ok := len(kinds) == 0
	for _, k := range kinds {
		ok = ok || errors.Is(err, k) && err != k
	}
	if !ok {
		t.Errorf("%s: %q, want it to wrap one of %q and to say more", what, err, kinds)
	}
}

func (t *T) stream() cuda.Stream {
	t.Helper()
	s, err := t.dev.NewStream()
	t.must("NewStream", err)
	return s
}

func (t *T) event() cuda.Event {
	t.Helper()
	e, err := t.dev.NewEvent()
	t.must("NewEvent", err)
	return e
}

func (t *T) alloc(n int64) cuda.Memory {
	t.Helper()
	m, err := t.dev.Alloc(n)
	t.must("Alloc", err)
	return m
}

func (t *T) kernel(name string) cuda.Function {
	t.Helper()
	m, err := t.dev.Load(PTX)
	t.must("Load", err)
	f, err := m.Function(name)
	t.must("Function", err)
	return f
}

// read returns the contents of m.
func (t *T) read(s cuda.Stream, m cuda.Memory) []byte {
	t.Helper()
	b := make([]byte, m.Bytes())
	t.must("Read", s.Read(b, m, 0))
	return b
}

// line is a grid of one dimension.
func line(blocks, threads int) cuda.Grid {
	return cuda.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

func info(t *T) {
	i := t.dev.Info()
	if i.Name == "" || i.Kind == "" || strings.TrimSpace(i.Name) != i.Name {
		t.Errorf("name %q, kind %q", i.Name, i.Kind)
	}
	if i.Major < 5 || i.Minor < 0 || i.Minor > 9 || i.SMs < 1 || i.TotalMemory < 1<<20 || i.SharedPerBlock < 48<<10 || i.RegistersPerSM < 1<<15 {
		t.Errorf("no GPU that there was: %+v", i)
	}
	if (i.Kind == "driver") != (i.DriverVersion > 0) {
		t.Errorf("kind %q with a driver of version %d", i.Kind, i.DriverVersion)
	}
}

func alloc(t *T) {
	var end uint64
	for _, n := range []int64{0, 1, 255, 256, 257, 1 << 20} {
		m := t.alloc(n)
		if m.Bytes() != n || m.Device() != t.dev {
			t.Errorf("%d bytes: Bytes is %d, Device as expected: %v", n, m.Bytes(), m.Device() == t.dev)
		}
		if m.Address()%256 != 0 || n > 0 && m.Address() == 0 {
			t.Errorf("%d bytes at %#x, want a multiple of 256", n, m.Address())
		}
		if m.Address() != 0 && m.Address() == end {
			t.Errorf("%d bytes at %#x, where another buffer is", n, m.Address())
		}
		if n > 0 {
			end = m.Address()
		}
		t.must("Free", m.Free())
		end = 0
	}
	a, b := t.alloc(100), t.alloc(100)
	if lo, hi := min(a.Address(), b.Address()), max(a.Address(), b.Address()); hi-lo < 100 {
		t.Errorf("buffers of 100 bytes at %#x and %#x", a.Address(), b.Address())
	}
	_, err := t.dev.Alloc(-1)
	t.fails("Alloc(-1)", err)
	_, err = t.dev.Alloc(math.MaxInt64)
	t.fails("Alloc of all there is", err, cuda.ErrMemory)
}
