package driver

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// memory is a buffer. A kernel gets its address as a number, so nothing can keep it
// alive for a kernel. cuMemFree waits for what is queued, but nothing queued later may
// use it.
type memory struct {
	object
	address uint64
	n       int64
}

func (d *device) Alloc(n int64) (cuda.Memory, error) {
	if n < 0 {
		return nil, fmt.Errorf("driver: a buffer of %d bytes: want 0 or more", n)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	m := &memory{n: n}
	if n > 0 { // the driver refuses 0
		var address uint64
		if err := d.lib.do(cuMemAlloc, uintptr(unsafe.Pointer(&address)), uintptr(n)); err != nil {
			return nil, d.outOfMemory(n, err)
		}
		m.address = address
	}
	d.track(&m.object, "buffer", func() error {
		if m.n == 0 {
			return nil
		}
		return d.lib.run(cuMemFree, uintptr(m.address))
	})
	return m, nil
}

// outOfMemory adds the available memory to an error of an allocation.
func (d *device) outOfMemory(n int64, err error) error {
	if e := (*Error)(nil); !errors.As(err, &e) || e.Code != errOutOfMemory {
		return err
	}
	var free, total uint64
	if d.lib.call(cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))) != 0 {
		return err
	}
	return fmt.Errorf("driver: %w: asked for %d bytes, %d of %d are free on %s; free buffers, or work on parts", cuda.ErrMemory, n, free, total, d.info.Name)
}

func (m *memory) Device() cuda.Device { return m.dev }
func (m *memory) Address() uint64     { return m.address }
func (m *memory) Bytes() int64        { return m.n }
func (m *memory) Free() error         { return m.end() }

// part returns the address of n bytes at off of a buffer that must be of d.
func (d *device) part(what string, x cuda.Memory, off, n int64) (*memory, uintptr, error) {
	m, ok := x.(*memory)
	if !ok || m == nil || m.dev != d {
		return nil, 0, fmt.Errorf("driver: %s: the buffer %w: want one from Alloc of the device of the stream", what, cuda.ErrForeign)
	}
	if off < 0 || n < 0 || off > m.n || n > m.n-off {
		return nil, 0, fmt.Errorf("driver: %s: %d bytes at offset %d are %w of %d bytes", what, n, off, cuda.ErrRange, m.n)
	}
	return m, uintptr(m.address) + uintptr(off), nil
}
