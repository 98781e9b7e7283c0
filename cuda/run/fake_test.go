package run_test

import (
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// fake is a device that executes nothing and remembers what was launched.
type fake struct {
	info     cuda.Info
	mu       sync.Mutex
	next     uint64
	launches []launch
	loads    int
	quiet    bool // remember nothing
	freed    int  // buffers
	fail     error
}

type launch struct {
	name   string
	grid   cuda.Grid
	params []byte
}

func newFake() *fake {
	return &fake{info: cuda.Info{Name: "fake", Kind: "emu", Major: 9, SMs: 132, ClockKHz: 1_700_000, SharedPerBlock: 227 << 10}, next: 1 << 20}
}

func (f *fake) Info() cuda.Info { return f.info }
func (f *fake) Alloc(n int64) (cuda.Memory, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return nil, f.fail
	}
	m := &fakeMemory{f, f.next, n}
	f.next += uint64(n+255) &^ 255
	return m, nil
}
func (f *fake) Load(ptx string) (cuda.Module, error) { f.loads++; return fakeModule{f, ptx}, nil }
func (f *fake) NewStream() (cuda.Stream, error)      { return &fakeStream{d: f}, nil }
func (f *fake) NewEvent() (cuda.Event, error)        { return nil, cuda.ErrUnsupported }
func (f *fake) Synchronize() error                   { return nil }
func (f *fake) Close() error                         { return nil }

type fakeMemory struct {
	d     *fake
	at    uint64
	bytes int64
}

func (m *fakeMemory) Device() cuda.Device { return m.d }
func (m *fakeMemory) Address() uint64     { return m.at }
func (m *fakeMemory) Bytes() int64        { return m.bytes }
func (m *fakeMemory) Free() error         { m.d.freed++; return nil }

type fakeModule struct {
	d   *fake
	ptx string
}

func (m fakeModule) Function(name string) (cuda.Function, error) {
	if ks := cuda.Kernels(m.ptx); len(ks) != 1 || ks[0] != name {
		return nil, fmt.Errorf("%w: the module has %v", cuda.ErrNoKernel, ks)
	}
	return &fakeFunction{m.d, name}, nil
}
func (m fakeModule) Unload() error { return nil }

type fakeFunction struct {
	d    *fake
	name string
}

func (f *fakeFunction) Attributes() cuda.Attributes { return cuda.Attributes{} }
func (f *fakeFunction) Launch(s cuda.Stream, g cuda.Grid, params []byte) error {
	if f.d.quiet {
		return nil
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.d.launches = append(f.d.launches, launch{f.name, g, append([]byte(nil), params...)})
	return g.Check(f.d.info)
}

type fakeStream struct {
	d      *fake
	closed bool
}

func (s *fakeStream) Device() cuda.Device                                          { return s.d }
func (s *fakeStream) Write(cuda.Memory, int64, []byte) error                       { return nil }
func (s *fakeStream) Read([]byte, cuda.Memory, int64) error                        { return nil }
func (s *fakeStream) Copy(_ cuda.Memory, _ int64, _ cuda.Memory, _, _ int64) error { return nil }
func (s *fakeStream) Fill(cuda.Memory, int64, byte, int64) error {
	if s.closed {
		return fmt.Errorf("fake: the stream %w", cuda.ErrClosed)
	}
	return nil
}
func (s *fakeStream) Record(cuda.Event) error { return nil }
func (s *fakeStream) Wait(cuda.Event) error   { return nil }
func (s *fakeStream) Synchronize() error      { return nil }
func (s *fakeStream) Close() error            { s.closed = true; return nil }
