package peer_test

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/solve"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// triangleSolver makes a library ready to solve for n right sides, row-major.
type triangleSolver func(t sparse.Matrix[float64], n int, b, x []float64) (run func(), err error)

// BenchmarkTriangleTable prints how fast lower triangles are solved with, against Eigen and
// MKL told to optimize: one thread on both sides, in turns, medians, after results were
// compared.
//
//	VIRTUAL_ENV=(where pip installed mkl) go test -run '^$' -bench TriangleTable -benchtime 1x ./verify/peer
func BenchmarkTriangleTable(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b.Setenv("MKL_THREADING_LAYER", "SEQUENTIAL")
	fmt.Printf("\nmachine: %s, %s; ISAs %s\n", cpuModel(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	peers := map[string]triangleSolver{}
	for name, open := range map[string]func(b *testing.B) (string, triangleSolver, error){"eigen": eigenTriangle, "mkl": mklTriangle} {
		version, solver, err := open(b)
		if err != nil {
			fmt.Println(name, "is not here:", err)
			continue
		}
		fmt.Printf("%s: %s\n", name, version)
		peers[name] = solver
	}
	for _, c := range triangleCases {
		t, err := c.build()
		if err != nil {
			fmt.Println(c.name, err)
			continue
		}
		for _, n := range []int{1, 8} {
			triangleLine(b, c.name, t, n, peers)
		}
	}
	quiet(b)
}

var triangleCases = []struct {
	name  string
	build func() (sparse.Matrix[float64], error)
}{
	{"bcsstk13", lowerOf("bcsstk13")}, {"cryg2500", lowerOf("cryg2500")}, {"jagmesh7", lowerOf("jagmesh7")},
	{"gemat11", lowerOf("gemat11")}, {"dwt_878", lowerOf("dwt_878")},
	{"poisson100", func() (sparse.Matrix[float64], error) { return lowerHalf(poisson(100)) }},
	{"poisson1000", func() (sparse.Matrix[float64], error) { return lowerHalf(poisson(1000)) }},
	{"chain", func() (sparse.Matrix[float64], error) { return lowerHalf(sample.Banded[float64](100_000, 1)) }},
	{"random", func() (sparse.Matrix[float64], error) {
		return lowerHalf(sample.Uniform[float64](100_000, 100_000, 10, 1))
	}},
}

func lowerOf(name string) func() (sparse.Matrix[float64], error) {
	return func() (sparse.Matrix[float64], error) {
		return lowerHalf(readF64(filepath.Join("..", "..", "..", "shared", "data", name+".mtx")))
	}
}

// lowerHalf returns the lower triangle of a's structure, with values that keep x small: what
// is off the diagonal of a row adds up to less than the diagonal.
func lowerHalf(a sparse.Matrix[float64], err error) (sparse.Matrix[float64], error) {
	if err != nil {
		return a, err
	}
	b := sparse.NewBuilder[float64](a.Rows(), a.Rows())
	for i := range a.Rows() {
		count := 0.0
		for j := range a.Row(i) {
			if j < i {
				count++
			}
		}
		for j, v := range a.Row(i) {
			if j < i {
				b.Add(i, j, math.Mod(v, 1)/2+.25/(count+1))
			}
		}
		b.Add(i, i, 2*(count+1))
	}
	return b.Matrix()
}

// poisson returns the five-point stencil on n x n points.
func poisson(n int) (sparse.Matrix[float64], error) {
	b := sparse.NewBuilder[float64](n*n, n*n)
	for i := range n * n {
		b.Add(i, i, 4)
		if i%n > 0 {
			b.Add(i, i-1, -1)
			b.Add(i-1, i, -1)
		}
		if i >= n {
			b.Add(i, i-n, -1)
			b.Add(i-n, i, -1)
		}
	}
	return b.Matrix()
}

func triangleLine(b *testing.B, name string, a sparse.Matrix[float64], n int, peers map[string]triangleSolver) {
	right, x, want := gaussian[float64](a.Rows(), n, 1), layout.New[float64](a.Rows(), n), layout.New[float64](a.Rows(), n)
	for i := range a.Rows() {
		for c := range n {
			s, d := right.At(i, c), 1.0
			for j, v := range a.Row(i) {
				if j == i {
					d = v
				} else {
					s -= v * want.At(j, c)
				}
			}
			want.Set(i, c, s/d)
		}
	}
	t, err := solve.NewTriangle(a, solve.Lower)
	if err != nil {
		b.Fatal(err)
	}
	all := []*entrant{{name: "ours", run: func() { t.Solve(one, x, right) }}}
	for _, p := range []string{"eigen", "mkl"} {
		if peers[p] != nil {
			run, err := peers[p](a, n, right.Data, x.Data)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, &entrant{name: p, run: run})
		}
	}
	for _, e := range all {
		clear(x.Data)
		e.run()
		same(b, e.name, x.Data, want.Data, perRow(a, n))
	}
	how := compete(all...)
	levels, widest := t.Levels()
	line := fmt.Sprintf("%-12s n=%d  %8d entries, %6d levels to %6d rows  %9.1f us", name, n, a.NNZ(), levels, widest, 1e6*all[0].seconds)
	best := math.Inf(1)
	for _, e := range all[1:] {
		line += fmt.Sprintf("  %s %5.2fx", e.name, e.seconds/all[0].seconds)
		best = min(best, e.seconds)
	}
	fmt.Printf("%s  best %5.2fx  [%d rounds, others %.2f, spoilt %d]\n", line, best/all[0].seconds, how.rounds, how.others, how.spoilt)
}

func eigenTriangle(b *testing.B) (version string, solver triangleSolver, err error) {
	lib := filepath.Join(b.TempDir(), "eigen_triangle.so")
	out, err := exec.Command("g++", "-shared", "-fPIC", "-O3", "-march=native", "-DNDEBUG", "-I/usr/include/eigen3", "-I/usr/local/include/eigen3",
		"-o", lib, filepath.Join("testdata", "sparse_peers", "eigen_triangle.cc")).CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("%w: %s", err, out)
	}
	var name func() string
	var trsm func(m, nnz int32, pointers, indices *int32, values *float64, n int32, b, x *float64)
	err = openLibrary("eigen", []string{lib}, func(lib uintptr) error {
		return errors.Join(peer.Bind(lib, "peer_version", &name), peer.Bind(lib, "peer_sptrsm", &trsm))
	})
	if err != nil {
		return "", nil, err
	}
	return name(), func(a sparse.Matrix[float64], n int, b, x []float64) (func(), error) {
		pointers, indices, values := a.CSR()
		return func() {
			trsm(int32(a.Rows()), int32(a.NNZ()), &pointers[0], &indices[0], &values[0], int32(n), &b[0], &x[0])
		}, nil
	}, nil
}

// openLibrary loads one of files and calls bind with it.
func openLibrary(name string, files []string, bind func(lib uintptr) error) error {
	_, err := peer.SparsePeer{Name: name, Libs: files, Open: func(lib uintptr) (*peer.Sparse, error) {
		return &peer.Sparse{F32: func([]float32, sparse.Matrix[float32], []float32, int) (*peer.Product, error) {
			return nil, errors.ErrUnsupported
		}}, bind(lib)
	}}.Load()
	return err
}

// mklTriangle is mkl_sparse_d_trsv and trsm with hints, optimized: the values of
// mkl_spblas.h, and struct matrix_descr in two registers.
func mklTriangle(*testing.B) (version string, solver triangleSolver, err error) {
	const (
		nonTranspose = 10
		rowMajor     = 101
		descr0       = 23 | 40<<32 // SPARSE_MATRIX_TYPE_TRIANGULAR, SPARSE_FILL_MODE_LOWER
		descr1       = 50          // SPARSE_DIAG_NON_UNIT
	)
	var (
		text      func(buf *byte, size int32)
		layer     func(layer int32) int32
		threading func(layer int32) int32
		set       func(n int32)
		create    func(a *uintptr, base, rows, cols int32, starts, ends, indices *int32, values *float64) int32
		svHint    func(a uintptr, op int32, descr0, descr1 uint64, calls int32) int32
		smHint    func(a uintptr, op int32, descr0, descr1 uint64, layout, n, calls int32) int32
		optimize  func(a uintptr) int32
		trsv      func(op int32, alpha float64, a uintptr, descr0, descr1 uint64, b, x *float64) int32
		trsm      func(op int32, alpha float64, a uintptr, descr0, descr1 uint64, layout int32, b *float64, n, ldb int32, x *float64, ldx int32) int32
		aligned   func(bytes uint64, align int32) unsafe.Pointer
	)
	err = openLibrary("mkl", peer.MKL.Libs, func(lib uintptr) error {
		return errors.Join(peer.Bind(lib, "MKL_Get_Version_String", &text), peer.Bind(lib, "MKL_Set_Interface_Layer", &layer),
			peer.Bind(lib, "MKL_Set_Threading_Layer", &threading), peer.Bind(lib, "MKL_Set_Num_Threads", &set),
			peer.Bind(lib, "mkl_sparse_d_create_csr", &create), peer.Bind(lib, "mkl_sparse_set_sv_hint", &svHint),
			peer.Bind(lib, "mkl_sparse_set_sm_hint", &smHint), peer.Bind(lib, "mkl_sparse_optimize", &optimize),
			peer.Bind(lib, "mkl_sparse_d_trsv", &trsv), peer.Bind(lib, "mkl_sparse_d_trsm", &trsm), peer.Bind(lib, "MKL_malloc", &aligned))
	})
	if err != nil {
		return "", nil, err
	}
	layer(0)     // LP64
	threading(1) // sequential
	set(1)
	buf := make([]byte, 256)
	text(&buf[0], int32(len(buf)))
	return strings.TrimRight(string(buf), "\x00 "), func(m sparse.Matrix[float64], n int, b, x []float64) (func(), error) {
		pointers, indices, values := m.CSR()
		// MKL keeps the arrays, so they cannot be Go's. The process ends before they are given back.
		p := unsafe.Slice((*int32)(aligned(uint64(4*len(pointers)), 64)), len(pointers))
		j := unsafe.Slice((*int32)(aligned(uint64(4*len(indices)), 64)), len(indices))
		v := unsafe.Slice((*float64)(aligned(uint64(8*len(values)), 64)), len(values))
		copy(p, pointers)
		copy(j, indices)
		copy(v, values)
		var a uintptr
		codes := []int32{create(&a, 0, int32(m.Rows()), int32(m.Rows()), &p[0], &p[1], &j[0], &v[0])}
		run := func() { trsm(nonTranspose, 1, a, descr0, descr1, rowMajor, &b[0], int32(n), int32(n), &x[0], int32(n)) }
		if n == 1 {
			run = func() { trsv(nonTranspose, 1, a, descr0, descr1, &b[0], &x[0]) }
			codes = append(codes, svHint(a, nonTranspose, descr0, descr1, 1000))
		} else {
			codes = append(codes, smHint(a, nonTranspose, descr0, descr1, rowMajor, int32(n), 1000))
		}
		codes = append(codes, optimize(a))
		for _, c := range codes {
			if c != 0 {
				return nil, fmt.Errorf("mkl returned %v", codes)
			}
		}
		return run, nil
	}, nil
}
