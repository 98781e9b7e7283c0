//go:build (linux || darwin) && !android && (amd64 || arm64) && !nodl

package peer

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// function returns a C function of one pointer. The call is made on a stack of C, so the
// function may use as much of it as it likes.
func function(lib uintptr, name string) (func(args unsafe.Pointer), error) {
	sym, err := purego.Dlsym(lib, name)
	if err != nil {
		return nil, err
	}
	return func(args unsafe.Pointer) { purego.SyscallN(sym, uintptr(args)) }, nil
}
