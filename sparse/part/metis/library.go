package metis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"
)

// ErrNone is in the chain of errors that a machine with METIS would not have.
var ErrNone = errors.New("no METIS library")

// library is a loaded METIS.
type library struct {
	kway uintptr // METIS_PartGraphKway
	wide bool    // idx_t has 64 bits
	at   numbering
}

// numbering is where options stand that moved from release to release.
type numbering struct{ seed, ufactor, numbering int }

// numberings are those of METIS 5.1, of what followed 5.2.1, and of 5.2.1, in the order in which
// probe can tell them apart.
var numberings = []numbering{{8, 16, 17}, {9, 17, 18}, {9, 18, 19}}

const (
	optionObjective = 1  // 0: the cut, 1: the volume
	options         = 40 // METIS_NOPTIONS
	statusOK        = 1  // METIS_OK
	statusInput     = -2 // METIS_ERROR_INPUT
)

// variable names the file or folder of the library; nothing else is tried then.
const variable = "TILESMITH_LIBMETIS"

var libraries = []string{"libmetis.so.5", "libmetis.so"}

// loaded is the library of this process, loaded once.
var loaded = sync.OnceValues(func() (*library, error) { return load(candidates(os.Getenv(variable))) })

// Available returns nil if METIS can be called, or why it cannot.
func Available() error {
	_, err := loaded()
	return err
}

func candidates(named string) []string {
	if named == "" {
		return libraries
	}
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		return []string{filepath.Join(named, libraries[0]), filepath.Join(named, libraries[1])}
	}
	return []string{named}
}

func load(files []string) (*library, error) {
	if noLoader != "" {
		return nil, fmt.Errorf("metis: %w: %s: %w", ErrNone, noLoader, errors.ErrUnsupported)
	}
	var tried strings.Builder
	for _, file := range files {
		lib, err := dlopen(file)
		if err != nil {
			fmt.Fprintf(&tried, "\n\t%s: %v", file, err)
			continue
		}
		l := new(library)
		defaults, err := dlsym(lib, "METIS_SetDefaultOptions")
		if err == nil {
			l.kway, err = dlsym(lib, "METIS_PartGraphKway")
		}
		if err != nil {
			return nil, fmt.Errorf("metis: %w: %s is no METIS 5: %w", ErrNone, file, err)
		}
		if err := l.probe(defaults); err != nil {
			return nil, fmt.Errorf("metis: %w: %s: %w", ErrNone, file, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("metis: %w: install it (Debian: apt install libmetis5), or name its file in %s; part.Make needs none. Tried:%s",
		ErrNone, variable, tried.String())
}

// probe finds out how wide an integer is, from how many bytes the library sets for 40 of them. It finds where
// METIS's options are, from which of them must not be 7: METIS counts from 0 or 1, and checks that before all
// else.
func (l *library) probe(defaults uintptr) error {
	var list [options]int64
	for i := range list {
		list[i] = 0x55
	}
	l.call(defaults, uintptr(unsafe.Pointer(&list)))
	l.wide = list[options-1] == -1
	if !l.wide && (list[options/2-1] != -1 || list[options/2] != 0x55) {
		return errors.New("its integers have neither 32 nor 64 bits")
	}
	for _, l.at = range numberings {
		found := false
		if l.wide {
			found = probeNumbering[int64](l)
		} else {
			found = probeNumbering[int32](l)
		}
		if found {
			return nil
		}
	}
	return errors.New("its options are in an order that is not known: want METIS 5.1 or 5.2")
}

// probeNumbering divides an edge.
func probeNumbering[I int32 | int64](l *library) bool {
	set := unset[I]()
	set[l.at.numbering] = 7
	_, _, status := callKWay(l, call[I]{first: []I{0, 1, 2}, adjacent: []I{1, 0}, k: 2, constraints: 1, options: set})
	return status == statusInput
}

// unset returns options that are all METIS's own choice.
func unset[I int32 | int64]() *[options]I {
	var set [options]I
	for i := range set {
		set[i] = -1
	}
	return &set
}

// call calls a function of the library. The memory that an argument written as
// uintptr(unsafe.Pointer(p)) points to stays in place until the call returns.
//
//go:uintptrescapes
func (l *library) call(fn uintptr, args ...uintptr) int32 { return syscallN(fn, args) }

// call is the arguments of METIS_PartGraphKway; what is nil is left to METIS.
type call[I int32 | int64] struct {
	first, adjacent       []I
	weights, sizes, costs []I
	k, constraints        I
	options               *[options]I
}

// callKWay calls METIS_PartGraphKway.
func callKWay[I int32 | int64](l *library, c call[I]) (parts []I, objective I, status int32) {
	n := I(len(c.first) - 1)
	parts = make([]I, max(1, n))
	status = l.call(l.kway,
		uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&c.constraints)),
		uintptr(unsafe.Pointer(&c.first[0])), uintptr(unsafe.Pointer(unsafe.SliceData(c.adjacent))),
		uintptr(unsafe.Pointer(unsafe.SliceData(c.weights))), uintptr(unsafe.Pointer(unsafe.SliceData(c.sizes))), uintptr(unsafe.Pointer(unsafe.SliceData(c.costs))),
		uintptr(unsafe.Pointer(&c.k)), 0, 0, uintptr(unsafe.Pointer(c.options)),
		uintptr(unsafe.Pointer(&objective)), uintptr(unsafe.Pointer(&parts[0])))
	return parts[:n], objective, status
}
