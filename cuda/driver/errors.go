package driver

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// Error is what a function of the driver returned. It wraps the kind of package
// cuda that it belongs to, if there is one.
type Error struct {
	Call string // "cuLaunchKernel"
	Code int    // CUresult
	Name string // "CUDA_ERROR_INVALID_VALUE"
	Text string // the driver's words
}

func (e *Error) Error() string {
	s := fmt.Sprintf("driver: %s: %s (%d): %s", e.Call, e.Name, e.Code, e.Text)
	if k, ok := kinds[e.Code]; ok && k.hint != "" {
		s += "; " + k.hint
	}
	return s
}

func (e *Error) Unwrap() error { return kinds[e.Code].kind }

const lost = "the kernel, or one before it, ran into this, and the device's context is lost: Close it and everything of this process on this GPU"

// kinds are the results (CUresult) that say something to a caller.
var kinds = map[int]struct {
	kind error
	hint string
}{
	2:   {cuda.ErrMemory, ""},
	3:   {cuda.ErrNoDriver, ""},
	4:   {cuda.ErrClosed, "the process is ending"},
	34:  {cuda.ErrNoDriver, "this libcuda is the stub to link with; name the driver's own in TILESMITH_LIBCUDA"},
	46:  {cuda.ErrNoDevice, "another process holds it for itself"},
	100: {cuda.ErrNoDevice, "see whether nvidia-smi lists one, and CUDA_VISIBLE_DEVICES hides it"},
	101: {cuda.ErrNoDevice, ""},
	200: {cuda.ErrPTX, ""},
	209: {cuda.ErrUnsupported, "generate the kernel for this GPU's target"},
	214: {cuda.ErrLaunch, "its memory is failing"},
	218: {cuda.ErrPTX, ""},
	221: {cuda.ErrUnsupported, "the driver's library of the PTX compiler is missing (libnvidia-ptxjitcompiler)"},
	222: {cuda.ErrOldDriver, "install a newer driver, or generate for a lower target"},
	223: {cuda.ErrUnsupported, "unset CUDA_DISABLE_PTX_JIT"},
	300: {cuda.ErrPTX, ""},
	700: {cuda.ErrLaunch, lost},
	701: {cuda.ErrLaunch, "it asks for more registers or threads than there are"},
	702: {cuda.ErrLaunch, lost},
	709: {cuda.ErrClosed, ""},
	710: {cuda.ErrLaunch, lost},
	714: {cuda.ErrLaunch, lost},
	715: {cuda.ErrLaunch, lost},
	716: {cuda.ErrLaunch, lost},
	717: {cuda.ErrLaunch, lost},
	718: {cuda.ErrLaunch, lost},
	719: {cuda.ErrLaunch, lost},
	801: {cuda.ErrUnsupported, ""},
	803: {cuda.ErrNoDriver, "libcuda and the kernel's module are of different versions; restart the machine"},
	804: {cuda.ErrOldDriver, "this libcuda of the compatibility package is not for this GPU"},
}

const (
	errOutOfMemory = 2
	errNoDevice    = 100
	errNotFound    = 500
)

// error returns nil for a result of 0.
func (l *library) error(f entry, result int32) error {
	if result == 0 {
		return nil
	}
	return &Error{names[f], int(result), l.words(cuGetErrorName, result, "an error without a name"), l.words(cuGetErrorString, result, "unknown")}
}

// words asks the driver for its name or sentence of a result.
func (l *library) words(f entry, result int32, otherwise string) string {
	var s *byte
	if l.fn[f] == 0 || l.call(f, uintptr(result), uintptr(unsafe.Pointer(&s))) != 0 || s == nil {
		return otherwise
	}
	return goString(s)
}

// goString copies a C string.
func goString(s *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(s, n))
}
