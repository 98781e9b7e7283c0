package formats

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

const (
	calibration = 100 * time.Millisecond
	leastTime   = 200 * time.Microsecond // of a measurement, of as many products as it takes
	mostTime    = 30 * time.Second       // of all of them, about
	mostDense   = 8 << 30                // bytes of B and C
	farSlower   = 20                     // times the choice: not timed
)

// trial times the candidates for one matrix, each in turn, again and again.
type trial[T dtype.Float] struct {
	ctx     context.Context // ends the measurement
	bar     *cli.Progress
	opt     cpu.Options
	m       sparse.Matrix[T]
	b, want layout.Matrix[T] // and the product in compressed rows
	out     layout.Matrix[T]
	all     []*entrant[T]
	last    []*entrant[T] // those that were timed together at last
}

// entrant is a matrix as one candidate stores it.
type entrant[T dtype.Float] struct {
	*formatReport
	multiply func()
	convert  float64 // seconds
	reps     int
	times    []float64
}

// measure converts m to every candidate's format and times products. Each is first
// compared with that of compressed rows. stopped is what was going on when the context
// ended, "" if it did not.
func measure[T dtype.Float](con *cli.Console, r *formatsReport, m sparse.Matrix[T], a advise.Advice, o formatsFlags) (stopped string, err error) {
	if m.NNZ() == 0 {
		return "", nil
	}
	t, err := newTrial(m, a.Features, cpu.Options{Threads: o.threads, ISA: o.isa})
	if err != nil {
		return "", err
	}
	t.ctx, t.bar = con.Ctx, con.Bar
	for k, c := range a.Candidates {
		if con.Ctx.Err() != nil {
			return "converted", nil
		}
		con.Bar.Step(k, len(a.Candidates), r.File+": converting to "+c.Name)
		f := &r.Formats[k]
		if c.Least && c.Seconds > farSlower*a.Best.Seconds || c.Bytes > mostDense/2 {
			f.Untimed = "far slower"
		} else if err := t.enter(f, c); err != nil {
			return "", fmt.Errorf("%s: %w", r.File, err)
		}
	}
	t.decide(o.runs, r)
	if con.Ctx.Err() != nil {
		return "timed", nil
	}
	return "", nil
}

// Fits refuses a product whose dense matrices are too large.
func Fits[T dtype.Float](m sparse.Matrix[T], features int) error {
	rows, cols := m.Dims()
	// b, the result and what it should be; kernels of pruned weights and of blocks lay out b and the result once more.
	if need := int64(3*rows+2*cols) * int64(features) * int64(dtype.Of[T]().Size()); need > mostDense {
		return fmt.Errorf("the dense matrices of a product take %s; take fewer --features, or --time=false", cost.Bytes(need))
	}
	return nil
}

// newTrial prepares products of m, with other values: times do not depend on them,
// and sums of small integers are exact.
func newTrial[T dtype.Float](m sparse.Matrix[T], features int, opt cpu.Options) (*trial[T], error) {
	m = m.Canonical()
	values := make([]T, m.NNZ())
	for k := range values {
		values[k] = T(1 + k%2)
	}
	m, err := m.WithValues(values)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	t := &trial[T]{ctx: context.Background(), opt: opt, m: m, b: layout.New[T](cols, features), want: layout.New[T](rows, features), out: layout.New[T](rows, features)}
	for k := range t.b.Data {
		t.b.Data[k] = T(k%3 - 1)
	}
	cpu.SpMMOpt(opt, t.want, m, t.b)
	return t, nil
}

// enter converts to what a candidate says and checks one product.
func (t *trial[T]) enter(f *formatReport, c advise.Candidate) error {
	e := &entrant[T]{formatReport: f, convert: math.Inf(1)}
	for range 3 {
		var err error
		e.convert = min(e.convert, timed(func() { e.multiply, err = t.convert(c) }))
		if err != nil { // the format refuses the matrix
			f.Untimed = err.Error()
			return nil
		}
		if e.convert > 1 {
			break
		}
	}
	for i := range t.out.Data {
		t.out.Data[i] = T(math.NaN())
	}
	e.multiply()
	if !agree(t.out.Data, t.want.Data) {
		return fmt.Errorf("the product in %s is not that in csr, which is a bug of tilesmith", c.Name)
	}
	e.reps = 1 + int(leastTime.Seconds()/timed(e.multiply))
	t.all = append(t.all, e)
	return nil
}

// convert makes what a candidate says, and returns how to multiply it.
func (t *trial[T]) convert(c advise.Candidate) (multiply func(), err error) {
	switch {
	case c.Pruned:
		w := cpu.Prune(t.m)
		return func() { cpu.MulPruned(t.opt, t.out, w, t.b) }, nil
	case c.Rules == nil && c.Format.Name == format.CSR.Name:
		return func() { cpu.SpMMOpt(t.opt, t.out, t.m, t.b) }, nil
	}
	if c.Rules == nil {
		p, err := format.Pack(t.m, c.Format)
		return func() { cpu.SpMMOpt(t.opt, t.out, p, t.b) }, err
	}
	s, err := rule.Decompose(t.m, c.Rules...)
	return func() { cpu.SpMMOpt(t.opt, t.out, s, t.b) }, err
}

// warm is how many products go before one is timed. A last cache that keeps lines it
// has seen used takes several to forget the entrant before.
const warm = 4

// ahead is by how much an entrant has to be faster than the choice to be timed again.
const ahead = .05

// decide times all entrants. It then times those that seem to be faster than the choice
// once more with it alone, three times as often: the least of many medians was lucky.
func (t *trial[T]) decide(runs int, r *formatsReport) {
	t.last = t.all
	t.run(runs)
	t.conclude(r)
	if t.ctx.Err() != nil || r.Regret == nil || *r.Regret <= ahead {
		return
	}
	var choice float64
	for _, e := range t.all {
		if e.Name == r.Choice {
			choice = *e.Measured
		}
	}
	t.last = nil
	for _, e := range t.all {
		if e.Name == r.Choice || choice > *e.Measured*(1+ahead) {
			e.times = nil
			t.last = append(t.last, e)
		}
	}
	t.run(3 * runs)
	t.conclude(r)
}

// run times every entrant once a run, in another order each time: whoever comes after
// the one that fills the caches has a disadvantage.
func (t *trial[T]) run(runs int) {
	runtime.GC() // of what conversions left, now and not meanwhile
	start, r := time.Now(), rand.New(rand.NewPCG(1, 2))
	for n := 0; n < runs && (n == 0 || time.Since(start) < mostTime); n++ {
		t.bar.Step(n, runs, fmt.Sprintf("timing %d formats", len(t.last)))
		for _, k := range r.Perm(len(t.last)) {
			if t.ctx.Err() != nil {
				return
			}
			e := t.last[k]
			for range warm {
				e.multiply()
			}
			e.times = append(e.times, timed(func() {
				for range e.reps {
					e.multiply()
				}
			})/float64(e.reps))
		}
	}
}

// conclude enters the medians of what was timed, conversions in units of a product in
// compressed rows, and the fastest.
func (t *trial[T]) conclude(r *formatsReport) {
	choice, fastest := 0.0, math.Inf(1)
	for _, e := range t.last {
		if len(e.times) == 0 {
			continue
		}
		slices.Sort(e.times)
		x := e.times[len(e.times)/2]
		e.Measured = &x
		if e.Name == r.Choice {
			choice = x
		}
		if x < fastest {
			fastest, r.Fastest = x, e.Name
		}
	}
	csr := 0.0
	for _, e := range t.all {
		if e.Name == format.CSR.Name && e.Measured != nil {
			csr, e.convert = *e.Measured, 0
		}
	}
	for _, e := range t.all {
		e.Converted = share(e.convert, csr)
	}
	if choice > 0 {
		r.Regret = share(choice-fastest, fastest)
	}
}

// share returns x / of, or nil if that is not a number.
func share(x, of float64) *float64 {
	if x /= of; math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func timed(f func()) float64 {
	t := time.Now()
	f()
	return time.Since(t).Seconds()
}

// agree reports whether two results are equal up to what long float32 sums lose.
func agree[T dtype.Float](x, y []T) bool {
	for i, v := range x {
		if d := math.Abs(float64(v) - float64(y[i])); !(d <= 1e-4*max(1, math.Abs(float64(y[i])))) {
			return false
		}
	}
	return true
}
