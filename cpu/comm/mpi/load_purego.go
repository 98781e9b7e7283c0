//go:build linux && !android && (amd64 || arm64) && !nodl

package mpi

import (
	"syscall"

	"github.com/ebitengine/purego"
)

const noLoader = ""

// dlopen loads a library for all: Open MPI's plugins look for its symbols where
// everybody's are.
func dlopen(file string) (uintptr, error) {
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func dlsym(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// syscallN calls a C function of integers and pointers that returns an int.
// purego.RegisterFunc would reflect on, and allocate for, each call.
func syscallN(fn uintptr, args []uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}

// osYield lets another process have the core.
func osYield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
