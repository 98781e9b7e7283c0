package formats

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// realMatrices lists the matrices that lie beside the repository.
func realMatrices(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob("../../../../../shared/data/*.mtx")
	if files == nil {
		t.Skip("there are no real matrices beside this checkout; generated ones are tested all the same")
	}
	return files
}

// regretCase is a matrix that formats are chosen for.
type regretCase struct {
	name string
	make func() (sparse.Matrix[float32], error)
}

// regretCases are the real matrices, but for what are vectors, and made-up ones of each
// structure that a format is for.
func regretCases() []regretCase {
	var all []regretCase
	files, _ := filepath.Glob("../../../../../shared/data/*.mtx")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mtx")
		if m, err := ReadMatrix[float32](file, 0, io.Discard); err == nil && m.Cols() > 2 {
			all = append(all, regretCase{name, func() (sparse.Matrix[float32], error) { return m, nil }})
		}
	}
	type matrix = sparse.Matrix[float32]
	return append(all, []regretCase{
		{"made-block16", func() (matrix, error) { return sample.Blocks[float32](4096, 4096, 16, .02, 1) }},
		{"made-block16-small", func() (matrix, error) { return sample.Blocks[float32](1024, 1024, 16, .03, 1) }},
		{"made-block8", func() (matrix, error) { return sample.Blocks[float32](2048, 2048, 8, .05, 1) }},
		{"made-block4", func() (matrix, error) { return sample.Blocks[float32](2048, 2048, 4, .05, 1) }},
		{"made-block3", func() (matrix, error) { return sample.Blocks[float32](3000, 3000, 3, .02, 1) }},
		{"made-butterfly", func() (matrix, error) { return sample.Butterfly[float32](4096, 32) }},
		{"made-hypersparse", func() (matrix, error) { return sample.RMAT[float32](200000, 10000, .25, .25, .25, 1) }},
		{"made-empty-rows", func() (matrix, error) { return sample.EmptyRows[float32](20000, 20000, 6, 1) }},
		{"made-banded", func() (matrix, error) { return sample.Banded[float32](20000, 4) }},
		{"made-diagonals", func() (matrix, error) {
			return sample.Diagonals[float32](20000, 20000, -100, -1, 0, 1, 100)
		}},
		{"made-power-law", func() (matrix, error) {
			r, err := sample.Find("pubmed")
			if err != nil {
				return matrix{}, err
			}
			return sample.Make[float32](r, 1)
		}},
		{"made-rmat", func() (matrix, error) { return sample.RMAT[float32](40000, 400000, .57, .19, .19, 1) }},
		{"made-pruned90", func() (matrix, error) { return sample.Pruned[float32](1024, 1024, .9, 1) }},
		{"made-pruned95", func() (matrix, error) { return sample.Pruned[float32](2048, 2048, .95, 1) }},
		{"made-pruned99", func() (matrix, error) { return sample.Pruned[float32](2048, 2048, .99, 1) }},
		{"made-uniform", func() (matrix, error) { return sample.Uniform[float32](16000, 16000, 64, 1) }},
	}...)
}

// BenchmarkRegret prints for each matrix and 8, 32 and 128 features, on one thread, what
// Advise chooses, what the choice and compressed rows are predicted to take and take, which
// candidate is the fastest, and how much longer than that the choice takes: the regret. What
// seems more than 5 % faster than the choice is timed again with it alone. At the end it says
// how the predictions and regrets are spread. A line is
//
//	matrix features choice predicted/measured us, csr predicted/measured us, fastest us, regret, bounds
//
// where bounds is how many candidates were cut short by a bound, and how many of them a
// clock then found faster than that.
func BenchmarkRegret(b *testing.B) {
	var all []regret
	for _, c := range regretCases() {
		b.Run(c.name, func(b *testing.B) {
			m, err := c.make()
			if err != nil {
				b.Fatal(err)
			}
			for _, features := range []int{8, 32, 128} {
				b.Run(fmt.Sprint(features), func(b *testing.B) {
					var x regret
					for b.Loop() {
						if x, err = regretOf(m, features); err != nil {
							b.Fatal(err)
						}
					}
					x.real = !strings.HasPrefix(c.name, "made-")
					fmt.Printf("%-18s %4d  %-12s %9.1f/%9.1f  csr %9.1f/%9.1f  %-12s %9.1f  %5.1f %%  %2d/%d\n", c.name, features, x.choice,
						1e6*x.predicted, 1e6*x.measured, 1e6*x.rowsPredicted, 1e6*x.rowsMeasured, x.fastest, 1e6*x.least, 100*x.regret, x.bounds, x.wrong)
					b.ReportMetric(100*x.regret, "%regret")
					b.ReportMetric(x.predicted/x.measured, "predicted/measured")
					all = append(all, x)
				})
			}
		})
	}
	for _, kind := range []bool{true, false} {
		summary(all, kind)
	}
}

// regret is what one choice turned out to be; times are seconds.
type regret struct {
	real                        bool
	choice, fastest             string
	predicted, measured         float64
	rowsPredicted, rowsMeasured float64
	least, regret               float64
	bounds, wrong               int
}

// hopelesslySlow is how many times as long as compressed rows a first product takes that
// is not timed any more, since it is not the fastest.
const hopelesslySlow = 3

// regretOf times the candidates for one matrix in turns.
func regretOf(m sparse.Matrix[float32], features int) (regret, error) {
	o := formatsFlags{features: features, threads: 1, runs: 7, element: "f32"}
	if err := o.check(); err != nil {
		return regret{}, err
	}
	a, err := sparse.Advise(m, features, o.machine())
	if err != nil {
		return regret{}, err
	}
	r := newReport("", dtype.F32, o, a)
	t, err := newTrial(m, features, cpu.Options{Threads: 1, ISA: o.isa})
	if err != nil {
		return regret{}, err
	}
	rows := timed(func() { cpu.SpMMOpt(t.opt, t.out, t.m, t.b) })
	for k, c := range a.Candidates {
		if c.Bytes > mostDense/2 || c.Least && c.Seconds > farSlower*a.Best.Seconds {
			continue
		}
		before := len(t.all)
		if err := t.enter(&r.Formats[k], c); err != nil {
			return regret{}, err
		}
		if len(t.all) > before {
			if e := t.all[before]; c.Name != a.Best.Name && c.Name != sparse.CSR.Name && min(timed(e.multiply), timed(e.multiply)) > hopelesslySlow*rows {
				t.all = t.all[:before]
			}
		}
	}
	t.decide(o.runs, &r)
	x := regret{choice: r.Choice, fastest: r.Fastest, regret: *r.Regret}
	for _, f := range r.Formats {
		if f.Least {
			x.bounds++
		}
		if f.Measured == nil {
			continue
		}
		if f.Least && *f.Measured < f.Predicted {
			x.wrong++
		}
		if f.Name == r.Choice {
			x.predicted, x.measured = f.Predicted, *f.Measured
		}
		if f.Name == sparse.CSR.Name {
			x.rowsPredicted, x.rowsMeasured = f.Predicted, *f.Measured
		}
		if f.Name == r.Fastest {
			x.least = *f.Measured
		}
	}
	return x, nil
}

// summary prints how regrets and errors of predictions are spread.
func summary(all []regret, real bool) {
	var regrets, errors []float64
	bounds, wrong := 0, 0
	for _, x := range all {
		if x.real == real {
			regrets = append(regrets, x.regret)
			errors = append(errors, math.Abs(x.predicted/x.measured-1))
			bounds, wrong = bounds+x.bounds, wrong+x.wrong
		}
	}
	if len(regrets) == 0 {
		return
	}
	slices.Sort(regrets)
	slices.Sort(errors)
	within := func(x float64) int { n, _ := slices.BinarySearch(regrets, x); return n }
	what := "made-up"
	if real {
		what = "real"
	}
	fmt.Printf("%s: of %d choices %d within 5 %% of the fastest, %d within 15 %%, the worst %.1f %%; predicted speed off by %.0f %% in the median, %.0f %% at the 90th percentile; %d of %d bounds false by clock\n",
		what, len(regrets), within(.05), within(.15), 100*regrets[len(regrets)-1], 100*errors[len(errors)/2], 100*errors[len(errors)*9/10], wrong, bounds)
}
