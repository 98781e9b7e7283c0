package demo

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

func products() (Product[float32], Product[float64]) {
	return Product[float32]{"Single", 9, 48, gemmf.SGEMMOpt}, Product[float64]{"Double", 9, 24, gemmf.DGEMMOpt}
}

func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("times kernels")
	}
	single, double := products()
	var out, log bytes.Buffer
	if code := start([]string{"-quick"}, &out, &log, single, double); code != 0 {
		t.Fatalf("exit %d\n%s\n%s", code, &out, &log)
	}
	for _, want := range []string{"machine\n", "all right", "GFLOP/s", "times gonum", "memory"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("a number is not one:\n%s", &out)
	}
}

// TestVariantsOnce: a variant is verified and listed once, whatever sets the machine has that extend its own.
func TestVariantsOnce(t *testing.T) {
	single, double := products()
	// Both are wrong: their suites end soon and nothing is timed.
	double.Gemm = func(opt run.Options, out, a, b layout.Matrix[float64]) {}
	seen := map[string]bool{}
	var mu sync.Mutex
	single.Gemm = func(opt run.Options, out, a, b layout.Matrix[float32]) {
		mu.Lock()
		seen[opt.ISA] = true
		mu.Unlock()
	}
	var out, log bytes.Buffer
	if code := start(nil, &out, &log, single, double); code != 1 {
		t.Fatalf("exit %d, want 1", code)
	}
	if have, want := slices.Sorted(maps.Keys(seen)), slices.Sorted(slices.Values(run.PlainISAs())); !slices.Equal(have, want) {
		t.Errorf("verified %v, want %v", have, want)
	}
}

// TestWrong gives one product an error in one element: it must be reported and
// nothing be timed.
func TestWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("builds wrong kernels")
	}
	single, double := products()
	double.Gemm = func(opt run.Options, out, a, b layout.Matrix[float64]) {
		gemmf.DGEMMOpt(opt, out, a, b)
		if out.Rows > 3 && out.Cols > 0 {
			out.Data[3*out.RowStride] *= 1 + 1e-9
		}
	}
	var out, log bytes.Buffer
	if code := start([]string{"-quick"}, &out, &log, single, double); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	if !strings.Contains(out.String(), "WRONG") || !strings.Contains(log.String(), "Double") || strings.Contains(out.String(), "GFLOP/s") {
		t.Errorf("output\n%s\nlog\n%s", &out, &log)
	}
}

func TestCommandLine(t *testing.T) {
	single, double := products()
	for _, args := range [][]string{{"-isa=mmx"}, {"-nonsense"}} {
		var out, log bytes.Buffer
		if code := start(args, &out, &log, single, double); code != 2 || out.Len() > 0 || log.Len() == 0 {
			t.Errorf("%q: exit %d, output %q, log %q", args, code, &out, &log)
		}
	}
}

func TestBest(t *testing.T) {
	runs := 0
	if sec := best(10*time.Millisecond, func() { runs++; time.Sleep(20 * time.Millisecond) }); runs != 1 || sec < 0.02 {
		t.Errorf("a slow function ran %d times, in %v s", runs, sec)
	}
	runs = 0
	if best(time.Millisecond, func() { runs++ }); runs < 100 {
		t.Errorf("a fast function ran %d times", runs)
	}
}

// TestLevels finds the level that holds a size.
func TestLevels(t *testing.T) {
	m := &ceilings{levels: []level{{"L1", 100, 3}, {"L2", 1000, 2}, {"memory", 0, 1}}}
	for size, want := range map[int]string{1: "L1", 100: "L1", 101: "L2", 5000: "memory"} {
		if have := m.of(size).name; have != want {
			t.Errorf("%d bytes are in %s, want %s", size, have, want)
		}
	}
}
