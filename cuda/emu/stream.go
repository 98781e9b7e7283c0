package emu

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
)

// A stream does its work at once, in the goroutine that asks for it. An error stays:
// what is queued after it is not done.
type stream struct {
	handle
	err error
}

// NewStream returns a queue of work.
func (d *Device) NewStream() (cuda.Stream, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &stream{handle: handle{d: d, what: "stream"}}, nil
}

func (s *stream) Device() cuda.Device { return s.d }

// ok returns the error that s has, or that it was closed. The caller holds s.mu.
func (s *stream) ok() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.err
}

// usable returns an error if s or its device was closed. The caller holds s.mu.
func (s *stream) usable() error {
	if err := s.live(); err != nil {
		return err
	}
	return s.d.open()
}

// do does work whose error is the stream's.
func (s *stream) do(work func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if s.err != nil {
		return nil // it is reported by what waits
	}
	if err := work(); err != nil {
		s.err = err
		s.d.failed(err)
	}
	return nil
}

// span returns the part of m that has n bytes from off.
func (s *stream) span(m cuda.Memory, off, n int64, verb string) (*buffer, error) {
	x, err := owned[*memory](s.d, "memory", m)
	if err != nil {
		return nil, err
	}
	if size := m.Bytes(); off < 0 || n < 0 || off > size || n > size-off {
		return nil, fmt.Errorf("emu: %s %d bytes at offset %d of %d: %w", verb, n, off, size, cuda.ErrRange)
	}
	return x.b, nil
}

// each calls f for the pieces of b between off and off+n, page by page, each locked.
func (b *buffer) each(off, n int64, f func(i, n int)) {
	for n > 0 {
		k := min(n, pageBytes-off%pageBytes)
		p := &b.pages[off/pageBytes]
		p.mu.Lock()
		f(int(off), int(k))
		p.mu.Unlock()
		off, n = off+k, n-k
	}
}

func (s *stream) Write(dst cuda.Memory, off int64, src []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ok(); err != nil {
		return err
	}
	b, err := s.span(dst, off, int64(len(src)), "writing")
	if err != nil {
		return err
	}
	b.each(off, int64(len(src)), func(i, n int) {
		copy(b.data[i:i+n], src[i-int(off):])
		b.written.set(i, n)
	})
	return nil
}

// Read copies bytes back, also those that were never written.
func (s *stream) Read(dst []byte, src cuda.Memory, off int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ok(); err != nil {
		return err
	}
	b, err := s.span(src, off, int64(len(dst)), "reading")
	if err != nil {
		return err
	}
	b.each(off, int64(len(dst)), func(i, n int) { copy(dst[i-int(off):], b.data[i:i+n]) })
	return nil
}

func (s *stream) Copy(dst cuda.Memory, dstOff int64, src cuda.Memory, srcOff, n int64) error {
	to, err := s.span(dst, dstOff, n, "copying")
	if err != nil {
		return err
	}
	from, err := s.span(src, srcOff, n, "copying")
	if err != nil {
		return err
	}
	if to == from && srcOff < dstOff+n && dstOff < srcOff+n && n > 0 {
		return fmt.Errorf("emu: copying %d bytes from offset %d to %d of one buffer, which overlap: %w", n, srcOff, dstOff, cuda.ErrRange)
	}
	return s.do(func() error {
		// Through a copy, so that no two pages are locked at a time.
		piece := make([]byte, n)
		known := newBitset(int(n))
		from.each(srcOff, n, func(i, k int) {
			copy(piece[i-int(srcOff):], from.data[i:i+k])
			for j := range k {
				if from.written.all(i+j, 1) {
					known.set(i-int(srcOff)+j, 1)
				}
			}
		})
		to.each(dstOff, n, func(i, k int) {
			copy(to.data[i:i+k], piece[i-int(dstOff):])
			for j := range k {
				if known.all(i-int(dstOff)+j, 1) {
					to.written.set(i+j, 1)
				}
			}
		})
		return nil
	})
}

func (s *stream) Fill(dst cuda.Memory, off int64, v byte, n int64) error {
	b, err := s.span(dst, off, n, "filling")
	if err != nil {
		return err
	}
	return s.do(func() error {
		b.each(off, n, func(i, k int) {
			for j := range k {
				b.data[i+j] = v
			}
			b.written.set(i, k)
		})
		return nil
	})
}

// Synchronize returns the first error of s, again each time.
func (s *stream) Synchronize() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ok()
}

func (s *stream) Close() error { return s.close() }

func (s *stream) Record(e cuda.Event) error {
	ev, err := owned[*event](s.d, "event", e)
	if err != nil {
		return err
	}
	return s.do(func() error {
		ev.mu.Lock()
		defer ev.mu.Unlock()
		ev.recorded = true
		return nil
	})
}

// Wait does nothing more than check: what was recorded is done.
func (s *stream) Wait(e cuda.Event) error {
	if _, err := owned[*event](s.d, "event", e); err != nil {
		return err
	}
	return s.do(func() error { return nil })
}

// An event is a point in a stream, without a time.
type event struct {
	handle
	recorded bool
}

// NewEvent returns an event.
func (d *Device) NewEvent() (cuda.Event, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &event{handle: handle{d: d, what: "event"}}, nil
}

// Since returns [cuda.ErrNoClock] where a device with a clock would return a time.
func (e *event) Since(start cuda.Event) (float64, error) {
	for _, x := range []cuda.Event{e, start} {
		ev, err := owned[*event](e.d, "event", x)
		if err != nil {
			return 0, err
		}
		ev.mu.Lock()
		recorded := ev.recorded
		ev.mu.Unlock()
		if !recorded {
			return 0, errors.New("emu: the event was not recorded: Stream.Record does that")
		}
	}
	return 0, fmt.Errorf("emu: no time between events: %w", cuda.ErrNoClock)
}

func (e *event) Close() error { return e.close() }
