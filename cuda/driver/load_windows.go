//go:build (amd64 || arm64) && !nodl

package driver

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// libraries has the driver's file alone, which is in System32.
var libraries = []string{"nvcuda.dll"}

// dlopen looks for the driver in System32 only. It does not look next to the program or
// in the current folder, where anybody may have put one. Another name is from
// TILESMITH_LIBCUDA, and its owner's business.
func dlopen(file string) (uintptr, error) {
	if file != libraries[0] {
		h, err := windows.LoadLibrary(file)
		return uintptr(h), err
	}
	h, err := windows.LoadLibraryEx(file, 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(h), err
}

func dlsym(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}

// syscallN calls a C function of integers and pointers that returns a CUresult.
func syscallN(fn uintptr, args []uintptr) int32 {
	r, _, _ := syscall.SyscallN(fn, args...)
	return int32(r)
}
