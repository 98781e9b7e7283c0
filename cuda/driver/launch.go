package driver

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

type function struct {
	mod        *module
	name       string
	handle     uintptr
	attrs      cuda.Attributes
	maxThreads int
	paramBytes int // -1: unknown

	mu      sync.Mutex
	allowed atomic.Int64 // dynamic shared memory that was asked leave for
}

// defaultShared is what a kernel may use of shared memory, static and dynamic,
// without asking (CUDA programming guide, "Shared Memory").
const defaultShared = 48 << 10

// launch is the memory of one call of cuLaunchKernel, which takes a list of keys
// and values instead of a pointer to each parameter. Launches share them through
// a pool, so that none allocates: the driver copies all of it before it returns.
//
// The list mixes addresses of this memory with small numbers, so neither the collector
// nor the compiler can take it for pointers. It holds from pin to unpin, and no longer.
type launch struct {
	pins  runtime.Pinner
	extra [5]uintptr
	size  uintptr
	block [cuda.MaxParams]byte
}

var launches = sync.Pool{New: func() any { return new(launch) }}

// pin fills the list in, and returns its address for the driver. Until unpin nothing
// moves or frees what it leads to, whoever holds it.
func (l *launch) pin(params []byte) uintptr {
	l.pins.Pin(l)
	l.size = uintptr(copy(l.block[:], params))
	l.extra = [...]uintptr{extraPointer, uintptr(unsafe.Pointer(&l.block)), extraSize, uintptr(unsafe.Pointer(&l.size)), extraEnd}
	return uintptr(unsafe.Pointer(&l.extra))
}

// unpin must come before l goes back to the pool: what is lost while it is pinned is
// never collected.
func (l *launch) unpin() {
	l.pins.Unpin()
	l.extra = [5]uintptr{}
}

func (f *function) Attributes() cuda.Attributes { return f.attrs }

func (f *function) Launch(s cuda.Stream, g cuda.Grid, params []byte) error {
	d := f.mod.dev
	st, ok := s.(*stream)
	if !ok || st == nil || st.dev != d {
		return fmt.Errorf("driver: launch of %s: the stream %w: want one from NewStream of the kernel's device", f.name, cuda.ErrForeign)
	}
	if err := f.check(g, params); err != nil {
		return err
	}
	if !f.mod.life.enter() {
		return f.mod.closed()
	}
	defer f.mod.life.exit()
	if err := st.begin(); err != nil {
		return err
	}
	defer st.done()
	if err := f.allow(g.Shared); err != nil {
		return err
	}
	l := launches.Get().(*launch)
	r := d.lib.quick(cuLaunchKernel, f.handle,
		uintptr(g.Blocks[0]), uintptr(g.Blocks[1]), uintptr(g.Blocks[2]),
		uintptr(g.Threads[0]), uintptr(g.Threads[1]), uintptr(g.Threads[2]),
		uintptr(g.Shared), st.handle, 0, l.pin(params))
	l.unpin()
	launches.Put(l)
	if r != 0 {
		return fmt.Errorf("launch of %s: %w", f.name, d.lib.error(cuLaunchKernel, r))
	}
	return nil
}

// check refuses what the driver would refuse in fewer words, or not at all.
func (f *function) check(g cuda.Grid, params []byte) error {
	d := f.mod.dev
	if err := g.Check(d.info); err != nil {
		return fmt.Errorf("driver: launch of %s: %w", f.name, err)
	}
	if n := g.Threads[0] * g.Threads[1] * g.Threads[2]; n > f.maxThreads {
		return fmt.Errorf("driver: launch of %s: %w: %d threads a block; with %d registers a thread there is room for %d",
			f.name, cuda.ErrUnsupported, n, f.attrs.Registers, f.maxThreads)
	}
	if n := int64(g.Shared) + int64(f.attrs.Static); n > d.info.SharedPerBlock {
		return fmt.Errorf("driver: launch of %s: %w: %d bytes of shared memory, %d dynamic and %d static, want at most %d on %s",
			f.name, cuda.ErrUnsupported, n, g.Shared, f.attrs.Static, d.info.SharedPerBlock, d.info.Name)
	}
	if len(params) > cuda.MaxParams || f.paramBytes >= 0 && len(params) != f.paramBytes {
		return fmt.Errorf("driver: launch of %s: %d bytes of parameters, want %d", f.name, len(params), max(f.paramBytes, 0))
	}
	return nil
}

// allow asks leave for dynamic shared memory beyond the default, once for each
// increase.
func (f *function) allow(shared int) error {
	if shared+f.attrs.Static <= defaultShared || int64(shared) <= f.allowed.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if int64(shared) <= f.allowed.Load() {
		return nil
	}
	if err := f.mod.dev.lib.run(cuFuncSetAttribute, f.handle, funcMaxDynamicShared, uintptr(shared)); err != nil {
		return fmt.Errorf("launch of %s with %d bytes of dynamic shared memory: %w", f.name, shared, err)
	}
	f.allowed.Store(int64(shared))
	return nil
}
