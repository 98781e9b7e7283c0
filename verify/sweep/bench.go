package sweep

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// Ours is what benchmark lines call this library, beside names of peers.
const Ours = "tilesmith"

// Bench writes results in Go's benchmark format, which benchstat reads and pivots by the
// key=value parts of names.
type Bench struct {
	W io.Writer
	// Count is how many lines a point has: each the median of a part of the runs.
	// benchstat wants six or more to tell noise from difference. 0 is 1.
	Count int

	config string // the configuration that was written last
	pkg    string
}

// Machine writes configuration, units, and as comments what was measured of the machine.
// Comments are not part of the configuration: benchstat treats results of different
// configurations as results of different things.
func (w *Bench) Machine(m *Machine) error {
	var b strings.Builder
	config := fmt.Sprintf("goos: %s\ngoarch: %s\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	if config == w.config { // the next package on the same machine
		return nil
	}
	w.config = config
	b.WriteString(config)
	b.WriteString("Unit GFLOP/s better=higher\nUnit %ceiling better=higher\nUnit predicted-GFLOP/s better=higher\n")
	fmt.Fprintf(&b, "# machine: %v\n", m)
	for _, c := range m.Ceilings {
		fmt.Fprintf(&b, "# ceiling: %s %s threads=%d: %.1f GFLOP/s\n", c.Type, c.ISA, c.Threads, c.GFLOPS)
	}
	for _, l := range m.Levels {
		fmt.Fprintf(&b, "# bandwidth: %s: read %.1f, write %.1f, copy %.1f GB/s\n", l.Name, l.Read, l.Write, l.Copy)
	}
	for _, p := range m.Peers {
		fmt.Fprintf(&b, "# peer: %s: %s, %s code\n", p.Name, line(p.Version), p.runs())
		if p.Note != "" {
			fmt.Fprintf(&b, "# note: %s: %s\n", p.Name, line(p.Note))
		}
	}
	_, err := io.WriteString(w.W, b.String())
	return err
}

// line is text without line breaks or other control characters.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Result writes a result, and those of peers. A product that was not timed is a
// comment.
func (w *Bench) Result(r *Result) error {
	var b strings.Builder
	if r.Package != w.pkg && r.Package != "" {
		w.pkg = r.Package
		fmt.Fprintf(&b, "pkg: %s\n", r.Package)
	}
	name := func(lib, isa string) string { return benchName(r, lib, isa) }
	switch {
	case r.Mismatch != "":
		fmt.Fprintf(&b, "# MISMATCH: %s: %s\n", name(Ours, r.ISA), line(r.Mismatch))
	case r.Skipped != "":
		fmt.Fprintf(&b, "# skipped: %s: %s\n", name(Ours, r.ISA), line(r.Skipped))
	default:
		flops := r.GFLOPS * r.Seconds
		for _, sec := range parts(r.Samples, w.Count) {
			fmt.Fprintf(&b, "%s %d %s ns/op %s GFLOP/s", name(Ours, r.ISA), r.Calls, number(sec*1e9), number(flops/sec))
			if r.Ceiling > 0 {
				fmt.Fprintf(&b, " %s %%ceiling", number(100*flops/sec/r.Ceiling))
			}
			if r.Predicted > 0 {
				fmt.Fprintf(&b, " %s predicted-GFLOP/s", number(r.Predicted))
			}
			b.WriteByte('\n')
		}
		for _, p := range r.Peers {
			if p.Error != "" {
				fmt.Fprintf(&b, "# MISMATCH of a peer: %s: %s\n", name(p.Name, p.runs()), line(p.Error))
				continue
			}
			for _, sec := range parts(p.Samples, w.Count) {
				fmt.Fprintf(&b, "%s %d %s ns/op %s GFLOP/s\n", name(p.Name, p.runs()), p.Calls, number(sec*1e9), number(flops/sec))
			}
		}
	}
	_, err := io.WriteString(w.W, b.String())
	return err
}

// benchName is a result's name, with the instruction set that the library's code is
// written for. The number at its end is GOMAXPROCS, as in go test.
func benchName(r *Result, lib, isa string) string {
	s := fmt.Sprintf("Benchmark%s/kernel=%s/lib=%s/type=%s/isa=%s", r.Family, r.Kernel, lib, r.Types, isa)
	if r.Op != "" {
		s += "/op=" + r.Op
	}
	if r.Matrix != "" {
		s += "/matrix=" + r.Matrix
	}
	return s + fmt.Sprintf("/m=%d/n=%d/k=%d/threads=%d-%d", r.M, r.N, r.K, r.Threads, runtime.GOMAXPROCS(0))
}

// parts cuts samples into count parts and returns their medians; fewer if there are
// fewer samples.
func parts(samples []float64, count int) []float64 {
	count = min(max(count, 1), len(samples))
	var all []float64
	for i := range count {
		all = append(all, median(samples[i*len(samples)/count:(i+1)*len(samples)/count]))
	}
	return all
}

// number has four digits, and no exponent that a reader would stumble over.
func number(x float64) string {
	switch {
	case x >= 1000:
		return fmt.Sprintf("%.0f", x)
	case x >= 100:
		return fmt.Sprintf("%.1f", x)
	case x >= 10:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// leastPredicted is the size from which the error of predictions is summed up.
const leastPredicted = 128

// MedianError is the median error of predictions, in percent, of dense products whose
// smallest size is at least 128, and of how many. Smaller ones are ruled by what a call
// costs.
func MedianError(results []Result) (percent float64, of int) {
	var errs []float64
	for i := range results {
		if r := &results[i]; r.Timed() && r.Predicted > 0 && r.Op != "" && min(r.M, r.N, r.K) >= leastPredicted {
			errs = append(errs, 100*r.PredictionError())
		}
	}
	return median(errs), len(errs)
}

// noisy is the spread from which on numbers say more of the neighbours than of kernels.
const noisy = 0.05

// Noise says that the machine was not quiet while results were measured, "" if it was.
func Noise(results []Result) string {
	var spreads []float64
	for _, r := range results {
		if r.Timed() {
			spreads = append(spreads, r.Spread)
		}
	}
	if x := median(spreads); x > noisy {
		return fmt.Sprintf("the runs of half of the points differ by more than %.0f %%; the machine was not quiet", 100*x)
	}
	return ""
}

// End writes a summary, as comments.
func (w *Bench) End(results []Result) error {
	var b strings.Builder
	if e, n := MedianError(results); n > 0 {
		fmt.Fprintf(&b, "# predictions: median error %.1f %% over %d dense products of sizes from %d\n", e, n, leastPredicted)
	}
	if text := Noise(results); text != "" {
		fmt.Fprintf(&b, "# noise: %s\n", text)
	}
	if n := len(slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Mismatch == "" })); n > 0 {
		fmt.Fprintf(&b, "# MISMATCH: %d of %d points are wrong\n", n, len(results))
	}
	_, err := io.WriteString(w.W, b.String())
	return err
}
