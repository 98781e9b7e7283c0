package mpi

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A library is a loaded MPI.
type library struct {
	file     string
	version  string // in its own words, the first line
	abi      *abi
	fn       []uintptr // by entry
	wide     bool      // counts have 64 bits
	limit    int64     // the most that a count says
	main     *thread
	served   bool // all calls are made by main
	asks     bool // no call waits in the library: it asks again, and lets others have the core
	hydra    *hydra
	ended    atomic.Bool
	ledger   ledger
	patience time.Duration // see last.go
}

// ErrNoMPI is the kind of all errors of libraries that are not there or cannot be used.
var ErrNoMPI = errors.New("no MPI library")

// variable names the library's file, or its folder; nothing else is tried then.
const variable = "TILESMITH_MPI_LIB"

// candidates are the files to try, in this order. Families has the order of the
// launcher's environment.
func candidates(named string, families []string) []string {
	var files []string
	for _, f := range families {
		files = append(files, sonames[f]...)
	}
	if named == "" {
		return files
	}
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		var in []string
		for _, f := range files {
			if file := filepath.Join(named, f); exists(file) {
				in = append(in, file)
			}
		}
		if in == nil {
			return []string{filepath.Join(named, files[0])}
		}
		return in
	}
	return []string{named}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// sonames are the files of each family. libmpi.so.12 is what its members agreed on;
// Debian's MPICH has another name, because Open MPI's was libmpi.so too.
var sonames = map[string][]string{
	"Open MPI":  {"libmpi.so.40"},
	"MPICH":     {"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12"},
	"MPI-5 ABI": {"libmpi_abi.so.1"},
}

// load loads the first file that is there and looks up what it has. A limit that is not
// 0 is what counts say at most; then they are ints.
func load(files []string, limit int64) (*library, error) {
	if noLoader != "" {
		return nil, fmt.Errorf("mpi: %w: %s", ErrNoMPI, noLoader)
	}
	var tried strings.Builder
	for _, file := range files {
		lib, err := dlopen(file)
		if err != nil {
			fmt.Fprintf(&tried, "\n\t%s: %v", file, err)
			continue
		}
		l := &library{file: file, limit: limit}
		return l, l.bind(func(name string) uintptr {
			fn, err := dlsym(lib, name)
			if err != nil {
				return 0
			}
			return fn
		})
	}
	return nil, fmt.Errorf("mpi: %w: install Open MPI or MPICH, or name its file in %s. Tried:%s", ErrNoMPI, variable, tried.String())
}

// bind looks the functions up, and finds out which binary interface they have.
func (l *library) bind(address func(name string) uintptr) error {
	var missing []string
	l.fn = make([]uintptr, len(names))
	for f, name := range names {
		if l.fn[f] = address(name); l.fn[f] == 0 {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == len(names):
		return fmt.Errorf("mpi: %w: %s has none of its functions", ErrNoMPI, l.file)
	case missing != nil:
		return fmt.Errorf("mpi: %w: %s lacks %s, which MPI 3.1 has: install a newer one", ErrNoMPI, l.file, strings.Join(missing, ", "))
	}
	l.version = l.words()
	if l.abi = detect(address, l.version); l.abi == nil {
		return fmt.Errorf("mpi: %w: the binary interface of %s (%s) is not known: want Open MPI, one of MPICH's family, or MPI-5's libmpi_abi", ErrNoMPI, l.file, l.version)
	}
	if l.limit != 0 {
		return nil
	}
	l.limit = math.MaxInt32
	wide := slices.Clone(l.fn)
	for f, name := range large {
		if name == "" {
			continue
		}
		if wide[f] = address(name); wide[f] == 0 {
			return nil
		}
	}
	l.fn, l.wide, l.limit = wide, true, math.MaxInt64
	return nil
}

// detect tells the families apart. A library of MPI-5's interface may have another of
// its maker's behind it, whose symbols are seen too; so it is asked first.
func detect(address func(name string) uintptr, version string) *abi {
	if fn := address("MPI_Abi_get_version"); fn != 0 {
		var major, minor int32
		if call(fn, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor))) == 0 && major >= 1 {
			return standard()
		}
	}
	if address("ompi_mpi_comm_world") != 0 {
		return openMPI(address)
	}
	if isMPICH(version) {
		return mpich()
	}
	return nil
}

// isMPICH reports whether a library that says this of itself is of MPICH's family.
func isMPICH(version string) bool {
	for _, name := range []string{"MPICH", "Intel(R) MPI", "MVAPICH"} {
		if strings.Contains(version, name) {
			return true
		}
	}
	return false
}

// call calls a function of the library. An argument that is written as
// uintptr(unsafe.Pointer(p)) in the call keeps *p in place until it returns. The
// compiler has *p on the heap, and holds p.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) int32 { return syscallN(fn, args) }

// quick is call without allocation, for messages: a list of arguments, which lies on the
// heap, is used again. Arguments too many do no harm in C.
//
//go:uintptrescapes
func quick(fn, a, b, c, d, e, f, g uintptr) int32 {
	list := argLists.Get().(*[7]uintptr)
	*list = [7]uintptr{a, b, c, d, e, f, g}
	code := syscallN(fn, list[:])
	argLists.Put(list)
	return code
}

var argLists = sync.Pool{New: func() any { return new([7]uintptr) }}

// try calls a function where it is to be called from, and returns what it returns. With
// an answer, to which one of the arguments points, it is called until that is not 0. The
// arguments are held as those of call are.
//
//go:uintptrescapes
func (l *library) try(answer *int32, f entry, args ...uintptr) int32 {
	if l.served {
		return l.main.call(l.fn[f], args, answer)
	}
	for ; ; rest() {
		if code := syscallN(l.fn[f], args); answer == nil || *answer != 0 || code != 0 {
			return code
		}
	}
}

// do is try without an answer, and the result as an error.
//
//go:uintptrescapes
func (l *library) do(f entry, args ...uintptr) error {
	if code := l.try(nil, f, args...); code != 0 {
		return l.fault(f, code)
	}
	return nil
}

// words returns the first line of what the library says that it is.
func (l *library) words() string {
	text := make([]byte, 8192) // MPI_MAX_LIBRARY_VERSION_STRING is 8192 or less
	var n int32
	call(l.fn[mpiGetLibraryVersion], uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	line, _, _ := strings.Cut(string(text[:min(max(int(n), 0), len(text))]), "\n")
	line, _, _ = strings.Cut(line, "\x00")
	return strings.Join(strings.Fields(line), " ")
}
