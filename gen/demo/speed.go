package demo

import (
	"fmt"
	"io"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// A timing is one variant at one size.
type timing struct {
	isa   string
	typ   dtype.Type
	n     int
	flops float64 // per second
	roof  float64 // the ceiling of its ISA and type, flop/s; 0 for the portable code
	gonum float64 // flop/s
}

// measure times every variant of p and gonum on square matrices, and the ceiling
// of each ISA. They take turns, so that a slower moment of the machine does not hit one
// of them alone.
func measure[T dtype.Float](s settings, m *ceilings, p Product[T]) []timing {
	t := dtype.Of[T]()
	var rows []timing
	for _, n := range s.sizes {
		out, a, b := layout.New[T](n, n), random[T](n, n), random[T](n, n)
		flop := 2 * float64(n) * float64(n) * float64(n)
		gonum := flop / best(s.each, func() { byGonum(out, a, b) })
		for _, isa := range s.isas {
			if m.flops[isa] == nil {
				m.flops[isa] = map[dtype.Type]float64{}
			}
			if isa != run.Portable { // a compiled loop is not a ceiling
				m.flops[isa][t] = max(m.flops[isa][t], roof.FMA(isa, t, s.each/6))
			}
			sec := best(s.each, func() { p.Gemm(run.Options{ISA: isa, Threads: 1}, out, a, b) })
			rows = append(rows, timing{isa: isa, typ: t, n: n, flops: flop / sec, gonum: gonum})
		}
	}
	for i := range rows { // the best of all measurements
		rows[i].roof = m.flops[rows[i].isa][t]
	}
	return rows
}

// best runs f again and again for d, in batches long enough for the clock. It returns
// the seconds of one run in the best batch. A run that takes longer than d is not
// repeated.
func best(d time.Duration, f func()) float64 {
	const batch = 50 * time.Microsecond
	start := time.Now()
	f()
	first := time.Since(start)
	if first > d {
		return first.Seconds()
	}
	runs := int(batch/max(first, 1)) + 1
	const never = time.Duration(1<<63 - 1)
	least := never
	for start := time.Now(); least == never || time.Since(start) < d; {
		t := time.Now()
		for range runs {
			f()
		}
		least = min(least, time.Since(t))
	}
	return least.Seconds() / float64(runs)
}

func printSpeed(out io.Writer, rows []timing) {
	cells := [][]string{{"type", "n", "isa", "GFLOP/s", "ceiling", "share", "gonum", "times gonum"}}
	for _, r := range rows {
		cells = append(cells, []string{r.typ.String(), fmt.Sprint(r.n), r.isa,
			giga(r.flops), giga(r.roof), percent(r.flops, r.roof), giga(r.gonum), fmt.Sprintf("%.1f", r.flops/r.gonum)})
	}
	table(out, "speed of n x n by n x n on one core; the ceiling is measured, multiply-adds on registers alone", cells)
}

// printRoofline sets the first ISA's products under the roof: the ceiling, or
// what the memory that holds the operands lets through, whichever is lower.
func printRoofline(out io.Writer, s settings, m *ceilings, rows []timing) {
	cells := [][]string{{"type", "n", "flop/byte", "operands in", "attainable", "measured", "share"}}
	for _, r := range rows {
		if r.isa != s.isas[0] || r.roof == 0 {
			continue
		}
		size := 3 * r.n * r.n * r.typ.Size() // a and b are read, out is written
		l := m.of(size)
		intensity := 2 * float64(r.n) * float64(r.n) * float64(r.n) / float64(size)
		attainable := min(r.roof, intensity*l.bandwidth)
		cells = append(cells, []string{r.typ.String(), fmt.Sprint(r.n), fmt.Sprintf("%.1f", intensity), l.name,
			giga(attainable), giga(r.flops), percent(r.flops, attainable)})
	}
	if len(cells) == 1 {
		return
	}
	table(out, "roofline of "+s.isas[0]+", GFLOP/s on one core", cells)
}

// giga prints billions, or a dash for nothing.
func giga(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", x/1e9)
}

func percent(x, of float64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*x/of)
}
