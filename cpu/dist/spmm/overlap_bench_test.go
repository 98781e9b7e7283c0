package spmm

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// timeProduct returns the median time of a product on two ranks of one thread, and of
// the exchange of rows without a product.
func timeProduct(b *testing.B, on comm.Local, a sparse.Matrix[float32], owners []int32, f, chunks int) (product, exchange float64) {
	b.Helper()
	err := on.Run(2, func(c *comm.Comm) error {
		p, err := parts.Divide(a, c.Rank(), 2, owners, nil)
		if err != nil {
			return err
		}
		s, err := New(c, p, Options{Chunks: chunks})
		if err != nil {
			return err
		}
		m, err := s.Product(f)
		if err != nil {
			return err
		}
		y, own := layout.New[float32](len(s.Rows()), f), m.B()
		for i := range own.Data {
			own.Data[i] = float32(i % 13)
		}
		t := median(21, func() {
			if e := m.Multiply(cpu.Options{Threads: 1}, y, own); e != nil {
				err = e
			}
		})
		bare, e := New(c, p, Options{})
		if e != nil {
			return e
		}
		none, e := bare.Product(f)
		if e != nil {
			return e
		}
		x := median(21, func() {
			if e := none.Each(cpu.Options{}, none.B(), func(RowBlock[float32]) {}); e != nil {
				err = e
			}
		})
		if c.Rank() == 0 {
			product, exchange = t, x
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return product, exchange
}

// BenchmarkSpMMOverlap sets latency and bandwidth so that communication takes as long as the
// product, and compares the time of a product with the sum of both.
func BenchmarkSpMMOverlap(b *testing.B) {
	const f = 512
	pubmed := dataMatrix[float32](b, "pubmed")
	uniform, err := sample.Uniform[float32](8000, 8000, 24, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		a      sparse.Matrix[float32]
		owners []int32
	}{{"pubmed-hypergraph", pubmed, partitioned(b, pubmed, 2)}, {"pubmed-rows", pubmed, ranktest.InOrder(pubmed.Rows(), 2)}, {"uniform", uniform, ranktest.InOrder(8000, 2)}} {
		rows, _ := volume(x.a, x.owners, x.owners)
		for _, chunks := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/chunks=%d", x.name, chunks), func(b *testing.B) {
				for range b.N {
					compute, _ := timeProduct(b, comm.Local{}, x.a, x.owners, f, 1)
					// Each rank sends about half of the rows, at the same time as the other.
					slow := comm.Local{Link: cost.Link{Latency: 100e-6, Bandwidth: float64(rows/2*4*f) / (compute - 100e-6)}}
					product, exchange := timeProduct(b, slow, x.a, x.owners, f, chunks)
					b.ReportMetric(compute*1e3, "ms/compute")
					b.ReportMetric(exchange*1e3, "ms/communicate")
					b.ReportMetric(product*1e3, "ms/both")
					b.ReportMetric(product/(compute+exchange), "of-sum")
				}
			})
		}
	}
}
