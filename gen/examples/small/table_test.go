package small

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkTable compares these kernels with those that libxsmm generates for the same
// shapes when it is asked to, and with OpenBLAS: one thread, in turns, medians, and no
// timing before every element was compared with a plain loop. The direct call is timed
// from Go, a peer's from a loop in C ([peer.Repeat]), which has libxsmm's kernel by its
// address. A batch is 1000 products whose matrices lie side by side.
//
//	OPENBLAS_CORETYPE=SkylakeX \
//		go test -run '^$' -bench Table -benchtime 1x ./gen/examples/small
//
// One line is -bench 'Table/f32/n=8$'. The ceiling is that of multiply-adds in
// registers. A peer without a number is not there, or has no such product.
func BenchmarkTable(b *testing.B) {
	loop, err := peer.OpenLoop()
	if err != nil {
		b.Skip(err)
	}
	t := &table{loop: loop}
	fmt.Printf("\nmachine: %d CPUs, %s; ISAs %s\n", runtime.NumCPU(), runtime.Version(), strings.Join(run.ISAs(), " "))
	for _, name := range []string{"libxsmm", "openblas"} {
		g, err := peer.Load(name)
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Printf("no %s: %s\n", name, first)
			continue
		}
		g.SetThreads(1)
		fmt.Printf("peer: %s: %s %s\n", g.Name, g.Version, g.Note)
		t.peers = append(t.peers, g)
	}
	row(b, t, 8, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[8 * 8]float32)(c), (*[8 * 8]float32)(a), (*[8 * 8]float32)(b)
		return func(times int) {
			for range times {
				SGEMM8Arrays(z, x, y)
			}
		}
	})
	row(b, t, 13, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[13 * 13]float32)(c), (*[13 * 13]float32)(a), (*[13 * 13]float32)(b)
		return func(times int) {
			for range times {
				SGEMM13Arrays(z, x, y)
			}
		}
	})
	row(b, t, 16, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[16 * 16]float32)(c), (*[16 * 16]float32)(a), (*[16 * 16]float32)(b)
		return func(times int) {
			for range times {
				SGEMM16Arrays(z, x, y)
			}
		}
	})
	row(b, t, 23, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[23 * 23]float32)(c), (*[23 * 23]float32)(a), (*[23 * 23]float32)(b)
		return func(times int) {
			for range times {
				SGEMM23Arrays(z, x, y)
			}
		}
	})
	row(b, t, 32, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[32 * 32]float32)(c), (*[32 * 32]float32)(a), (*[32 * 32]float32)(b)
		return func(times int) {
			for range times {
				SGEMM32Arrays(z, x, y)
			}
		}
	})
	row(b, t, 48, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[48 * 48]float32)(c), (*[48 * 48]float32)(a), (*[48 * 48]float32)(b)
		return func(times int) {
			for range times {
				SGEMM48Arrays(z, x, y)
			}
		}
	})
	row(b, t, 64, 1, func(c, a, b []float32) func(int) {
		z, x, y := (*[64 * 64]float32)(c), (*[64 * 64]float32)(a), (*[64 * 64]float32)(b)
		return func(times int) {
			for range times {
				SGEMM64Arrays(z, x, y)
			}
		}
	})
	row(b, t, 8, 1, func(c, a, b []float64) func(int) {
		z, x, y := (*[8 * 8]float64)(c), (*[8 * 8]float64)(a), (*[8 * 8]float64)(b)
		return func(times int) {
			for range times {
				DGEMM8Arrays(z, x, y)
			}
		}
	})
	row(b, t, 23, 1, func(c, a, b []float64) func(int) {
		z, x, y := (*[23 * 23]float64)(c), (*[23 * 23]float64)(a), (*[23 * 23]float64)(b)
		return func(times int) {
			for range times {
				DGEMM23Arrays(z, x, y)
			}
		}
	})
	row(b, t, 32, 1, func(c, a, b []float64) func(int) {
		z, x, y := (*[32 * 32]float64)(c), (*[32 * 32]float64)(a), (*[32 * 32]float64)(b)
		return func(times int) {
			for range times {
				DGEMM32Arrays(z, x, y)
			}
		}
	})
	const many = 1000
	row(b, t, 16, many, func(c, a, b []float32) func(int) {
		return func(times int) {
			for range times {
				SGEMM16BatchOpt(run.Options{Threads: 1}, sGEMM16Fixed.Dense(many), c, a, b)
			}
		}
	})
	row(b, t, 32, many, func(c, a, b []float32) func(int) {
		return func(times int) {
			for range times {
				SGEMM32BatchOpt(run.Options{Threads: 1}, sGEMM32Fixed.Dense(many), c, a, b)
			}
		}
	})
	if len(t.rows) > 0 {
		fmt.Printf("\n%s\n\n", strings.Join(t.rows, "\n"))
	}
}

type table struct {
	loop  *peer.Loop
	peers []*peer.Gemm
	rows  []string // printed at the end, not among the lines of the benchmark
}

// row times count products of n x n matrices by the function that ours returns, and by
// the peers.
func row[T dtype.Float](b *testing.B, t *table, n, count int, ours func(c, x, y []T) func(times int)) {
	typ := dtype.Of[T]()
	name := fmt.Sprintf("%v/n=%d", typ, n)
	if count > 1 {
		name = fmt.Sprintf("%v/batch=%d/n=%d", typ, count, n)
	}
	b.Run(name, func(b *testing.B) {
		r := rand.New(level.PCG(uint64(n), 1))
		x, y, z := make([]T, count*n*n), make([]T, count*n*n), make([]T, count*n*n)
		for i := range x {
			x[i], y[i] = T(r.NormFloat64()), T(r.NormFloat64())
		}
		names, runs := []string{"ours"}, []func(times int){ours(z, x, y)}
		operand := func(data []T) peer.Operand[T] { return peer.Operand[T]{Data: data, LD: n, Stride: n * n} }
		for _, g := range t.peers {
			f, err := peer.Repeat(t.loop, g, false, false, count, n, n, n, operand(x), operand(y), operand(z))
			if err != nil {
				fmt.Println(err)
				continue
			}
			names, runs = append(names, g.Name), append(runs, f)
		}
		for i, f := range runs {
			clear(z)
			f(1)
			compare(b, names[i], n, z, x, y)
		}
		isa := run.ISAs()[0]
		ceiling := roof.FMA(isa, typ, 2*time.Millisecond)
		var seconds []float64
		for b.Loop() {
			seconds = peer.InTurns(runs...)
		}
		ceiling = max(ceiling, roof.FMA(isa, typ, 2*time.Millisecond))

		flops := float64(count) * 2 * float64(n) * float64(n) * float64(n)
		var line strings.Builder
		fmt.Fprintf(&line, "%-22s %6.1f GFLOP/s %5.1f %% of the ceiling, %.4g ns", name, flops/seconds[0]/1e9, 100*flops/seconds[0]/ceiling, seconds[0]*1e9)
		for i, name := range names[1:] {
			s := seconds[i+1]
			fmt.Fprintf(&line, "   %s %6.1f GFLOP/s %5.1f %%, ours %.2fx", name, flops/s/1e9, 100*flops/s/ceiling, s/seconds[0])
			b.ReportMetric(s/seconds[0], "x/"+name)
		}
		t.rows = append(t.rows, line.String())
		b.ReportMetric(seconds[0]*1e9, "ns/op")
		b.ReportMetric(flops/seconds[0]/1e9, "GFLOP/s")
	})
}

// compare stops the benchmark at an element that a plain loop finds otherwise.
func compare[T dtype.Float](b *testing.B, what string, n int, z, x, y []T) {
	b.Helper()
	eps := map[dtype.Type]float64{dtype.F32: 1.2e-7, dtype.F64: 2.3e-16}[dtype.Of[T]()]
	for p := range len(z) / (n * n) {
		for i := range n {
			for j := range n {
				at, sum, abs := p*n*n, 0.0, 0.0
				for k := range n {
					term := float64(x[at+i*n+k]) * float64(y[at+k*n+j])
					sum, abs = sum+term, abs+max(term, -term)
				}
				if d := sum - float64(z[at+i*n+j]); !(max(d, -d) <= abs*eps*float64(n)) {
					b.Fatalf("%s: element (%d, %d) of product %d is %v, the plain loop gives %v", what, i, j, p, z[at+i*n+j], sum)
				}
			}
		}
	}
}
