package peer_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// cblas12 is Levels 1 and 2 of a library, in float64.
type cblas12 struct {
	ddot  func(n int32, x *float64, incX int32, y *float64, incY int32) float64
	dnrm2 func(n int32, x *float64, incX int32) float64
	daxpy func(n int32, alpha float64, x *float64, incX int32, y *float64, incY int32)
	dgemv func(order, t, m, n int32, alpha float64, a *float64, lda int32, x *float64, incX int32, beta float64, y *float64, incY int32)
	dger  func(order, m, n int32, alpha float64, x *float64, incX int32, y *float64, incY int32, a *float64, lda int32)
	dsymv func(order, ul, n int32, alpha float64, a *float64, lda int32, x *float64, incX int32, beta float64, y *float64, incY int32)
}

// openCBLAS12 opens a library for one thread.
func openCBLAS12(p peer.Peer, one func(lib uintptr) error) (*cblas12, error) {
	var c cblas12
	err := openLibrary(p.Name, p.Libs, func(lib uintptr) error {
		return errors.Join(one(lib), peer.Bind(lib, "cblas_ddot", &c.ddot), peer.Bind(lib, "cblas_dnrm2", &c.dnrm2), peer.Bind(lib, "cblas_daxpy", &c.daxpy),
			peer.Bind(lib, "cblas_dgemv", &c.dgemv), peer.Bind(lib, "cblas_dger", &c.dger), peer.Bind(lib, "cblas_dsymv", &c.dsymv))
	})
	return &c, err
}

// BenchmarkLevel12 times routines of Levels 1 and 2 in L1 and on four times L3 beside MKL, OpenBLAS and gonum, one
// thread each, in turns, and beside what one core reads and writes there; then with all threads.
func BenchmarkLevel12(b *testing.B) {
	libs := map[string]*cblas12{}
	mkl, err := openCBLAS12(peer.MKL, func(lib uintptr) error {
		var layer, threading func(int32) int32
		var set func(int32)
		err := errors.Join(peer.Bind(lib, "MKL_Set_Interface_Layer", &layer), peer.Bind(lib, "MKL_Set_Threading_Layer", &threading), peer.Bind(lib, "MKL_Set_Num_Threads", &set))
		if err == nil {
			layer(0)     // LP64
			threading(1) // sequential
			set(1)
		}
		return err
	})
	if err == nil {
		libs["mkl"] = mkl
	}
	open, err := openCBLAS12(peer.OpenBLAS, func(lib uintptr) error {
		var set func(int32)
		err := peer.Bind(lib, "openblas_set_num_threads", &set)
		if err == nil {
			set(1)
		}
		return err
	})
	if err == nil {
		libs["openblas"] = open
	}
	defer run.SetThreads(0)
	var levels []roof.Level
	far := max(4*machine.This().L3.Size, 128<<20) / 8
	vector := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i%13) - 6
		}
		return x
	}
	for _, where := range []struct {
		name string
		n    int // elements of all operands
	}{{"L1", 1000}, {"L2", 24 << 10}, {"4xL3", far}} {
		for _, name := range []string{"dot", "axpy", "nrm2", "gemv", "gemvT", "ger", "symv"} {
			b.Run(fmt.Sprintf("%s/%s", name, where.name), func(b *testing.B) {
				if levels == nil {
					levels = roof.Bandwidths(run.ISAs()[0], 50*time.Millisecond)
				}
				n, side, reads, changes := where.n, 0, where.n, 0
				var a, x, y []float64
				switch name {
				case "dot":
					x, y = vector(n/2), vector(n/2)
				case "axpy":
					x, y = vector(n/2), vector(n/2)
					reads, changes = n/2, n/2
				case "nrm2":
					x = vector(n)
				default:
					for side*side < n {
						side++
					}
					a, x, y = vector(side*side), vector(side), vector(side)
					reads = side * side
					if name == "ger" {
						reads, changes = 0, side*side
					}
					if name == "symv" {
						reads = side * side / 2
					}
				}
				// alpha keeps what is added to from growing.
				ours := func(f blas.Float64) func(times int) {
					return func(times int) {
						for range times {
							switch name {
							case "dot":
								f.Ddot(len(x), x, 1, y, 1)
							case "axpy":
								f.Daxpy(len(x), 1e-30, x, 1, y, 1)
							case "nrm2":
								f.Dnrm2(len(x), x, 1)
							case "gemv":
								f.Dgemv(blas.NoTrans, side, side, 1, a, side, x, 1, 0, y, 1)
							case "gemvT":
								f.Dgemv(blas.Trans, side, side, 1, a, side, x, 1, 0, y, 1)
							case "ger":
								f.Dger(side, side, 1e-30, x, 1, y, 1, a, side)
							case "symv":
								f.Dsymv(blas.Lower, side, 1, a, side, x, 1, 0, y, 1)
							}
						}
					}
				}
				theirs := func(c *cblas12) func(times int) {
					m := int32(side)
					return func(times int) {
						for range times {
							switch name {
							case "dot":
								c.ddot(int32(len(x)), &x[0], 1, &y[0], 1)
							case "axpy":
								c.daxpy(int32(len(x)), 1e-30, &x[0], 1, &y[0], 1)
							case "nrm2":
								c.dnrm2(int32(len(x)), &x[0], 1)
							case "gemv":
								c.dgemv(101, 111, m, m, 1, &a[0], m, &x[0], 1, 0, &y[0], 1)
							case "gemvT":
								c.dgemv(101, 112, m, m, 1, &a[0], m, &x[0], 1, 0, &y[0], 1)
							case "ger":
								c.dger(101, m, m, 1e-30, &x[0], 1, &y[0], 1, &a[0], m)
							case "symv":
								c.dsymv(101, 122, m, 1, &a[0], m, &x[0], 1, 0, &y[0], 1)
							}
						}
					}
				}
				run.SetThreads(1)
				names, runs := []string{"gonum"}, []func(int){ours(cpu.BLAS64{}), ours(gonum.Implementation{})}
				for lib, c := range libs {
					names, runs = append(names, lib), append(runs, theirs(c))
				}
				seconds := peer.InTurns(runs...)
				level := levels[len(levels)-1]
				if where.name != "4xL3" {
					level = levels[map[string]int{"L1": 0, "L2": 1}[where.name]]
				}
				least := 8 * (float64(reads)/level.Read + float64(changes)/level.Write)
				b.ReportMetric(8*float64(reads+2*changes)/seconds[0]/1e9, "GB/s")
				b.ReportMetric(100*least/seconds[0], "%roof")
				for i, lib := range names {
					b.ReportMetric(seconds[i+1]/seconds[0], "x"+lib)
				}
				if where.name == "4xL3" {
					run.SetThreads(0)
					b.ReportMetric(seconds[0]/peer.InTurns(ours(cpu.BLAS64{}))[0], "xthreads")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
