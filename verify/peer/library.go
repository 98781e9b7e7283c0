package peer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Library says where a library is found and what it is opened as: *T.
type Library[T any, P opened[T]] struct {
	Name string

	// Libs are the files to try, in order: a path, or a bare name for the dynamic linker to find. One that mentions an
	// environment variable, as in $CONDA_PREFIX/lib/x.so, is left out when the variable is not set. No Libs: nothing to load.
	Libs []string

	// Install ends the sentence "no file loads; install ...", with Debian's package names where there are some.
	Install string

	// Open finds the functions in a library that was loaded. It sets every field but Name, and
	// Path where it knows better than the entry of Libs that loaded.
	Open func(lib uintptr) (*T, error)
}

// opened is what a library is opened as.
type opened[T any] interface {
	*T
	found(name, file string)
}

// A shelf is the libraries of a kind that this package knows.
type shelf[T any, P opened[T]] []Library[T, P]

func (s *shelf[T, P]) add(l Library[T, P]) Library[T, P] {
	*s = append(*s, l)
	return l
}

// load opens the library of that name.
func (s shelf[T, P]) load(kind, name string) (*T, error) {
	var names []string
	for _, l := range s {
		if l.Name == name {
			return l.Load()
		}
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("peer: no %s is called %q; there are %s", kind, name, strings.Join(names, ", "))
}

// available opens every library and returns those that load, by name.
func (s shelf[T, P]) available() (loaded []*T) {
	for _, l := range slices.SortedFunc(slices.Values(s), func(a, b Library[T, P]) int { return strings.Compare(a.Name, b.Name) }) {
		if x, err := l.Load(); err == nil {
			loaded = append(loaded, x)
		}
	}
	return loaded
}

// errNoLoader is why a build without a dynamic linker refuses a library.
var errNoLoader = fmt.Errorf("this build cannot load shared libraries (%s/%s, or -tags nodl); gonum is its only peer: %w",
	runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

// Load opens the first of p's files that loads and has what p.Open looks for. Libraries are never unloaded: their threads may
// still be running.
func (p Library[T, P]) Load() (*T, error) {
	switch {
	case p.Open == nil:
		return nil, fmt.Errorf("peer: %s: nothing opens it", p.Name)
	case len(p.Libs) == 0:
		x, err := p.at(0, "")
		if err != nil {
			err = fmt.Errorf("peer: %s: %w", p.Name, err)
		}
		return x, err
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

func (p Library[T, P]) env() string { return "TILESMITH_" + strings.ToUpper(p.Name) }

// files returns the candidates on this machine, in the order to try them.
func (p Library[T, P]) files() []string {
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

func (p Library[T, P]) open(file string) (*T, error) {
	lib, err := dlopen(file)
	if err != nil {
		return nil, err
	}
	return p.at(lib, file)
}

// at opens a library that was loaded.
func (p Library[T, P]) at(lib uintptr, file string) (*T, error) {
	x, err := p.Open(lib)
	if err != nil {
		return nil, err
	}
	P(x).found(p.Name, file)
	return x, nil
}
