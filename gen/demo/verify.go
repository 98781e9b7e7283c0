package demo

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A verdict is what the oracles say of one variant.
type verdict struct {
	name, isa string
	typ       dtype.Type
	calls     int64
	worst     float64 // the largest difference from gonum, as a share of its bound
	failures  []string
}

// verify returns one check for each variant of p: the exact and the interval
// oracle on the whole suite, then gonum.
func verify[T dtype.Float](s settings, p Product[T]) []func() verdict {
	var checks []func() verdict
	for _, isa := range s.isas {
		checks = append(checks, func() verdict {
			v := verdict{name: p.Name, isa: isa, typ: dtype.Of[T]()}
			var calls atomic.Int64
			var r check.Recorder
			check.Suite(&r, func(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
				calls.Add(1)
				p.Gemm(run.Options{ISA: isa, Scaling: run.Scale(float64(alpha), float64(beta))}, out, a, b)
			}, check.Options{MR: p.MR, NR: p.NR, KC: tiling.KCMax, Threads: true, Checked: true})
			v.failures = r.Failures
			for _, s := range []check.Shape{{M: 1, N: 1, K: 1}, {M: 64, N: 64, K: 64}, {M: 37, N: 129, K: 511}, {M: 130, N: 67, K: 1025}} {
				calls.Add(1)
				worst, err := p.againstGonum(isa, s)
				if err != nil {
					v.failures = append(v.failures, err.Error())
				}
				v.worst = max(v.worst, worst)
			}
			v.calls = calls.Load()
			return v
		})
	}
	return checks
}

// againstGonum compares one product of random numbers with gonum's, called
// directly: what is registered with blas32 and blas64 may be us. Each of the two
// results is within gamma_k*sum|a||b| of the real one [Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., sec. 3.5].
func (p Product[T]) againstGonum(isa string, s check.Shape) (worst float64, err error) {
	a, b := random[T](s.M, s.K), random[T](s.K, s.N)
	have, want := layout.New[T](s.M, s.N), layout.New[T](s.M, s.N)
	p.Gemm(run.Options{ISA: isa}, have, a, b)
	byGonum(want, a, b)
	u := 0x1p-24
	if dtype.Of[T]() == dtype.F64 {
		u = 0x1p-53
	}
	gamma := float64(s.K) * u / (1 - float64(s.K)*u)
	for i := range s.M {
		for j := range s.N {
			abs := 0.0
			for k := range s.K {
				abs += math.Abs(float64(a.At(i, k)) * float64(b.At(k, j)))
			}
			share := math.Abs(float64(have.At(i, j))-float64(want.At(i, j))) / (2.01 * gamma * abs)
			worst = max(worst, share) // max keeps a NaN
		}
	}
	if !(worst <= 1) {
		err = fmt.Errorf("%v: the largest difference from gonum is %.3g times its bound", s, worst)
	}
	return worst, err
}

// byGonum sets out = a*b; all three are row-major.
func byGonum[T dtype.Float](out, a, b layout.Matrix[T]) {
	const no = blas.NoTrans
	switch c := any(out.Data).(type) {
	case []float32:
		gonum.Implementation{}.Sgemm(no, no, out.Rows, out.Cols, a.Cols, 1, any(a.Data).([]float32), a.RowStride, any(b.Data).([]float32), b.RowStride, 0, c, out.RowStride)
	case []float64:
		gonum.Implementation{}.Dgemm(no, no, out.Rows, out.Cols, a.Cols, 1, any(a.Data).([]float64), a.RowStride, any(b.Data).([]float64), b.RowStride, 0, c, out.RowStride)
	}
}

func random[T dtype.Float](rows, cols int) layout.Matrix[T] {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	m := layout.New[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(r.NormFloat64())
	}
	return m
}

// runAll runs the checks on all cores and returns their verdicts in order.
func runAll(checks []func() verdict) []verdict {
	verdicts := make([]verdict, len(checks))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(checks), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(checks)); i = next.Add(1) - 1 {
				verdicts[i] = checks[i]()
			}
		})
	}
	wg.Wait()
	return verdicts
}

// report prints the verdicts and reports whether all are good.
func report(out, log io.Writer, verdicts []verdict) bool {
	good := true
	rows := [][]string{{"product", "type", "isa", "products", "exact and interval oracle", "difference from gonum / bound"}}
	for _, v := range verdicts {
		word := "all right"
		if v.failures != nil {
			good, word = false, fmt.Sprintf("WRONG: %d checks", len(v.failures))
			for _, f := range v.failures[:min(len(v.failures), 3)] {
				fmt.Fprintf(log, "tilesmith: %s, isa=%s: %s\n", v.name, v.isa, f)
			}
		}
		rows = append(rows, []string{v.name, v.typ.String(), v.isa, fmt.Sprint(v.calls), word, fmt.Sprintf("%.3f", v.worst)})
	}
	table(out, "verified against the oracles in float64 and integers, and gonum", rows)
	return good
}
