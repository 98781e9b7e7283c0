package spmm

import (
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
)

// median calls f rounds times and returns the median of its seconds.
func median(rounds int, f func()) float64 {
	all := make([]float64, rounds)
	for i := range all {
		start := time.Now()
		f()
		all[i] = time.Since(start).Seconds()
	}
	slices.Sort(all)
	return all[rounds/2]
}

// partitioned divides the rows of a into p parts by its hypergraph.
func partitioned[T dtype.Float](t testing.TB, a sparse.Matrix[T], p int) []int32 {
	weights := make([]int32, a.Rows())
	for i := range weights {
		weights[i] = int32(a.RowNNZ(i) + 4) // a row of Y and one of B are moved too
	}
	h, err := part.ColumnNet(a, part.Model{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	all, err := part.Make(h, p, part.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return all.Parts()
}

// BenchmarkSpMMTwoRanks compares a product on two ranks of one thread with that on two
// threads, in the same run. The bound of the former is the time of the latter and that
// of copying the halo.
func BenchmarkSpMMTwoRanks(b *testing.B) {
	const f, rounds, calls = 128, 15, 41
	a := dataMatrix[float32](b, "pubmed")
	x, y := layout.New[float32](a.Cols(), f), layout.New[float32](a.Rows(), f)
	for i := range x.Data {
		x.Data[i] = float32(i % 13)
	}
	for name, owners := range map[string][]int32{"hypergraph": partitioned(b, a, 2), "rows": ranktest.InOrder(a.Rows(), 2)} {
		b.Run(name, func(b *testing.B) {
			sent, _ := volume(a, owners, owners)
			from, to := make([]byte, 4*f*sent), make([]byte, 4*f*sent)
			for range b.N {
				var two, one, copied, ranks []float64
				begin, end := make(chan bool), make(chan float64)
				failed := make(chan error, 1)
				go func() {
					failed <- comm.Run(2, func(c *comm.Comm) error {
						p, err := parts.Divide(a, c.Rank(), 2, owners, nil)
						if err != nil {
							return err
						}
						s, err := New(c, p, Options{})
						if err != nil {
							return err
						}
						m, err := s.Product(f)
						if err != nil {
							return err
						}
						mine, own := layout.New[float32](len(s.Rows()), f), m.B()
						for i := range own.Data {
							own.Data[i] = float32(i % 13)
						}
						if c.Rank() == 0 {
							b.ReportMetric(100*s.Overlapped(), "%overlapped")
						}
						for <-begin {
							t := median(calls, func() {
								if e := m.Multiply(cpu.Options{Threads: 1}, mine, own); e != nil {
									err = e
								}
							})
							if err != nil {
								return err
							}
							end <- t
						}
						return nil
					})
				}()
				for range rounds {
					two = append(two, median(calls, func() { cpu.SpMMOpt(cpu.Options{Threads: 2}, y, a, x) }))
					one = append(one, median(calls, func() { cpu.SpMMOpt(cpu.Options{Threads: 1}, y, a, x) }))
					copied = append(copied, median(calls, func() { copy(to, from) }))
					begin <- true
					begin <- true
					ranks = append(ranks, max(<-end, <-end))
				}
				begin <- false
				begin <- false
				if err := <-failed; err != nil {
					b.Fatal(err)
				}
				report := func(what string, all []float64) float64 {
					slices.Sort(all)
					b.ReportMetric(all[len(all)/2]*1e6, "us/"+what)
					return all[len(all)/2]
				}
				bound := report("two-threads", two) + report("copy", copied)
				report("one-thread", one)
				b.ReportMetric(bound/report("two-ranks", ranks), "of-bound")
				b.ReportMetric(float64(sent), "rows-sent")
			}
		})
	}
}
