package cpu

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// readGraph returns a matrix of the folder with real ones beside the repository.
func readGraph[T dtype.Float](b testing.TB, name string) sparse.Matrix[T] {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", name+".mtx"))
	if err != nil {
		b.Skip("there is no ../shared/data beside the repository")
	}
	defer f.Close()
	m, err := files.ReadMatrixMarket[T](f, mtx.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func must[T dtype.Float](b testing.TB, m sparse.Matrix[T], err error) sparse.Matrix[T] {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// benchGraph is a matrix to measure on.
type benchGraph[T dtype.Float] struct {
	name string
	make func(b testing.TB) sparse.Matrix[T]
}

func graphs[T dtype.Float]() []benchGraph[T] {
	return []benchGraph[T]{
		{"cora", func(b testing.TB) sparse.Matrix[T] { return readGraph[T](b, "cora") }},
		{"pubmed", func(b testing.TB) sparse.Matrix[T] { return readGraph[T](b, "pubmed") }},
		{"rmat", func(b testing.TB) sparse.Matrix[T] {
			m, err := sample.RMAT[T](169_343, 1_100_000, .57, .19, .19, 1)
			return must(b, m, err)
		}},
		{"uniform64", func(b testing.TB) sparse.Matrix[T] {
			m, err := sample.Uniform[T](169_343, 169_343, 64, 1)
			return must(b, m, err)
		}},
	}
}

// plainRows is what one writes in Go.
func plainRows[T dtype.Float](out layout.Matrix[T], pointers, indices []int32, values []T, b layout.Matrix[T]) {
	n := out.Cols
	for i := range out.Rows {
		c := out.Data[i*n : i*n+n]
		clear(c)
		for k := pointers[i]; k < pointers[i+1]; k++ {
			v := values[k]
			for j, x := range b.Data[int(indices[k])*n : int(indices[k])*n+n] {
				c[j] += v * x
			}
		}
	}
}

// lru counts the rows of B that a cache of so many bytes does not have when an entry
// needs them: fully associative, the row that was used longest ago goes.
func lru(indices []int32, cols, rowBytes, cache int) (misses int) {
	room := max(1, cache/rowBytes)
	prev, next, in := make([]int32, cols+1), make([]int32, cols+1), make([]bool, cols)
	end := int32(cols) // of a circular list: next is the newest, prev the oldest
	prev[end], next[end] = end, end
	unlink := func(j int32) { next[prev[j]], prev[next[j]] = next[j], prev[j] }
	used := 0
	for _, j := range indices {
		switch {
		case in[j]:
			unlink(j)
		case used == room:
			misses++
			old := prev[end]
			unlink(old)
			in[old] = false
		default:
			misses++
			used++
		}
		in[j] = true
		next[j], prev[j] = next[end], end
		prev[next[end]], next[end] = j, j
	}
	return misses
}

// bound is the least time of a product in seconds: all multiply-adds at the rate of
// registers, or all bytes at that of a copy. The matrix is read and C written once,
// and of B what the last cache does not hold.
func bound[T dtype.Float](a sparse.Matrix[T], indices []int32, n int, copyRate, flops float64) float64 {
	size := dtype.Of[T]().Size()
	missed := lru(indices, a.Cols(), n*size, machine.This().Caches[machine.L3].Size)
	bytes := a.NNZ()*(4+size) + 4*a.Rows() + a.Rows()*n*size + missed*n*size
	return max(2*float64(a.NNZ()*n)/flops, float64(bytes)/copyRate)
}

func median[T cmp.Ordered](s []T) T {
	slices.Sort(s)
	return s[len(s)/2]
}

// copier measures what a copy moves: bytes read and written each second.
type copier struct{ src, dst []float32 }

func newCopier() *copier {
	c := &copier{make([]float32, 16<<20), make([]float32, 16<<20)}
	for i := range c.src {
		c.src[i] = 1
	}
	copy(c.dst, c.src)
	return c
}

func (c *copier) rate() float64 {
	t := time.Now()
	copy(c.dst, c.src)
	return float64(8*len(c.src)) / time.Since(t).Seconds()
}

// timed runs f often enough to take a while and returns the seconds of one.
func timed(f func()) float64 {
	t := time.Now()
	n := 0
	for time.Since(t) < 5*time.Millisecond {
		f()
		n++
	}
	return time.Since(t).Seconds() / float64(n)
}

// BenchmarkSpMM compares with the plain loop, alternating, and with the bound of this
// machine: medians on one core.
func BenchmarkSpMM(b *testing.B) {
	b.Run("f32", benchmarkSpMM[float32])
	b.Run("f64", benchmarkSpMM[float64])
}

func benchmarkSpMM[T dtype.Float](b *testing.B) {
	flops, disk := roof.FMA(ISAs()[0], dtype.Of[T](), 50*time.Millisecond), newCopier()
	for _, g := range graphs[T]() {
		for _, n := range []int{32, 128, 512} {
			b.Run(fmt.Sprintf("graph=%s/n=%d", g.name, n), func(b *testing.B) {
				a := g.make(b)
				pointers, indices, values := a.CSR()
				x, out := layout.New[T](a.Cols(), n), layout.New[T](a.Rows(), n)
				for i := range x.Data {
					x.Data[i] = T(i%17) - 8
				}
				var plain, ours, rates []float64
				for b.Loop() {
					rates = append(rates, disk.rate())
					plain = append(plain, timed(func() { plainRows(out, pointers, indices, values, x) }))
					ours = append(ours, timed(func() { SpMMOpt(Options{Threads: 1}, out, a, x) }))
				}
				t := median(ours)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(2*float64(a.NNZ()*n)/t/1e9, "GFLOP/s")
				b.ReportMetric(median(plain)/t, "x-plain")
				if flops > 0 {
					b.ReportMetric(t/bound(a, indices, n, median(rates), flops), "of-bound")
				}
			})
		}
	}
}

// BenchmarkSpMV reports the share of a copy's bandwidth on matrices beyond the last
// cache.
func BenchmarkSpMV(b *testing.B) {
	disk := newCopier()
	for _, c := range []struct {
		name string
		make func() (sparse.Matrix[float64], error)
	}{
		{"band5", func() (sparse.Matrix[float64], error) { return sample.Banded[float64](2_000_000, 2) }},
		{"band27", func() (sparse.Matrix[float64], error) { return sample.Banded[float64](500_000, 13) }},
		{"band65", func() (sparse.Matrix[float64], error) { return sample.Banded[float64](200_000, 32) }},
		{"uniform64", func() (sparse.Matrix[float64], error) { return sample.Uniform[float64](169_343, 169_343, 64, 1) }},
		{"denserow", func() (sparse.Matrix[float64], error) { return sample.DenseRow[float64](20_000, 10_000_000, 500, 1) }},
	} {
		b.Run("matrix="+c.name, func(b *testing.B) {
			a, err := c.make()
			if err != nil {
				b.Fatal(err)
			}
			m, k := a.Dims()
			pointers, indices, values := a.CSR()
			x, y := layout.New[float64](k, 1), layout.New[float64](m, 1)
			for i := range x.Data {
				x.Data[i] = float64(i%17) - 8
			}
			var plain, ours, rates []float64
			for b.Loop() {
				rates = append(rates, disk.rate())
				plain = append(plain, timed(func() { plainRows(y, pointers, indices, values, x) }))
				ours = append(ours, timed(func() { SpMVOpt(Options{Threads: 1}, y.Data, a, x.Data) }))
			}
			missed := lru(indices, k, 8, machine.This().Caches[machine.L3].Size)
			bytes := float64(12*a.NNZ() + 4*m + 8*m + 8*missed)
			t := median(ours)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(bytes/t/1e9, "GB/s")
			b.ReportMetric(bytes/t/median(rates), "of-copy")
			b.ReportMetric(median(plain)/t, "x-plain")
		})
	}
}

// BenchmarkSpMMSkew reports what matrices whose rows differ much cost, in times of a
// product of uniform rows with as many entries, on one and on two cores.
func BenchmarkSpMMSkew(b *testing.B) {
	const rows, degree, n = 100_000, 10, 64
	flat, err := sample.Uniform[float32](rows, rows, degree, 1)
	if err != nil {
		b.Fatal(err)
	}
	x, out := layout.New[float32](rows, n), layout.New[float32](rows, n)
	for i := range x.Data {
		x.Data[i] = float32(i%17) - 8
	}
	for _, c := range []struct {
		name string
		make func() (sparse.Matrix[float32], error)
	}{
		{"denserow", func() (sparse.Matrix[float32], error) { return thirdInOneRow(rows, degree) }},
		{"densecolumn", func() (sparse.Matrix[float32], error) { return sample.DenseColumn[float32](rows, rows, degree-1, 1) }},
		{"emptyrows", func() (sparse.Matrix[float32], error) { return sample.EmptyRows[float32](rows, rows, 2*degree, 1) }},
		{"rmat", func() (sparse.Matrix[float32], error) {
			return sample.RMAT[float32](rows, rows*degree, .57, .19, .19, 1)
		}},
	} {
		a, err := c.make()
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("matrix=%s/threads=%d", c.name, threads), func(b *testing.B) {
				var even, skew []float64
				for b.Loop() {
					even = append(even, timed(func() { SpMMOpt(Options{Threads: threads}, out, flat, x) }))
					skew = append(skew, timed(func() { SpMMOpt(Options{Threads: threads}, out, a, x) }))
				}
				perEntry := func(t []float64, m sparse.Matrix[float32]) float64 { return median(t) / float64(m.NNZ()) }
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(perEntry(skew, a)/perEntry(even, flat), "of-uniform")
			})
		}
	}
}

// thirdInOneRow is uniform but for one row, with a third of all entries; columns are
// there several times.
func thirdInOneRow(rows, degree int) (sparse.Matrix[float32], error) {
	m, err := sample.Uniform[float32](rows, rows, degree*2/3, 1)
	if err != nil {
		return m, err
	}
	pointers, indices, values := m.CSR()
	at := int(pointers[rows/2])
	more := make([]int32, rows*degree/3)
	for i := range more {
		more[i] = int32(i * 7 % rows)
	}
	indices = slices.Insert(indices, at, more...)
	values = slices.Insert(values, at, make([]float32, len(more))...)
	for i := rows/2 + 1; i <= rows; i++ {
		pointers[i] += int32(len(more))
	}
	return sparse.FromCSR(rows, rows, pointers, indices, values)
}

// BenchmarkSpMMFormats reports the time of each format in times of that of compressed
// rows.
func BenchmarkSpMMFormats(b *testing.B) {
	for _, n := range []int{32, 128} {
		for _, f := range []format.Format{
			format.COO, format.CSC, format.DCSR, format.ELL(171), format.SELL(8, 1), format.SELL(8, 256), format.SRBCRS(4, 8),
		} {
			b.Run(fmt.Sprintf("format=%s/n=%d", f, n), func(b *testing.B) {
				a := readGraph[float32](b, "pubmed")
				p, err := format.Pack(a, f)
				if err != nil {
					b.Fatal(err)
				}
				x, out := layout.New[float32](a.Cols(), n), layout.New[float32](a.Rows(), n)
				var rows, format []float64
				for b.Loop() {
					rows = append(rows, timed(func() { SpMMOpt(Options{Threads: 1}, out, a, x) }))
					format = append(format, timed(func() { SpMMOpt(Options{Threads: 1}, out, p, x) }))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(format)/median(rows), "of-csr")
				b.ReportMetric(p.Padding(), "padding")
			})
		}
	}
}
