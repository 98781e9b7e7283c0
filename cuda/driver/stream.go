package driver

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

type stream struct {
	object
	handle  uintptr
	staging staging
}

func (d *device) NewStream() (cuda.Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	s := new(stream)
	var handle uintptr
	if err := d.lib.do(cuStreamCreate, uintptr(unsafe.Pointer(&handle)), streamNonBlocking); err != nil {
		return nil, err
	}
	s.handle = handle
	d.track(&s.object, "stream", func() error {
		// Copies from the staging buffers may be queued still.
		err := d.lib.run(cuStreamSynchronize, s.handle)
		if e := s.staging.free(d.lib); err == nil {
			err = e
		}
		if e := d.lib.run(cuStreamDestroy, s.handle); err == nil {
			err = e
		}
		return err
	})
	return s, nil
}

func (s *stream) Device() cuda.Device { return s.dev }
func (s *stream) Close() error        { return s.end() }

// beginOn is begin for a call that uses a part of a buffer too: doneOn must follow.
func (s *stream) beginOn(what string, x cuda.Memory, off, n int64) (*memory, uintptr, error) {
	m, at, err := s.dev.part(what, x, off, n)
	if err != nil {
		return nil, 0, err
	}
	if !m.life.enter() {
		return nil, 0, m.closed()
	}
	if err := s.begin(); err != nil {
		m.life.exit()
		return nil, 0, err
	}
	return m, at, nil
}

func (s *stream) doneOn(m *memory) {
	s.done()
	m.life.exit()
}

func (s *stream) Write(dst cuda.Memory, off int64, src []byte) error {
	m, at, err := s.beginOn("write", dst, off, int64(len(src)))
	if err != nil {
		return err
	}
	defer s.doneOn(m)
	return s.staging.write(s, at, src)
}

func (s *stream) Read(dst []byte, src cuda.Memory, off int64) error {
	m, at, err := s.beginOn("read", src, off, int64(len(dst)))
	if err != nil {
		return err
	}
	defer s.doneOn(m)
	if len(dst) == 0 {
		return s.dev.lib.run(cuStreamSynchronize, s.handle)
	}
	return s.staging.read(s, dst, at)
}

func (s *stream) Copy(dst cuda.Memory, dstOff int64, src cuda.Memory, srcOff, n int64) error {
	from, fromAt, err := s.dev.part("copy: source", src, srcOff, n)
	if err != nil {
		return err
	}
	if !from.life.enter() {
		return from.closed()
	}
	defer from.life.exit()
	to, toAt, err := s.beginOn("copy: destination", dst, dstOff, n)
	if err != nil {
		return err
	}
	defer s.doneOn(to)
	if from == to && n > 0 && srcOff < dstOff+n && dstOff < srcOff+n {
		return fmt.Errorf("driver: copy of %d bytes from offset %d to %d of one buffer: they overlap; copy by way of another", n, srcOff, dstOff)
	}
	if n == 0 {
		return nil
	}
	return s.dev.lib.run(cuMemcpyDtoDAsync, toAt, fromAt, uintptr(n), s.handle)
}

func (s *stream) Fill(dst cuda.Memory, off int64, b byte, n int64) error {
	m, at, err := s.beginOn("fill", dst, off, n)
	if err != nil {
		return err
	}
	defer s.doneOn(m)
	if n == 0 {
		return nil
	}
	return s.dev.lib.run(cuMemsetD8Async, at, uintptr(b), uintptr(n), s.handle)
}

func (s *stream) Synchronize() error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.done()
	return s.dev.lib.run(cuStreamSynchronize, s.handle)
}
