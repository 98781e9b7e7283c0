package cuda

import "errors"

// The kinds of errors. Errors of a device wrap one of them, where one fits, in a
// sentence that says what to do.
var (
	ErrNoDriver    = errors.New("there is no NVIDIA driver")
	ErrNoDevice    = errors.New("there is no such device")
	ErrOldDriver   = errors.New("the driver is too old")
	ErrUnsupported = errors.New("the device cannot do that")
	ErrMemory      = errors.New("out of device memory")
	ErrForeign     = errors.New("belongs to another device")
	ErrPTX         = errors.New("the PTX was refused")
	ErrNoKernel    = errors.New("there is no such kernel")
	ErrLaunch      = errors.New("the kernel failed")
	ErrRange       = errors.New("outside the buffer")
	ErrClosed      = errors.New("was closed")
	ErrNoClock     = errors.New("the emulator has no clock")
)
