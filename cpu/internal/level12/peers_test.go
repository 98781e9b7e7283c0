package level12

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// timed are the routines that BenchmarkPeers times, in the order of testdata/loop.c.
var timed = []string{"dot", "axpy", "nrm2", "gemv", "gemvT", "ger", "symv"}

// loopInC returns testdata/loop.c, compiled.
func loopInC(b *testing.B) (loop func(file string, what int32, times int64, n int32, a, x, y *float64) int32) {
	b.Helper()
	lib := filepath.Join(b.TempDir(), "loop.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-O2", "-o", lib, "testdata/loop.c", "-ldl").CombinedOutput(); err != nil {
		b.Logf("no peers without a C compiler: %v: %s", err, out)
		return nil
	}
	p := peer.Peer{Name: "loop", Libs: []string{lib}, Open: func(lib uintptr) (*peer.Gemm, error) {
		return &peer.Gemm{}, peer.Bind(lib, "level12", &loop)
	}}
	if _, err := p.Load(); err != nil {
		b.Log(err)
		return nil
	}
	return loop
}

// problem is one call of a routine of float64.
type problem struct {
	name           string
	n              int // of vectors, and sides of a matrix
	a, x, y        []float64
	reads, changes int // elements that are read, and read and written
}

// newProblem returns a call that goes over some elements in all.
func newProblem(name string, elements int) problem {
	vector := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i%13) - 6
		}
		return x
	}
	switch p := (problem{name: name, n: elements / 2}); name {
	case "dot", "axpy":
		p.x, p.y, p.reads = vector(p.n), vector(p.n), 2*p.n
		if name == "axpy" {
			p.reads, p.changes = p.n, p.n
		}
		return p
	case "nrm2":
		p.n, p.x, p.reads = elements, vector(elements), elements
		p.y = p.x
		return p
	}
	p := problem{name: name}
	for p.n*p.n < elements {
		p.n++
	}
	p.a, p.x, p.y = vector(p.n*p.n), vector(p.n), vector(p.n)
	switch name {
	case "ger":
		p.changes = p.n * p.n
	case "symv":
		p.reads = p.n * p.n / 2
	default:
		p.reads = p.n * p.n
	}
	return p
}

// inGo returns the call in Go, some times over. alpha keeps what is added to from growing.
func (p problem) inGo(f blas.Float64) func(times int) {
	return func(times int) {
		for range times {
			switch p.name {
			case "dot":
				f.Ddot(p.n, p.x, 1, p.y, 1)
			case "axpy":
				f.Daxpy(p.n, 1e-30, p.x, 1, p.y, 1)
			case "nrm2":
				f.Dnrm2(p.n, p.x, 1)
			case "gemv":
				f.Dgemv(blas.NoTrans, p.n, p.n, 1, p.a, p.n, p.x, 1, 0, p.y, 1)
			case "gemvT":
				f.Dgemv(blas.Trans, p.n, p.n, 1, p.a, p.n, p.x, 1, 0, p.y, 1)
			case "ger":
				f.Dger(p.n, p.n, 1e-30, p.x, 1, p.y, 1, p.a, p.n)
			case "symv":
				f.Dsymv(blas.Lower, p.n, 1, p.a, p.n, p.x, 1, 0, p.y, 1)
			}
		}
	}
}

// BenchmarkPeers times routines of Levels 1 and 2 in L1, in L2 and on four times L3, one thread each and in turns, beside gonum, MKL and
// OpenBLAS if they are there, and beside what one core reads and writes; on four times L3 with all threads, too.
//
//   - GB/s is what a call has to read and write, %roof the time that this takes at the rates of package roof.
//   - xgonum, xmkl, xopenblas are how many times as long those take.
//   - xthreads is how many times as long one thread takes.
func BenchmarkPeers(b *testing.B) {
	loop := loopInC(b)
	libs := map[string]string{}
	for _, name := range []string{"mkl", "openblas"} {
		if g, err := peer.Load(name); err == nil && loop != nil {
			g.SetThreads(1)
			libs[name] = g.Path
		} else {
			b.Logf("without %s: %v", name, err)
		}
	}
	defer run.SetThreads(0)
	var levels []roof.Level
	_, _, l3 := machine.This().Room()
	for at, where := range []struct {
		name     string
		elements int
	}{{"L1", 2000}, {"L2", 20_000}, {"4xL3", max(4*l3, 128<<20) / 8}} {
		for what, name := range timed {
			b.Run(fmt.Sprintf("%s/%s", name, where.name), func(b *testing.B) {
				if levels == nil {
					levels = roof.Bandwidths(run.ISAs()[0], 50*time.Millisecond)
				}
				p := newProblem(name, where.elements)
				run.SetThreads(1)
				names, runs := []string{"gonum"}, []func(int){p.inGo(Float64{}), p.inGo(gonum.Implementation{})}
				a := p.a
				if a == nil {
					a = p.x
				}
				for lib, file := range libs {
					names, runs = append(names, lib), append(runs, func(times int) { loop(file, int32(what), int64(times), int32(p.n), &a[0], &p.x[0], &p.y[0]) })
				}
				seconds := peer.InTurns(runs...)
				level := levels[min(at, len(levels)-1)]
				if where.name == "4xL3" {
					level = levels[len(levels)-1]
				}
				least := 8 * (float64(p.reads)/level.Read + float64(p.changes)/level.Write)
				b.ReportMetric(8*float64(p.reads+2*p.changes)/seconds[0]/1e9, "GB/s")
				b.ReportMetric(100*least/seconds[0], "%roof")
				for i, lib := range names {
					b.ReportMetric(seconds[i+1]/seconds[0], "x"+lib)
				}
				if where.name == "4xL3" {
					run.SetThreads(0)
					b.ReportMetric(seconds[0]/peer.InTurns(p.inGo(Float64{}))[0], "xthreads")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// TestPeersProblems: what is timed is right, beside gonum.
func TestPeersProblems(t *testing.T) {
	for _, name := range timed {
		p, q := newProblem(name, 5000), newProblem(name, 5000)
		p.inGo(Float64{})(1)
		q.inGo(gonum.Implementation{})(1)
		if !slices.Equal(p.y, q.y) || !slices.Equal(p.a, q.a) {
			t.Errorf("%s differs from gonum", name)
		}
	}
}
