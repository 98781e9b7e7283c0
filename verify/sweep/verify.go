package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A Verdict is what the oracles say of one variant of a kernel.
type Verdict struct {
	Kernel   string   `json:"kernel"`
	Package  string   `json:"package,omitempty"`
	Types    string   `json:"types"`
	ISA      string   `json:"isa"`
	Points   int      `json:"points"`             // of the grid, besides the suite
	Failures []string `json:"failures,omitempty"` // nil: it is right
	Skipped  string   `json:"skipped,omitempty"`  // why it was not checked
	Seconds  float64  `json:"seconds"`
}

// Verify puts every variant of every kernel through the suite of package check, with
// each number of threads. If the grid names workloads, it tries those as well. It hands
// over each verdict as it comes; a wrong kernel is not an error.
func (s *Session) Verify(each func(Verdict) error) error {
	s.done, s.total = 0, 0
	for i := range s.Kernels {
		s.total += len(s.variants(&s.Kernels[i]))
	}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, isa := range s.variants(k) {
			s.progress("verifying %s %s %s", k.Name, k.Types, isa)
			v := s.verdict(k, isa)
			s.done++
			if err := each(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// variants returns those to verify: what is asked for, or all that k has.
func (s *Session) variants(k *Kernel) []string {
	if s.ISAs != nil {
		return s.ISAs
	}
	return slices.DeleteFunc(run.ISAs(), func(isa string) bool {
		return !s.All && k.lacks(isa) != "" || k.repeats(isa)
	})
}

func (s *Session) verdict(k *Kernel, isa string) Verdict {
	v := Verdict{Kernel: k.Name, Package: k.Package, Types: k.Types, ISA: isa}
	if v.Skipped = k.lacks(isa); v.Skipped != "" {
		return v
	}
	start := time.Now()
	var r check.Recorder
	if err := protect(func() error { k.Suite(&r, isa); return nil }); err != nil {
		r.Errorf("%v", err)
	}
	v.Failures = r.Failures
	if s.Grid.Shapes != nil || s.Grid.Ops != nil {
		for _, workload := range k.Workloads(s.Grid) {
			for _, threads := range s.threads() {
				v.point(k, Point{workload, isa, threads})
			}
		}
	}
	v.Seconds = time.Since(start).Seconds()
	return v
}

func (v *Verdict) point(k *Kernel, p Point) {
	problem, err := k.Ready(p)
	if err == nil {
		v.Points++
		err = protect(problem.Check)
	}
	if err != nil {
		v.Failures = append(v.Failures, fmt.Sprintf("%v threads=%d: %v", p.Workload, p.Threads, err))
	}
}

// Good reports whether the kernel is right as far as it was checked.
func (v *Verdict) Good() bool { return len(v.Failures) == 0 }

// Lines are the verdict for a reader: one line, and the first failures below it.
func (v *Verdict) Lines() []string {
	what := fmt.Sprintf("%-14s %-14s %s", v.Kernel, v.Types, v.ISA)
	switch {
	case v.Skipped != "":
		return []string{fmt.Sprintf("skip   %-38s %s", what, v.Skipped)}
	case v.Good():
		line := fmt.Sprintf("ok     %-38s %5.1f s", what, v.Seconds)
		if v.Points > 0 {
			line += fmt.Sprintf("  and %d points", v.Points)
		}
		return []string{line}
	}
	lines := []string{fmt.Sprintf("WRONG  %-38s %5.1f s  %d failures", what, v.Seconds, len(v.Failures))}
	const most = 5
	for _, f := range v.Failures[:min(most, len(v.Failures))] {
		first, stack, _ := strings.Cut(f, "\n")
		if stack != "" {
			first += " (--json has the stack)"
		}
		lines = append(lines, "       "+first)
	}
	return slices.Clip(lines)
}
