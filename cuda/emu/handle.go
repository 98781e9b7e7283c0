package emu

import (
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// A handle is what a program holds of a device and gives back once: memory, a module, a stream, an event.
type handle struct {
	d      *Device
	what   string // "stream"
	mu     sync.Mutex
	closed bool
}

func (h *handle) self() *handle { return h }

// live returns an error if h was closed. The caller holds h.mu.
func (h *handle) live() error {
	if h.closed {
		return fmt.Errorf("emu: the %s %w", h.what, cuda.ErrClosed)
	}
	return nil
}

// close ends h, if neither it nor its device has ended before.
func (h *handle) close() error {
	if err := h.d.open(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.live()
	h.closed = true
	return err
}

// owned returns x if it is a T of d that is not closed.
func owned[T interface{ self() *handle }](d *Device, what string, x any) (t T, err error) {
	t, ok := x.(T)
	if !ok || t.self().d != d {
		return t, fmt.Errorf("emu: the %s %w", what, cuda.ErrForeign)
	}
	h := t.self()
	h.mu.Lock()
	defer h.mu.Unlock()
	return t, h.live()
}
