package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// library is a loaded driver.
type library struct {
	fn      []uintptr // by entry
	version int       // as CUDA counts: 12040 is 12.4
}

// loaded is the driver of this process. A driver cannot be unloaded, so it is
// loaded once, and what went wrong stays wrong.
var loaded = sync.OnceValues(func() (*library, error) { return load(candidates(os.Getenv(variable))) })

// variable names the driver's file, or its folder; nothing else is tried then.
const variable = "TILESMITH_LIBCUDA"

// candidates are the files to try.
func candidates(named string) []string {
	if named == "" {
		return libraries
	}
	if info, err := os.Stat(named); err == nil && info.IsDir() && len(libraries) > 0 {
		return []string{filepath.Join(named, libraries[0])}
	}
	return []string{named}
}

// load loads the first file that is one, looks up its functions and starts it.
func load(files []string) (*library, error) {
	var tried strings.Builder
	if len(files) == 0 {
		_, err := dlopen("")
		return nil, fmt.Errorf("driver: %w: %w", cuda.ErrNoDriver, err)
	}
	for _, file := range files {
		lib, err := dlopen(file)
		if err != nil {
			fmt.Fprintf(&tried, "\n\t%s: %v", file, err)
			continue
		}
		return start(file, lib)
	}
	return nil, fmt.Errorf("driver: %w: install NVIDIA's, or name its file in %s; package cuda/emu runs the same kernels without one. Tried:%s",
		cuda.ErrNoDriver, variable, tried.String())
}

// start makes a library of a loaded file. A device that is absent is not an error here.
func start(file string, lib uintptr) (*library, error) {
	l := new(library)
	var missing []string
	for f, name := range names {
		fn, err := dlsym(lib, name)
		if err != nil && !optional[entry(f)] {
			missing = append(missing, name)
		}
		l.fn = append(l.fn, fn)
	}
	if len(missing) == len(names)-len(optional) {
		return nil, fmt.Errorf("driver: %w: %s has none of its functions; is it libcuda?", cuda.ErrNoDriver, file)
	}
	if missing != nil {
		return nil, fmt.Errorf("driver: %w: %s lacks %s, which came with CUDA 11; install a newer driver", cuda.ErrOldDriver, file, strings.Join(missing, ", "))
	}
	if err := l.do(cuInit, 0); err != nil {
		if e := (*Error)(nil); !errors.As(err, &e) || e.Code != errNoDevice {
			return nil, err
		}
	}
	var version int32
	if err := l.do(cuDriverGetVersion, uintptr(unsafe.Pointer(&version))); err != nil {
		return nil, err
	}
	l.version = int(version)
	if l.version < oldest {
		return nil, fmt.Errorf("driver: %w: %s is CUDA %s; want %s or later", cuda.ErrOldDriver, file, release(l.version), release(oldest))
	}
	return l, nil
}

// call calls a function of the driver and returns its CUresult. An argument that is
// written as uintptr(unsafe.Pointer(p)) in the call keeps *p in place until it returns.
// The compiler has *p on the heap, and holds p. The list of arguments is allocated for
// that.
//
//go:uintptrescapes
func (l *library) call(f entry, args ...uintptr) int32 { return syscallN(l.fn[f], args) }

// do is call with the result as an error.
//
//go:uintptrescapes
func (l *library) do(f entry, args ...uintptr) error { return l.error(f, syscallN(l.fn[f], args)) }

// quick is call without allocation, for what a program does over and over. It keeps
// nothing where it is: its arguments are numbers, addresses of C, or of memory that is
// pinned until after the call.
func (l *library) quick(f entry, args ...uintptr) int32 {
	list := lists.Get().(*[mostArgs]uintptr)
	r := syscallN(l.fn[f], list[:copy(list[:], args)])
	lists.Put(list)
	return r
}

// run is quick with the result as an error.
func (l *library) run(f entry, args ...uintptr) error { return l.error(f, l.quick(f, args...)) }

const mostArgs = 11 // of cuLaunchKernel

var lists = sync.Pool{New: func() any { return new([mostArgs]uintptr) }}
