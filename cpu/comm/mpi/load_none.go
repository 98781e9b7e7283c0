//go:build !(linux && !android && (amd64 || arm64)) || nodl

package mpi

import (
	"errors"
	"runtime"
)

// noLoader says why this build has no MPI.
const noLoader = "this program was built for " + runtime.GOOS + "/" + runtime.GOARCH + " or with -tags nodl, and cannot load a library: build it for linux on amd64 or arm64, without the tag; goroutine ranks (comm.Run) need none"

func dlopen(string) (uintptr, error) { return 0, errors.New(noLoader) }

func dlsym(uintptr, string) (uintptr, error) { return 0, errors.New(noLoader) }

func syscallN(uintptr, []uintptr) int32 { panic("mpi: a call without a library") }

type hydra struct{}

func findHydra(func(string) string) *hydra { return nil }

func (*hydra) farewell() {}

func osYield() {}
