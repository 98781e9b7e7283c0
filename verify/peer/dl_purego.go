//go:build (linux || darwin) && !android && (amd64 || arm64) && !nodl

package peer

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// dlopen loads a library with its symbols kept to itself: two builds of one library, with the same names, may both be loaded.
//
// It keeps other libraries' symbols out as well. MKL opens its parts for everybody, so the sgemm_ that the cblas_sgemm of a BLIS
// loaded after it calls would be MKL's. On macOS a library's names are bound to libraries anyway.
func dlopen(file string) (uintptr, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if runtime.GOOS == "linux" {
		const deepbind = 8 // RTLD_DEEPBIND: its own symbols first
		mode |= deepbind
	}
	return purego.Dlopen(file, mode)
}

// Bind points *fn, a Go function of the C function's type, at the named function of a loaded library. For the
// Go types that stand for C's, see purego.RegisterFunc. Nothing can check that they agree.
func Bind(lib uintptr, name string, fn any) error {
	sym, err := purego.Dlsym(lib, name)
	if err != nil {
		return err
	}
	purego.RegisterFunc(fn, sym)
	return nil
}

// symbol is the address of the named function of a loaded library.
func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// bindAt points *fn at the C function at an address.
func bindAt(addr uintptr, fn any) { purego.RegisterFunc(fn, addr) }

// fileOf is the file that the named function of a loaded library was loaded from, or "".
func fileOf(lib uintptr, name string) string {
	sym, err := purego.Dlsym(lib, name)
	if err != nil {
		return ""
	}
	var dladdr func(addr uintptr, info *dlInfo) int32
	if err := Bind(purego.RTLD_DEFAULT, "dladdr", &dladdr); err != nil {
		return ""
	}
	var info dlInfo
	if dladdr(sym, &info) == 0 || info.file == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(info.file), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(info.file, n))
}

// dlInfo is Dl_info of dlfcn.h.
type dlInfo struct {
	file       *byte
	base       uintptr
	symbol     *byte
	symbolAddr uintptr
}
