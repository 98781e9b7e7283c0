package peer_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// shims are the peers that are compiled here, for this machine.
var shims = []struct {
	name, source, compiler string
	flags                  []string
}{
	{"gcc", "csr.c", "gcc", nil},
	{"eigen", "eigen.cc", "g++", []string{"-DNDEBUG", "-I/usr/include/eigen3", "-I/usr/local/include/eigen3"}},
}

// compiled is what compile returned before. A library stays loaded after its file is
// gone.
var compiled = map[string]*peer.Sparse{}

// compile returns the peer made of a file of testdata/sparse_peers, or an error that
// says what is missing.
func compile(t testing.TB, name string) (*peer.Sparse, error) {
	t.Helper()
	if p := compiled[name]; p != nil {
		return p, nil
	}
	for _, s := range shims {
		if s.name != name {
			continue
		}
		if _, err := exec.LookPath(s.compiler); err != nil {
			return nil, fmt.Errorf("peer: %s: it is compiled here, and there is no %s: %w", name, s.compiler, err)
		}
		lib := filepath.Join(t.TempDir(), name+".so")
		args := append([]string{"-shared", "-fPIC", "-O3", "-march=native", "-o", lib}, s.flags...)
		out, err := exec.Command(s.compiler, append(args, filepath.Join("testdata", "sparse_peers", s.source))...).CombinedOutput()
		if err != nil {
			first, _, _ := strings.Cut(string(out), "\n")
			return nil, fmt.Errorf("peer: %s: %s does not compile %s: %s", name, s.compiler, s.source, first)
		}
		p, err := peer.SparsePeer{Name: name, Libs: []string{lib}, Install: s.compiler, Open: peer.Shim}.Load()
		if err == nil {
			compiled[name] = p
		}
		return p, err
	}
	return nil, fmt.Errorf("peer: no source for %q", name)
}

var sparseNames = []string{"gcc", "eigen", "librsb", "graphblas", "mkl"}

// openSparse returns the named peer, loaded or compiled.
func openSparse(t testing.TB, name string) (*peer.Sparse, error) {
	for _, s := range shims {
		if s.name == name {
			return compile(t, name)
		}
	}
	return peer.LoadSparse(name)
}
