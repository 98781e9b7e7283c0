package check

import (
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// The matrix of benchmarks of sparse products, unless the format or a fixed number of
// features asks for something else. It is a graph of the size of pubmed.
const (
	benchNodes    = 1 << 14
	benchEntries  = 100_000
	benchFeatures = 128
)

// BenchmarkSpMM times a case and reports GFLOP/s of the product, after it has compared
// the case with the oracle. The graph has a power law, or equal degrees if the format
// holds no other.
func BenchmarkSpMM[T dtype.Float](b *testing.B, isa string, c SpMMCase[T]) {
	b.Run("isa="+isa, func(b *testing.B) {
		n := benchFeatures
		if c.Features > 0 {
			n = c.Features
		}
		m := must(sample.RMAT[T](benchNodes, benchEntries, 0.57, 0.19, 0.19, 1))
		p, err := c.problem(m, n, false, 0)
		if err != nil {
			m = must(sample.Uniform[T](benchNodes, benchNodes, c.degree(), 1))
			if p, err = c.problem(m, n, false, 0); err != nil {
				b.Skip(err)
			}
		}
		c.Call(p)
		if err := c.look(p); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c.Call(p)
		}
		report(b, m.NNZ()*n)
	})
}

// BenchmarkSDDMM is [BenchmarkSpMM] for a sampled product.
func BenchmarkSDDMM[T dtype.Float](b *testing.B, isa string, c SDDMMCase[T]) {
	b.Run("isa="+isa, func(b *testing.B) {
		n := benchFeatures
		if c.Features > 0 {
			n = c.Features
		}
		m := must(sample.RMAT[T](benchNodes, benchEntries, 0.57, 0.19, 0.19, 1))
		p := c.problem(m, n, false, 0)
		c.Call(p)
		if err := c.look(p); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			c.Call(p)
		}
		report(b, m.NNZ()*n)
	})
}

// report adds the rate of so many multiply-adds an operation.
func report(b *testing.B, macs int) {
	b.Helper()
	b.ReportMetric(2*float64(macs)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
