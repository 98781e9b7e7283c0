//go:build !(((linux && !android) || windows) && (amd64 || arm64)) || nodl

package driver

import (
	"errors"
	"fmt"
	"runtime"
)

var libraries []string

var errNoLoader = fmt.Errorf("this build cannot load a driver (%s/%s, or -tags nodl): build for linux or windows on amd64 or arm64, without the tag: %w",
	runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

func dlopen(string) (uintptr, error) { return 0, errNoLoader }

func dlsym(uintptr, string) (uintptr, error) { return 0, errNoLoader }

func syscallN(uintptr, []uintptr) int32 { panic("driver: a call without a library") }
