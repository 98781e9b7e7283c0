package peer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Peer says where a library is found and how its products are called.
type Peer struct {
	Name string

	// Libs are the files to try, in order: a path, or a bare name for the dynamic linker to find. One that mentions an
	// environment variable, as in $CONDA_PREFIX/lib/x.so, is left out when the variable is not set. No Libs: nothing to load.
	Libs []string

	// Install ends the sentence "no file loads; install ...", with Debian's package names where there are some.
	Install string

	// Open finds the functions in a library that was loaded. It sets every field of Gemm but Name, and
	// Path where it knows better than the entry of Libs that loaded.
	Open func(lib uintptr) (*Gemm, error)
}

// A Gemm is a library that loaded: row-major C = alpha*op(A)*op(B) + beta*C, with op(A) m by k, op(B) k by n.
//
// F32 and F64 panic when a size is negative or above 2^31-1, when a leading dimension is shorter than a stored row, or when a
// slice is too short. No library is called with a pointer that it could run past. They also panic when there
// is no such product, which [Gemm.Can] tells beforehand. When beta is 0, C is not read.
type Gemm struct {
	Name    string
	Version string // the library's own words, with the core it chose where it says so
	Path    string // the file, or an import path
	ISA     string // what its kernels are written for: sse2, avx, avx2, avx512 or go; "" where it does not say
	Note    string // why a comparison would be unfair to it, and what to change; else empty. A report shows it

	F32 func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int)
	F64 func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)

	// SetThreads says how many threads the products after it may use; less than 1 means all CPUs. It is never nil. It holds for
	// the library, not for this Gemm alone, and is not to be called while a product runs.
	SetThreads func(n int)

	// Threaded is false for a build that runs on one thread whatever SetThreads was told.
	Threaded bool

	can      func(product) string                // why there is no such product, "" if there is; nil: there are all of them
	entry    func(product) (uintptr, convention) // the C function for a product that there is; nil: none of C
	narrow   func(narrowProduct) (func(times int64) error, error)
	blocks   func(t dtype.Type, n int, form BlocksForm, strideA, strideB int) (uintptr, error) // a kernel for sums over blocks
	convolve func(p convolution, c *Convolver) error                                           // makes a convolution
	perCall  func()                                                                            // before each product, on the thread that runs it, locked to it; nil: nothing
}

var peers []Peer

// declare adds p to the list behind Load and Available.
func declare(p Peer) Peer {
	peers = append(peers, p)
	return p
}

// errNoLoader is why a build without a dynamic linker refuses a library.
var errNoLoader = fmt.Errorf("this build cannot load shared libraries (%s/%s, or -tags nodl); gonum is its only peer: %w",
	runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

// Load opens the named peer: openblas, blis, mkl, libxsmm, onednn or gonum.
func Load(name string) (*Gemm, error) {
	var names []string
	for _, p := range peers {
		if p.Name == name {
			return p.Load()
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("peer: no peer is called %q; there are %s", name, strings.Join(names, ", "))
}

// Available opens every peer and returns those that load, by name. Gonum is always among them.
func Available() []*Gemm {
	var loaded []*Gemm
	for _, p := range peers {
		if g, err := p.Load(); err == nil {
			loaded = append(loaded, g)
		}
	}
	slices.SortFunc(loaded, func(a, b *Gemm) int { return strings.Compare(a.Name, b.Name) })
	return loaded
}

// Load opens the first of p's files that loads and has what p.Open looks for. Libraries are never unloaded: their threads may
// still be running.
func (p Peer) Load() (*Gemm, error) {
	if len(p.Libs) == 0 {
		g, err := p.Open(0)
		if err != nil {
			return nil, fmt.Errorf("peer: %s: %w", p.Name, err)
		}
		g.Name = p.Name
		return g, nil
	}
	var tried strings.Builder
	for _, file := range p.files() {
		g, err := p.open(file)
		if err == nil {
			return g, nil
		}
		if errors.Is(err, errNoLoader) {
			return nil, fmt.Errorf("peer: %s: %w", p.Name, errNoLoader)
		}
		fmt.Fprintf(&tried, "\n\t%s: %v", file, err)
	}
	return nil, fmt.Errorf("peer: %s: no file loads; install %s, or set %s to the file or its folder. Tried:%s",
		p.Name, p.Install, p.env(), tried.String())
}

func (p Peer) env() string { return "TILESMITH_" + strings.ToUpper(p.Name) }

// files returns the candidates on this machine, in the order to try them.
func (p Peer) files() []string {
	var files []string
	if named := os.Getenv(p.env()); named != "" {
		info, err := os.Stat(named)
		if err != nil || !info.IsDir() {
			return []string{named}
		}
		for _, lib := range p.Libs {
			files = append(files, filepath.Join(named, filepath.Base(lib)))
		}
	} else {
		for _, lib := range p.Libs {
			unset := false
			file := os.Expand(lib, func(name string) string {
				value := os.Getenv(name)
				unset = unset || value == ""
				return value
			})
			if !unset {
				files = append(files, file)
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(f string) bool {
		again := seen[f]
		seen[f] = true
		return again
	})
}

func (p Peer) open(file string) (*Gemm, error) {
	lib, err := dlopen(file)
	if err != nil {
		return nil, err
	}
	g, err := p.Open(lib)
	if err != nil {
		return nil, err
	}
	g.Name = p.Name
	if g.Path == "" {
		g.Path = file
	}
	return g, nil
}

// threads is the meaning of SetThreads' argument.
func threads(n int) int {
	if n < 1 {
		return runtime.NumCPU()
	}
	return n
}
