//go:build linux && !android && (amd64 || arm64) && !nodl

package driver

import "github.com/ebitengine/purego"

// libraries are where a driver may be: for the linker to find, under WSL, in
// NVIDIA's containers, on NixOS.
var libraries = []string{
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/run/opengl-driver/lib/libcuda.so.1",
}

func dlopen(file string) (uintptr, error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func dlsym(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// syscallN calls a C function of integers and pointers that returns a CUresult.
// purego.RegisterFunc would reflect on, and allocate for, each call.
func syscallN(fn uintptr, args []uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}
