package emu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
)

// Completion says when asynchronous copies are carried out.
type Completion int

const (
	Earliest Completion = iota // when they are issued
	Latest                     // when somebody waits for them
	Random                     // either, by the seed
)

// Options say how a device behaves. The zero value is one like a small H100 that
// checks everything.
type Options struct {
	// Seed chooses the order of warps, of the sides of branches, and of random
	// completions. 0 is a plain order: each warp as far as it gets.
	Seed uint64
	// Async is when asynchronous copies are carried out.
	Async Completion
	// NoChecks leaves out races and reads of what was never written.
	NoChecks bool
	// MaxSteps bounds the instructions of warps that a block executes, so that one
	// that never ends becomes a fault; 0 is 1e8.
	MaxSteps int64
	// MaxTime bounds how long a block executes, for the same end; 0 is 20 seconds.
	MaxTime time.Duration
	// MaxBytes bounds global memory; 0 is 2 GiB.
	MaxBytes int64
	// Major and Minor are the compute capability, up to 12.1; 0 is 9.0. It executes few
	// instructions that came after 9.0, and refuses the others.
	Major, Minor int
	// SMs is how many blocks are there at a time; 0 is 4.
	SMs int
	// SharedPerBlock is the most shared memory of a block; 0 is that of the
	// compute capability.
	SharedPerBlock int64
	// Workers is how many blocks execute at a time; 0 is GOMAXPROCS. With 1 the
	// order of all operations, and so every result, is the same each time.
	Workers int
}

// A Device is an emulated GPU. It implements [cuda.Device].
type Device struct {
	opt    Options
	heap   heap
	serial atomic.Uint64 // of launches

	mu     sync.Mutex
	closed bool
	err    error // the first of any stream

	reportMu sync.Mutex
	reports  map[*program]*kernelCounts
}

var _ cuda.Device = (*Device)(nil)

// Open returns a new device, as its options say if there are any. It fails if one
// makes no sense.
func Open(options ...Options) (*Device, error) {
	var o Options
	if len(options) > 1 {
		return nil, errors.New("emu: Open takes one set of options")
	}
	for _, o = range options {
	}
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	if o.Major == 0 && o.Minor == 0 {
		o.Major = 9
	}
	def(&o.SMs, 4)
	def(&o.Workers, runtime.GOMAXPROCS(0))
	if o.MaxSteps == 0 {
		o.MaxSteps = 100_000_000
	}
	if o.MaxTime == 0 {
		o.MaxTime = 20 * time.Second
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 2 << 30
	}
	if o.SharedPerBlock == 0 {
		o.SharedPerBlock = sharedOf(o.Major, o.Minor)
	}
	switch {
	case o.SMs < 0 || o.Workers < 0 || o.MaxSteps < 0 || o.MaxTime < 0 || o.MaxBytes < 0:
		return nil, errors.New("emu: Options has a negative number")
	case o.Major < 8 || o.Major > 12 || o.Minor < 0 || o.Minor > 9:
		return nil, fmt.Errorf("emu: compute capability %d.%d is not emulated; 8.0 to 12.1 are", o.Major, o.Minor)
	case o.SharedPerBlock < 0 || o.SharedPerBlock > maxShared:
		return nil, fmt.Errorf("emu: %d bytes of shared memory a block; there are at most %d", o.SharedPerBlock, maxShared)
	case o.Async < Earliest || o.Async > Random:
		return nil, fmt.Errorf("emu: Async is %d", o.Async)
	}
	d := &Device{opt: o, reports: map[*program]*kernelCounts{}}
	d.heap.next, d.heap.limit = heapAt, o.MaxBytes
	return d, nil
}

// sharedOf is the most shared memory that a block of a compute capability may have
// (CUDA programming guide, "Technical Specifications per Compute Capability").
func sharedOf(major, minor int) int64 {
	switch {
	case major == 12, major == 8 && (minor == 6 || minor == 9):
		return 99 << 10
	case major > 8:
		return 227 << 10
	}
	return 163 << 10
}

// Info describes the device.
func (d *Device) Info() cuda.Info {
	return cuda.Info{
		Name: fmt.Sprintf("emulator (sm_%d%d)", d.opt.Major, d.opt.Minor), Kind: "emu",
		Major: d.opt.Major, Minor: d.opt.Minor, SMs: d.opt.SMs, TotalMemory: d.opt.MaxBytes,
		L2: 50 << 20, SharedPerBlock: d.opt.SharedPerBlock, RegistersPerSM: 65536, ClockKHz: 1_000_000,
	}
}

func (d *Device) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("emu: the device %w", cuda.ErrClosed)
	}
	return nil
}

// failed keeps the first error of the device's streams.
func (d *Device) failed(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

// Synchronize returns the first error of any stream since the last call: all work
// is done when it is queued.
func (d *Device) Synchronize() error {
	if err := d.open(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.err
	d.err = nil
	return err
}

// Close frees the memory of d.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("emu: the device %w", cuda.ErrClosed)
	}
	d.closed = true
	d.heap.mu.Lock()
	defer d.heap.mu.Unlock()
	d.heap.bufs, d.heap.freed = nil, nil
	return nil
}

// Alloc returns n bytes that were never written. No two buffers are neighbours, and
// no address is used twice.
func (d *Device) Alloc(n int64) (cuda.Memory, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	b, err := d.heap.alloc(n)
	if err != nil {
		return nil, err
	}
	return &memory{handle: handle{d: d, what: "memory"}, b: b}, nil
}

// A memory is a buffer as the interface shows it.
type memory struct {
	handle
	b *buffer
}

func (m *memory) Device() cuda.Device { return m.d }
func (m *memory) Address() uint64     { return m.b.at }
func (m *memory) Bytes() int64        { return int64(len(m.b.data)) }

func (m *memory) Free() error {
	err := m.close()
	if err == nil {
		m.d.heap.free(m.b)
	}
	return err
}
