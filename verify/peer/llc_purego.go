//go:build (linux || darwin) && !android && (amd64 || arm64) && !nodl

package peer

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

var llcFlags []string

// linkers make a shared library of an object file; the first that there is does. The
// library needs nothing but itself.
var linkers = [][]string{{"ld", "-shared"}, {"ld.lld", "-shared"}, {"cc", "-shared", "-nostdlib"}, {"gcc", "-shared", "-nostdlib"}, {"clang", "-shared", "-nostdlib"}}

// loadObject links an object file and loads the library.
func loadObject(object string) (*Object, error) {
	library := object + ".so"
	if err := link(library, object); err != nil {
		return nil, err
	}
	lib, err := dlopen(library)
	if err != nil {
		return nil, err
	}
	return &Object{func(name string) (func(args unsafe.Pointer), error) { return function(lib, name) }}, nil
}

func link(library, object string) error {
	var names []string
	list := linkers
	if runtime.GOOS != "linux" { // ld wants to be told about the system's libraries
		list = linkers[2:]
	}
	for _, l := range list {
		path, err := exec.LookPath(l[0])
		if err != nil {
			names = append(names, l[0])
			continue
		}
		_, err = tool(path, append(l[1:len(l):len(l)], "-o", library, object)...)
		return err
	}
	return fmt.Errorf("there is no linker to make a shared library: none of %s is in PATH (Debian: binutils)", strings.Join(names, ", "))
}

// function returns a C function of one pointer. The call is made on a stack of C, so the
// function may use as much of it as it likes.
func function(lib uintptr, name string) (func(args unsafe.Pointer), error) {
	sym, err := purego.Dlsym(lib, name)
	if err != nil {
		return nil, err
	}
	return func(args unsafe.Pointer) { purego.SyscallN(sym, uintptr(args)) }, nil
}
