package spmm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// grid is the pattern of a side x side grid with five points, and square blocks of it for p
// ranks, of which there are a square number.
func grid(t testing.TB, side, p int) (a sparse.Matrix[float32], owners []int32) {
	n := side * side
	pointers, indices := []int32{0}, make([]int32, 0, 5*n)
	blocks := 1
	for blocks*blocks < p {
		blocks++
	}
	for i := range side {
		for j := range side {
			for _, d := range [][2]int{{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}} {
				if x, y := i+d[0], j+d[1]; x >= 0 && x < side && y >= 0 && y < side {
					indices = append(indices, int32(x*side+y))
				}
			}
			pointers = append(pointers, int32(len(indices)))
			owners = append(owners, int32(i*blocks/side*blocks+j*blocks/side))
		}
	}
	a, err := sparse.FromCSR(n, n, pointers, indices, slices.Repeat([]float32{1}, len(indices)))
	if err != nil {
		t.Fatal(err)
	}
	return a, owners
}

// BenchmarkPredict compares predicted with measured time on two ranks of a transport with
// stated latency and bandwidth, by rates that were measured with one rank's matrix.
func BenchmarkPredict(b *testing.B) {
	const f = 512
	pubmed := dataMatrix[float32](b, "pubmed")
	for name, owners := range map[string][]int32{"hypergraph": partitioned(b, pubmed, 2), "rows": ranktest.InOrder(pubmed.Rows(), 2)} {
		for _, bandwidth := range []float64{2e8, 1e9, 5e9} {
			b.Run(fmt.Sprintf("%s/%.1fGBs", name, bandwidth/1e9), func(b *testing.B) {
				for range b.N {
					p, err := parts.Divide(pubmed, 0, 2, owners, nil)
					if err != nil {
						b.Fatal(err)
					}
					rates, err := MeasureRates(p.A, f, 2)
					if err != nil {
						b.Fatal(err)
					}
					traffic, err := CountTraffic(pubmed, 2, owners, nil, false)
					if err != nil {
						b.Fatal(err)
					}
					times, err := traffic.Predict(cost.Link{Latency: 100e-6, Bandwidth: bandwidth}, rates, 4*f, 1)
					if err != nil {
						b.Fatal(err)
					}
					product, _ := timeProduct(b, comm.Local{Link: cost.Link{Latency: 100e-6, Bandwidth: bandwidth}}, pubmed, owners, f, 1)
					b.ReportMetric(slices.Max(times)*1e3, "ms/predicted")
					b.ReportMetric(product*1e3, "ms/measured")
					b.ReportMetric(slices.Max(times)/product, "predicted-of-measured")
				}
			})
		}
	}
}

// BenchmarkVirtual is virtual time for up to 4,096 ranks, by rates that are measured alone.
func BenchmarkVirtual(b *testing.B) {
	const side, f = 1024, 128
	net := cost.Link{Latency: 2e-6, Bandwidth: 12.5e9}
	for _, p := range []int{1, 4, 16, 64, 256, 1024, 4096} {
		b.Run(fmt.Sprintf("ranks=%d", p), func(b *testing.B) {
			a, owners := grid(b, side, p)
			for range b.N {
				share, err := parts.Divide(a, 0, p, owners, nil)
				if err != nil {
					b.Fatal(err)
				}
				rates, err := MeasureRates(share.A, f, 1) // of a share as large as all others
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				traffic, err := CountTraffic(a, p, owners, nil, false)
				if err != nil {
					b.Fatal(err)
				}
				times, err := traffic.Predict(net, rates, 4*f, 1)
				if err != nil {
					b.Fatal(err)
				}
				bytes, most := traffic.Bytes(f, 4)
				b.ReportMetric(time.Since(start).Seconds(), "s/planning")
				b.ReportMetric(slices.Max(times)*1e3, "ms/virtual")
				b.ReportMetric(float64(bytes)/1e6, "MB/sent")
				b.ReportMetric(float64(most)/1e3, "KB/rank")
				b.ReportMetric(float64(traffic.Messages()), "messages")
				b.ReportMetric(rates.Entry*1e9, "ns/entry")
			}
		})
	}
}
