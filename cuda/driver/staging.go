package driver

import (
	"sync"
	"unsafe"
)

// staging copies between a program's memory and a device's by way of two buffers
// that the driver has pinned. The device reads them while the host goes on, which
// it must not do with memory that Go's collector owns. While one is on its way, the
// other is filled.
type staging struct {
	mu      sync.Mutex
	buffers [2]pinned
	next    int
}

// pinned is one buffer. busy says that work on it may be under way until event.
type pinned struct {
	p     unsafe.Pointer
	event uintptr
	busy  bool
}

// stagingBytes is enough for the bus to be busy most of the time. The host needs 100 us
// to fill it, and the calls around take a few.
const stagingBytes = 1 << 20

// take returns the next buffer when nothing uses it any more.
func (g *staging) take(s *stream) (*pinned, error) {
	lib := s.dev.lib
	b := &g.buffers[g.next]
	g.next = 1 - g.next
	if b.event == 0 {
		var event uintptr
		if err := lib.do(cuEventCreate, uintptr(unsafe.Pointer(&event)), eventDisableTiming); err != nil {
			return nil, err
		}
		b.event = event
	}
	if b.p == nil {
		var p unsafe.Pointer
		if err := lib.do(cuMemAllocHost, uintptr(unsafe.Pointer(&p)), stagingBytes); err != nil {
			return nil, err
		}
		b.p = p
	}
	return b, g.wait(s, b)
}

func (g *staging) wait(s *stream, b *pinned) error {
	if !b.busy {
		return nil
	}
	b.busy = false
	return s.dev.lib.run(cuEventSynchronize, b.event)
}

func (b *pinned) bytes(n int) []byte { return unsafe.Slice((*byte)(b.p), n) }

// mark records that what was queued on s until now uses b.
func (b *pinned) mark(s *stream) error {
	b.busy = true
	return s.dev.lib.run(cuEventRecord, b.event, s.handle)
}

// write queues the copy of src to an address and returns when src is read.
func (g *staging) write(s *stream, to uintptr, src []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(src) > 0 {
		b, err := g.take(s)
		if err != nil {
			return err
		}
		n := copy(b.bytes(stagingBytes), src)
		if err := s.dev.lib.run(cuMemcpyHtoDAsync, to, uintptr(b.p), uintptr(n), s.handle); err != nil {
			return err
		}
		if err := b.mark(s); err != nil {
			return err
		}
		src, to = src[n:], to+uintptr(n)
	}
	return nil
}

// read copies from an address to dst. The second buffer is asked for before the
// first is waited for.
func (g *staging) read(s *stream, dst []byte, from uintptr) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var before *pinned // on its way, for the first bytes of dst
	var pending int
	for asked := 0; len(dst) > 0; {
		var b *pinned
		n := min(len(dst)-pending, stagingBytes)
		if n > 0 {
			var err error
			if b, err = g.take(s); err != nil {
				return err
			}
			if err := s.dev.lib.run(cuMemcpyDtoHAsync, uintptr(b.p), from+uintptr(asked), uintptr(n), s.handle); err != nil {
				return err
			}
			if err := b.mark(s); err != nil {
				return err
			}
			asked += n
		}
		if before != nil {
			if err := g.wait(s, before); err != nil {
				return err
			}
			copy(dst[:pending], before.bytes(pending))
			dst = dst[pending:]
		}
		before, pending = b, n
	}
	return nil
}

func (g *staging) free(lib *library) error {
	var first error
	for i := range g.buffers {
		b := &g.buffers[i]
		if b.event != 0 {
			if err := lib.run(cuEventDestroy, b.event); first == nil {
				first = err
			}
		}
		if b.p != nil {
			if err := lib.run(cuMemFreeHost, uintptr(b.p)); first == nil {
				first = err
			}
		}
		*b = pinned{}
	}
	return first
}
