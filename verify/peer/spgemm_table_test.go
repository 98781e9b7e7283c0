package peer_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// spgemmPeers are libraries that multiply sparse matrices by sparse ones, each behind a
// shim that is compiled here.
var spgemmPeers = []struct {
	name, compiler, source string
	flags                  []string
}{
	{"graphblas", "gcc", "spgemm_graphblas.c", []string{"-lgraphblas"}},
	{"mkl", "gcc", "spgemm_mkl.c", []string{"-DORDERED", "-L$VIRTUAL_ENV/lib", "-Wl,-rpath,$VIRTUAL_ENV/lib", "-l:libmkl_rt.so.3"}},
	{"mkl-unsorted", "gcc", "spgemm_mkl.c", []string{"-L$VIRTUAL_ENV/lib", "-Wl,-rpath,$VIRTUAL_ENV/lib", "-l:libmkl_rt.so.3"}},
	{"eigen", "g++", "spgemm_eigen.cc", []string{"-DNDEBUG", "-I/usr/include/eigen3", "-I/usr/local/include/eigen3"}},
}

// spgemmLib is such a library.
type spgemmLib struct {
	name    string
	version func() string
	prepare func(m, k, n int32, ap, ai *int32, av *float64, bp, bi *int32, bv *float64) unsafe.Pointer
	run     func(p unsafe.Pointer) int32
	nnz     func(p unsafe.Pointer) int
	fetch   func(p unsafe.Pointer, pointers, indices *int32, values *float64)
	free    func(p unsafe.Pointer)
}

// openSpGEMM compiles and loads the libraries that there are, and says what is missing.
func openSpGEMM(t testing.TB) (libs []*spgemmLib) {
	for _, s := range spgemmPeers {
		file := filepath.Join(t.TempDir(), s.name+".so")
		args := []string{"-shared", "-fPIC", "-O3", "-march=native", "-o", file, filepath.Join("testdata", "sparse_peers", s.source)}
		for _, f := range s.flags {
			args = append(args, os.ExpandEnv(f))
		}
		if out, err := exec.Command(s.compiler, args...).CombinedOutput(); err != nil {
			first, _, _ := strings.Cut(string(out), "\n")
			t.Logf("%s: %v: %s", s.name, err, first)
			continue
		}
		l := &spgemmLib{name: s.name}
		_, err := peer.SparsePeer{Name: s.name, Libs: []string{file}, Open: func(lib uintptr) (*peer.Sparse, error) {
			return new(peer.Sparse), errors.Join(
				peer.Bind(lib, "peer_version", &l.version), peer.Bind(lib, "peer_prepare", &l.prepare), peer.Bind(lib, "peer_run", &l.run),
				peer.Bind(lib, "peer_nnz", &l.nnz), peer.Bind(lib, "peer_fetch", &l.fetch), peer.Bind(lib, "peer_free", &l.free))
		}}.Load()
		if err != nil {
			t.Logf("%s: %v", s.name, err)
			continue
		}
		libs = append(libs, l)
	}
	return libs
}

// spgemmCases are the square matrices of the folder beside the repository that are not
// complex and whose square is not refused, and a larger random graph.
func spgemmCases(b *testing.B) (names []string, all []sparse.Matrix[float64]) {
	list, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "*.mtx"))
	if dir := os.Getenv("TILESMITH_DATA"); dir != "" {
		list, _ = filepath.Glob(filepath.Join(dir, "*.mtx"))
	}
	for _, path := range list {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		m, err := files.ReadMatrixMarket[float64](f, mtx.Options{})
		f.Close()
		if name := strings.TrimSuffix(filepath.Base(path), ".mtx"); err == nil && m.Rows() == m.Cols() && name != "arrow" {
			names, all = append(names, name), append(all, sample.Random(m, 3))
		}
	}
	m, err := sample.RMAT[float64](1<<16, 8<<16, .57, .19, .19, 1)
	if err != nil {
		b.Fatal(err)
	}
	return append(names, "rmat16"), append(all, sample.Random(m, 3))
}

// withCollector times functions in turns, as peer.InTurns does, but with the garbage
// collector: results are allocated, and to collect them is part of the price.
func withCollector(runs ...func()) []float64 {
	const sample, rounds, leastRounds, most = 2 * time.Millisecond, 15, 3, 2 * time.Second
	times := make([]int, len(runs))
	for i, f := range runs {
		start := time.Now()
		if f(); time.Since(start) < sample {
			start = time.Now()
			f()
		}
		times[i] = int(sample/max(time.Since(start), 1)) + 1
	}
	all := make([][]float64, len(runs))
	start := time.Now()
	for round := range rounds {
		if round >= leastRounds && time.Since(start) > most {
			break
		}
		for i, f := range runs {
			if times[i] > 1 {
				f()
			}
			start := time.Now()
			for range times[i] {
				f()
			}
			all[i] = append(all[i], time.Since(start).Seconds()/float64(times[i]))
		}
	}
	medians := make([]float64, len(runs))
	for i, s := range all {
		slices.Sort(s)
		medians[i] = s[len(s)/2]
	}
	return medians
}

// BenchmarkSpGEMMTable prints the seconds of A*A with sorted rows, in turns with
// libraries, one thread a side; every result was compared before.
//
//	VIRTUAL_ENV=... go test -run '^$' -bench SpGEMMTable -benchtime 1x ./verify/peer
func BenchmarkSpGEMMTable(b *testing.B) {
	libs := openSpGEMM(b)
	fmt.Printf("\nmachine: %s, %d CPUs, %s\n", cpuModel(), runtime.NumCPU(), runtime.Version())
	for _, l := range libs {
		fmt.Printf("%s: %s\n", l.name, l.version())
	}
	names, all := spgemmCases(b)
	fmt.Printf("%-14s %9s %11s %9s %8s %8s", "A*A, f64", "entries", "products", "result", "us", "unsorted")
	for _, l := range libs {
		fmt.Printf(" %12s", l.name)
	}
	fmt.Println()
	logs := make([]float64, len(libs))
	measured := 0
	for i, m := range all {
		b.Run(names[i], func(b *testing.B) {
			measured++
			flops := 0
			for e := range m.All() {
				flops += m.RowNNZ(e.J)
			}
			ours, err := cpu.SpGEMMOpt(one, cpu.SpGEMMSpec[float64]{}, m, m)
			if err != nil {
				b.Fatal(err)
			}
			runs := []func(){
				func() { cpu.SpGEMMOpt(one, cpu.SpGEMMSpec[float64]{}, m, m) },
				func() { cpu.SpGEMMOpt(one, cpu.SpGEMMSpec[float64]{Unsorted: true}, m, m) },
			}
			p, x, v := m.CSR()
			var held []unsafe.Pointer
			for _, l := range libs {
				n := int32(m.Rows())
				h := l.prepare(n, n, n, &p[0], &x[0], &v[0], &p[0], &x[0], &v[0])
				held = append(held, h)
				sameSparse(b, names[i]+" "+l.name, l, h, ours)
				runs = append(runs, func() { l.run(h) })
			}
			seconds := withCollector(runs...)
			fmt.Printf("%-14s %9d %11d %9d %8.0f %8.2f", names[i], m.NNZ(), flops, ours.NNZ(), seconds[0]*1e6, seconds[1]/seconds[0])
			for k, l := range libs {
				base := seconds[0]
				if l.name == "mkl-unsorted" {
					base = seconds[1]
				}
				fmt.Printf(" %11.2fx", seconds[k+2]/base)
				logs[k] += math.Log(seconds[k+2] / base)
				l.free(held[k])
			}
			fmt.Println()
		})
	}
	fmt.Printf("%-64s", "geometric mean of their time over ours")
	for k := range libs {
		fmt.Printf(" %11.2fx", math.Exp(logs[k]/float64(max(measured, 1))))
	}
	fmt.Println()
}

// sameSparse stops the benchmark if a library has another result.
func sameSparse(b *testing.B, what string, l *spgemmLib, h unsafe.Pointer, want sparse.Matrix[float64]) {
	b.Helper()
	if code := l.run(h); code != 0 {
		b.Fatalf("%s: error %d", what, code)
	}
	n := l.nnz(h)
	p, x, v := make([]int32, want.Rows()+1), make([]int32, max(n, 1)), make([]float64, max(n, 1))
	l.fetch(h, &p[0], &x[0], &v[0])
	have, err := sparse.FromCSR(want.Rows(), want.Cols(), p, x[:n], v[:n])
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
	if l.name != "mkl-unsorted" && !have.Sorted() {
		b.Fatalf("%s: its rows are not sorted", what)
	}
	_, x, v = have.Canonical().CSR()
	_, y, w := want.CSR()
	if !slices.Equal(x, y) {
		b.Fatalf("%s: %d entries, ours has %d, or others", what, len(x), len(y))
	}
	for k := range v {
		if d := math.Abs(v[k] - w[k]); d > 1e-9*(1+math.Abs(w[k])) {
			b.Fatalf("%s: entry %d is %v, ours %v", what, k, v[k], w[k])
		}
	}
}

// BenchmarkMaskedTable prints what a mask saves: the triangles of symmetric graphs, as
// C<L> = L*L where L is below the diagonal, against L*L and what of it is in L.
func BenchmarkMaskedTable(b *testing.B) {
	names, all := spgemmCases(b)
	sum, n := 0.0, 0
	for i, m := range all {
		l := below(b, m)
		s := cpu.SpGEMMSpec[float64]{Mask: &l}
		full, err := cpu.SpGEMMOpt(one, cpu.SpGEMMSpec[float64]{}, l, l)
		if err != nil {
			b.Fatal(err)
		}
		masked, err := cpu.SpGEMMOpt(one, s, l, l)
		if err != nil || !masked.Equal(filtered(full, l)) {
			b.Fatalf("%s: the masked product is another, %v", names[i], err)
		}
		seconds := withCollector(
			func() { cpu.SpGEMMOpt(one, s, l, l) },
			func() {
				c, _ := cpu.SpGEMMOpt(one, cpu.SpGEMMSpec[float64]{}, l, l)
				filtered(c, l)
			})
		fmt.Printf("%-14s L*L has %9d entries, C<L> %8d in %8.0f us, unmasked and filtered %8.0f us: %.2fx\n",
			names[i], full.NNZ(), masked.NNZ(), seconds[0]*1e6, seconds[1]*1e6, seconds[1]/seconds[0])
		sum += math.Log(seconds[1] / seconds[0])
		n++
	}
	fmt.Printf("geometric mean %.2fx\n", math.Exp(sum/float64(n)))
}

// below returns what is below the diagonal of m or its transpose, with ones.
func below(b *testing.B, m sparse.Matrix[float64]) sparse.Matrix[float64] {
	l := sparse.NewBuilder[float64](m.Rows(), m.Cols())
	for e := range m.All() {
		if i, j := max(e.I, e.J), min(e.I, e.J); i > j {
			l.Add(i, j, 1)
		}
	}
	x, err := l.Matrix()
	if err != nil {
		b.Fatal(err)
	}
	_, _, v := x.CSR()
	for k := range v {
		v[k] = 1
	}
	x, _ = x.WithValues(v)
	return x
}

// filtered returns the entries of c where mask has one, row by row in step.
func filtered(c, mask sparse.Matrix[float64]) sparse.Matrix[float64] {
	p, x, v := raw(c)
	q, y, _ := raw(mask)
	pointers := make([]int32, c.Rows()+1)
	indices, values := make([]int32, 0, len(y)), make([]float64, 0, len(y))
	for i := range c.Rows() {
		k, l := p[i], q[i]
		for k < p[i+1] && l < q[i+1] {
			switch {
			case x[k] < y[l]:
				k++
			case y[l] < x[k]:
				l++
			default:
				indices, values = append(indices, x[k]), append(values, v[k])
				k, l = k+1, l+1
			}
		}
		pointers[i+1] = int32(len(indices))
	}
	return sparse.Trusted(c.Rows(), c.Cols(), pointers, indices, values, true)
}

func raw(m sparse.Matrix[float64]) (pointers, indices []int32, values []float64) {
	r := m.Raw()
	return unsafe.Slice((*int32)(r.Pointers), r.Rows+1), unsafe.Slice((*int32)(r.Indices), r.NNZ), unsafe.Slice((*float64)(r.Values), r.NNZ)
}
