//go:build linux && !android && (amd64 || arm64) && !nodl

package metis

import "github.com/ebitengine/purego"

// noLoader is empty: this build can load a library.
const noLoader = ""

func dlopen(file string) (uintptr, error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// syscallN calls a C function of pointers that returns an int.
func syscallN(fn uintptr, args []uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}
