package peer_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// BenchmarkLevel3Table compares Level 3 of the BLAS with other libraries: one thread, in turns, medians, and no timing before
// results agree. What is not computed is not counted. A line says our GFLOP/s, which share of our own gemm's that is, and how many
// times as fast as each peer we are; a peer's time includes the call from Go into C, of some hundred nanoseconds.
//
//	OPENBLAS_CORETYPE=SkylakeX BLIS_ARCH_TYPE=0 go test -run '^$' -bench Level3Table -benchtime 1x -timeout 30m ./verify/peer
func BenchmarkLevel3Table(b *testing.B) {
	fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", cpuModel(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	var gs []*peer.Gemm
	for _, g := range peer.Available() {
		if slices.Contains([]string{"mkl", "openblas", "blis"}, g.Name) {
			g.SetThreads(1)
			fmt.Printf("peer: %s: %s %s\n", g.Name, g.Version, g.Note)
			gs = append(gs, g)
		}
	}
	cpu.SetThreads(1)
	defer cpu.SetThreads(0)
	level3Rows(b, "f32", gs, peer.Level3Of32, ours32, func(x complex128) float32 { return float32(real(x)) }, 1)
	level3Rows(b, "f64", gs, peer.Level3Of64, ours64, func(x complex128) float64 { return real(x) }, 1)
	level3Rows(b, "c128", gs, peer.Level3Of128, ours128, func(x complex128) complex128 { return x }, 4)
}

var ours32 = &peer.Level3[float32]{
	Gemm: func(n int, x, y, z []float32) {
		cpu.BLAS32{}.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
	},
	Symm: func(n int, x, y, z []float32) {
		cpu.BLAS32{}.Ssymm(blas.Left, blas.Lower, n, n, 1, x, n, y, n, 0, z, n)
	},
	Syrk: func(n int, x, z []float32) { cpu.BLAS32{}.Ssyrk(blas.Lower, blas.NoTrans, n, n, 1, x, n, 0, z, n) },
	Trmm: func(n int, x, y []float32) {
		cpu.BLAS32{}.Strmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
	Trsm: func(n int, x, y []float32) {
		cpu.BLAS32{}.Strsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
}

var ours64 = &peer.Level3[float64]{
	Gemm: func(n int, x, y, z []float64) {
		cpu.BLAS64{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
	},
	Symm: func(n int, x, y, z []float64) {
		cpu.BLAS64{}.Dsymm(blas.Left, blas.Lower, n, n, 1, x, n, y, n, 0, z, n)
	},
	Syrk: func(n int, x, z []float64) { cpu.BLAS64{}.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, x, n, 0, z, n) },
	Trmm: func(n int, x, y []float64) {
		cpu.BLAS64{}.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
	Trsm: func(n int, x, y []float64) {
		cpu.BLAS64{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
}

var ours128 = &peer.Level3[complex128]{
	Gemm: func(n int, x, y, z []complex128) {
		cpu.CBLAS128{}.Zgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
	},
	Symm: func(n int, x, y, z []complex128) {
		cpu.CBLAS128{}.Zhemm(blas.Left, blas.Lower, n, n, 1, x, n, y, n, 0, z, n)
	},
	Syrk: func(n int, x, z []complex128) {
		cpu.CBLAS128{}.Zherk(blas.Lower, blas.NoTrans, n, n, 1, x, n, 0, z, n)
	},
	Trmm: func(n int, x, y []complex128) {
		cpu.CBLAS128{}.Ztrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
	Trsm: func(n int, x, y []complex128) {
		cpu.CBLAS128{}.Ztrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, x, n, y, n)
	},
}

func level3Rows[T float32 | float64 | complex128](b *testing.B, typ string, gs []*peer.Gemm, open func(*peer.Gemm) (*peer.Level3[T], error), ours *peer.Level3[T], from func(complex128) T, per float64) {
	libs, names := []*peer.Level3[T]{ours}, []string{"ours"}
	for _, g := range gs {
		l, err := open(g)
		if err != nil {
			b.Fatal(err)
		}
		libs, names = append(libs, l), append(names, g.Name)
	}
	var lines []string
	for _, n := range []int{16, 32, 64, 512, 1024} {
		r := rand.New(level.PCG(uint64(n), 2))
		x, y := make([]T, n*n), make([]T, n*n)
		for i := range x { // so that powers of it neither grow nor vanish soon
			x[i], y[i] = from(complex(r.NormFloat64(), r.NormFloat64())/complex(float64(8*n), 0)), from(complex(r.NormFloat64(), r.NormFloat64()))
			if i%(n+1) == 0 {
				x[i] = 1
			}
		}
		for _, c := range []struct {
			name  string
			flops float64
			call  func(l *peer.Level3[T], in, out []T)
		}{
			{"gemm", 2, func(l *peer.Level3[T], in, out []T) { l.Gemm(n, x, in, out) }},
			{"symm", 2, func(l *peer.Level3[T], in, out []T) { l.Symm(n, x, in, out) }},
			{"syrk", 1, func(l *peer.Level3[T], in, out []T) { l.Syrk(n, in, out) }},
			{"trmm", 1, func(l *peer.Level3[T], _, out []T) { l.Trmm(n, x, out) }},
			{"trsm", 1, func(l *peer.Level3[T], _, out []T) { l.Trsm(n, x, out) }},
		} {
			b.Run(fmt.Sprintf("%s/%s/n=%d", typ, c.name, n), func(b *testing.B) {
				runs := make([]func(int), 0, len(libs)+1)
				var first []T
				for i, l := range libs {
					out := slices.Clone(y)
					if c.call(l, y, out); i == 0 {
						first = out
					} else if d := far(first, out, n); d > 1 {
						b.Fatalf("%s differs from ours by %v of what rounding explains", names[i], d)
					}
					out = slices.Clone(y)
					runs = append(runs, func(times int) {
						for range times {
							c.call(l, y, out)
						}
					})
				}
				z := slices.Clone(y)
				runs = append(runs, func(times int) {
					for range times {
						ours.Gemm(n, x, y, z)
					}
				})
				var seconds []float64
				for b.Loop() {
					seconds = peer.InTurns(runs...)
				}
				own := seconds[len(libs)] / seconds[0] * c.flops / 2
				speed := per * c.flops * float64(n) * float64(n) * float64(n) / seconds[0] / 1e9
				line := fmt.Sprintf("%-4s %s %5d %7.1f GFLOP/s %4.0f %% of gemm", typ, c.name, n, speed, 100*own)
				for i, name := range names[1:] {
					line += fmt.Sprintf("  %s %.2fx", name, seconds[1+i]/seconds[0])
				}
				lines = append(lines, line)
				b.ReportMetric(speed, "GFLOP/s")
			})
		}
	}
	fmt.Printf("\n%s\n\n", strings.Join(lines, "\n"))
}

// far is the largest difference of two results, in units of what rounding n sums explains.
func far[T float32 | float64 | complex128](x, y []T, n int) (most float64) {
	wide := func(x T) complex128 {
		switch x := any(x).(type) {
		case float32:
			return complex(float64(x), 0)
		case float64:
			return complex(x, 0)
		}
		return any(x).(complex128)
	}
	eps := 0x1p-52
	if _, ok := any(x[0]).(float32); ok {
		eps = 0x1p-23
	}
	for i := range x {
		d := cmplx.Abs(wide(x[i])-wide(y[i])) / (eps * float64(n) * (1 + cmplx.Abs(wide(y[i]))))
		if !(d <= most) {
			most = d
		}
	}
	return most
}
