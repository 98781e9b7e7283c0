package peer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// BenchmarkSparseTable prints the speed table of the sparse kernels: against a plain
// Go loop, against libraries, against what the machine can do. One thread on both
// sides, in turns, medians; every result was compared before it is timed.
//
//	go test -run '^$' -bench SparseTable -benchtime 1x ./verify/peer
//
// One part is -bench SparseTable/SpMM, one line of it SparseTable/SpMM/cora/32.
// "others" is how many CPUs other processes kept busy: with much more than 0, ratios
// stand, shares of a bound hardly.
func BenchmarkSparseTable(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // conversions use all that there are
	b.Setenv("OMP_NUM_THREADS", "1")
	b.Setenv("MKL_THREADING_LAYER", "SEQUENTIAL")
	l1, l2, l3 := machine.This().Room()
	fmt.Printf("\nmachine: %s, %d CPUs, L1 %d KiB, L2 %d KiB, L3 %d KiB, %s; ISAs %s\n",
		cpuModel(), runtime.NumCPU(), l1>>10, l2>>10, l3>>10, runtime.Version(), strings.Join(cpu.ISAs(), " "))
	b.Run("SpMM", tableSpMM)
	b.Run("SDDMM", tableSDDMM)
	b.Run("Attention", tableAttention)
	b.Run("Blocks", tableBlocks)
	b.Run("Pruned", tablePruned)
	b.Run("SpMV", tableSpMV)
	b.Run("Hyb", tableHyb)
}

// one is what all of our kernels run with.
var one = cpu.Options{Threads: 1}

// sparseCase is a matrix to measure on.
type sparseCase struct {
	name  string
	build func(b *testing.B) sparse.Matrix[float32]
}

var sparseCases = []sparseCase{
	{"cora", func(b *testing.B) sparse.Matrix[float32] { return realMatrix(b, "cora") }},
	{"pubmed", func(b *testing.B) sparse.Matrix[float32] { return realMatrix(b, "pubmed") }},
	{"bcsstk13", func(b *testing.B) sparse.Matrix[float32] { return realMatrix(b, "bcsstk13") }},
	{"rmat", func(b *testing.B) sparse.Matrix[float32] {
		return built(b)(sample.RMAT[float32](169_343, 1_100_000, .57, .19, .19, 1))
	}},
	{"uniform64", func(b *testing.B) sparse.Matrix[float32] {
		return built(b)(sample.Uniform[float32](169_343, 169_343, 64, 1))
	}},
}

// realMatrix reads a matrix of the folder with real ones beside the repository.
func realMatrix(b *testing.B, name string) sparse.Matrix[float32] {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", name+".mtx"))
	if err != nil {
		b.Skip("there is no ../shared/data beside the repository")
	}
	defer f.Close()
	return built(b)(files.ReadMatrixMarket[float32](f, mtx.Options{}))
}

// built gives the entries values, so that a kernel cannot get away with ones.
func built(b *testing.B) func(m sparse.Matrix[float32], err error) sparse.Matrix[float32] {
	return func(m sparse.Matrix[float32], err error) sparse.Matrix[float32] {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return sample.Random(m, 3)
	}
}

func gaussian[T dtype.Float](rows, cols int, seed uint64) layout.Matrix[T] {
	m, r := layout.New[T](rows, cols), rand.New(level.PCG(seed, 1))
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64())
	}
	return m
}

// same stops the benchmark if two results differ by more than rounding: a wrong kernel
// has no speed. terms is how many products of about 1 were added up for an element.
func same[T dtype.Float](b *testing.B, what string, got, want []T, terms func(i int) int) {
	b.Helper()
	eps := map[dtype.Type]float64{dtype.F32: 1.2e-7, dtype.F64: 2.3e-16}[dtype.Of[T]()]
	for i, w := range want {
		d := float64(got[i]) - float64(w)
		if !(max(d, -d) <= 16*eps*float64(terms(i)+16)) {
			b.Fatalf("%s: element %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// perRow is the terms of a product of m with n columns.
func perRow[T dtype.Float](m sparse.Matrix[T], n int) func(i int) int {
	return func(i int) int { return m.RowNNZ(i / n) }
}

func always(terms int) func(i int) int { return func(int) int { return terms } }

// copyBytes is what one run of copying moves: reads and writes of what no cache holds.
const copyBytes = 2 * 64 << 20

var copySource, copyTarget []byte

func copying() *entrant {
	if copySource == nil {
		copySource, copyTarget = make([]byte, copyBytes/2), make([]byte, copyBytes/2)
		for i := range copySource {
			copySource[i] = byte(i)
		}
	}
	return &entrant{name: "copy", run: func() { copy(copyTarget, copySource) }}
}

// quiet keeps the line of a benchmark from standing between those of the table.
func quiet(b *testing.B) { b.ReportMetric(0, "ns/op") }

// sparsePeersHere returns the peers that can be had, and prints the others' reasons.
func sparsePeersHere(b *testing.B) []*peer.Sparse {
	var all []*peer.Sparse
	for _, name := range sparseNames {
		p, err := openSparse(b, name)
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Printf("no %s: %s\n", name, first)
			continue
		}
		fmt.Printf("peer: %s: %s %s\n", p.Name, p.Version, p.Note)
		all = append(all, p)
	}
	return all
}
