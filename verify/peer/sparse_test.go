package peer_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// sparsePeers calls f with every sparse peer that can be had here.
func sparsePeers(t *testing.T, f func(t *testing.T, p *peer.Sparse)) {
	for _, name := range sparseNames {
		t.Run(name, func(t *testing.T) {
			p, err := openSparse(t, name)
			if err != nil {
				t.Skip(err)
			}
			t.Logf("%s at %s %s", p.Version, p.Path, p.Note)
			f(t, p)
		})
	}
}

// integers fills x with small ones, of which sums are exact in any order.
func integers(x []float32) {
	for i := range x {
		x[i] = float32(i*7%11) - 5
	}
}

// Every peer must match us bit for bit where sums are exact.
func TestSparseExact(t *testing.T) {
	matrices := map[string]func() (sparse.Matrix[float32], error){
		"one":       func() (sparse.Matrix[float32], error) { return sample.Uniform[float32](1, 1, 1, 1) },
		"no entry":  func() (sparse.Matrix[float32], error) { return sample.Uniform[float32](3, 4, 0, 1) },
		"no row":    func() (sparse.Matrix[float32], error) { return sample.Uniform[float32](0, 4, 0, 1) },
		"uniform":   func() (sparse.Matrix[float32], error) { return sample.Uniform[float32](57, 91, 7, 1) },
		"rmat":      func() (sparse.Matrix[float32], error) { return sample.RMAT[float32](300, 900, .57, .19, .19, 1) },
		"emptyrows": func() (sparse.Matrix[float32], error) { return sample.EmptyRows[float32](100, 70, 9, 1) },
		"denserow":  func() (sparse.Matrix[float32], error) { return sample.DenseRow[float32](40, 500, 3, 1) },
	}
	sparsePeers(t, func(t *testing.T, p *peer.Sparse) {
		for name, build := range matrices {
			for _, n := range []int{1, 3, 16, 33, 128} {
				a, err := build()
				if err != nil {
					t.Fatal(err)
				}
				a = sample.Integers(a, 3, 2)
				b, want := layout.New[float32](a.Cols(), n), layout.New[float32](a.Rows(), n)
				integers(b.Data)
				cpu.SpMM(want, a, b)
				got := make([]float32, len(want.Data))
				for i := range got {
					got[i] = 99
				}
				product, err := p.F32(got, a, b.Data, n)
				if err != nil {
					t.Fatalf("%s, n = %d: %v", name, n, err)
				}
				product.Run()
				if err := product.Fetch(); err != nil {
					t.Fatalf("%s, n = %d: %v", name, n, err)
				}
				product.Free()
				for i := range got {
					if got[i] != want.Data[i] {
						t.Fatalf("%s, n = %d: element %d of C is %v, want %v", name, n, i, got[i], want.Data[i])
					}
				}
			}
		}
	})
}

// No library gets a slice that it could run past.
func TestSparseRefuses(t *testing.T) {
	a, err := sample.Uniform[float32](3, 4, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	sparsePeers(t, func(t *testing.T, p *peer.Sparse) {
		for _, tt := range []struct {
			c, b, n int
			want    string
		}{
			{6, 7, 2, "b has 7 elements for 4 x 2"},
			{5, 8, 2, "c has 5 elements for 3 x 2"},
			{6, 8, -1, "n is -1"},
			{6, 8, min(1<<40, math.MaxInt), "n is 1099511627776"}, // no peer loads where int has 32 bits
		} {
			_, err := p.F32(make([]float32, tt.c), a, make([]float32, tt.b), tt.n)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
		}
	})
}

func TestLoadSparseErrors(t *testing.T) {
	if _, err := peer.LoadSparse("nosuch"); err == nil || !strings.Contains(err.Error(), "graphblas, librsb, mkl") {
		t.Errorf("%v, want the names there are", err)
	}
	if _, err := (peer.SparsePeer{Name: "empty"}).Load(); err == nil {
		t.Error("a peer without files loads")
	}
	libm := peer.SparsePeer{Name: "libm", Libs: []string{"libm.so.6", "/usr/lib/libSystem.dylib"}, Open: peer.Shim}
	_, err := libm.Load()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(fmt.Sprint(err), "peer_spmm") {
		t.Errorf("%v, want peer_spmm in it", err)
	}
}
