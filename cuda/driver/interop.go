package driver

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
)

// Do calls f on a thread where the context of d, which must be from Open, is
// current, and returns its error. It is for other libraries of NVIDIA's, such as
// cuBLAS, which work in the current context and so on our buffers and streams. f must
// not close d.
func Do(d cuda.Device, f func() error) error {
	x, ok := d.(*device)
	if !ok || x == nil {
		return fmt.Errorf("driver: the device %w: want one from Open", cuda.ErrForeign)
	}
	if err := x.enter(); err != nil {
		return err
	}
	defer x.leave()
	return f()
}

// Handle returns the CUstream of a stream of this package, for such a library. It
// is valid until the stream is closed.
func Handle(s cuda.Stream) (uintptr, error) {
	x, ok := s.(*stream)
	if !ok || x == nil {
		return 0, fmt.Errorf("driver: the stream %w: want one of a device from Open", cuda.ErrForeign)
	}
	if !x.life.enter() {
		return 0, x.closed()
	}
	defer x.life.exit()
	return x.handle, nil
}
