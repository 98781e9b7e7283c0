package sweep

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// A fakeClock stands still unless somebody moves it.
type fakeClock struct {
	at    time.Time
	calls []string // who moved it
}

// takes returns a function that takes so long.
func (c *fakeClock) takes(name string, d time.Duration) func() {
	return func() {
		c.at = c.at.Add(d)
		c.calls = append(c.calls, name)
	}
}

func (c *fakeClock) instruments() Instruments {
	return Instruments{
		Now: func() time.Time { return c.at },
		Ceiling: func(_ string, _, _ dtype.Type, threads int) roof.Ceiling {
			c.calls = append(c.calls, "ceiling")
			return roof.Ceiling{Rate: 100e9 * float64(threads), By: "FMA"}
		},
		Levels: func(string) []Level { return []Level{{Name: "L1", Holds: 1000, Read: 50}, {Name: "memory", Read: 10}} },
	}
}

// fakeKernel is one workload of 10^7 flop and 10^6 bytes.
func fakeKernel(name string, f func(p Point) *Problem) Kernel {
	return Kernel{
		Name: name, Family: "Gemm", Types: "f32", Acc: dtype.F32,
		Suite:     func(t check.TB, _ string) {},
		Workloads: func(Grid) []Workload { return []Workload{{Op: "NN", M: 1, N: 2, K: 3}} },
		Ready: func(p Point) (*Problem, error) {
			x := f(p)
			if x == nil {
				return nil, errors.New("no such point")
			}
			x.Flops, x.Bytes = 1e7, func() int { return 1e6 }
			return x, nil
		},
	}
}

// TestTimes holds what comes of known times: medians, shares, the roofline, peers, and
// that runs alternate.
func TestTimes(t *testing.T) {
	c := &fakeClock{}
	ours := c.takes("ours", time.Millisecond)
	s := &Session{Threads: []int{1}, ISAs: []string{"go"}, Time: 24 * time.Millisecond, Instruments: c.instruments(), Peers: []Peer{{Name: "right"}, {Name: "wrong"}, {Name: "none"}}}
	s.Kernels = []Kernel{fakeKernel("X", func(Point) *Problem {
		return &Problem{Check: func() error { return nil }, Run: ours, Beside: func(p Peer) (*Rival, error) {
			switch p.Name {
			case "right":
				return &Rival{Check: func() error { return nil }, Run: repeated(c.takes("peer", 3*time.Millisecond))}, nil
			case "wrong":
				return &Rival{Check: func() error { return errors.New("element (0, 1)") }, Run: func(int) { t.Error("a wrong peer was run") }}, nil
			}
			return nil, nil
		}}
	})}
	var all []Result
	m := s.Machine()
	c.calls = nil
	if err := s.Sweep(m, func(r Result) error { all = append(all, r); return nil }); err != nil || len(all) != 1 {
		t.Fatal(err, all)
	}
	r := all[0]
	near := func(what string, have, want float64) {
		if math.Abs(have-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", what, have, want)
		}
	}
	near("seconds", r.Seconds, 1e-3)
	near("GFLOP/s", r.GFLOPS, 10)
	near("ceiling", r.Ceiling, 100)
	near("share", r.Share, .1)
	near("intensity", r.Intensity, 10)
	near("bound", r.Bound, 100)
	if r.Binding != "FMA" || r.Mismatch != "" || r.Spread != 0 || r.Calls != 4 {
		t.Errorf("%+v", r)
	}
	if len(r.Peers) != 2 || r.Peers[0].Name != "right" || r.Peers[1].Error != "element (0, 1)" {
		t.Fatalf("%+v", r.Peers)
	}
	near("the ratio to the peer", r.Peers[0].Ratio, 3)
	// After the calibration: the ceiling, then each function as often as makes four
	// milliseconds, and one call before; who is first changes.
	calls := strings.Join(c.calls, " ")
	_, calls, _ = strings.Cut(calls, "ceiling ")
	const first = "ours ours ours ours ours peer peer peer"
	const then = "peer peer peer ours ours ours ours ours"
	if want := first + " ceiling " + then + " ceiling " + first + " ceiling " + then; calls != want {
		t.Errorf("calls were\n%s, want\n%s", calls, want)
	}
}

// TestRoofline holds what binds: the level that holds all operands, or arithmetic.
func TestRoofline(t *testing.T) {
	m := &Machine{Levels: []Level{{"L1", 1000, 50, 0, 0}, {"L2", 10_000, 20, 0, 0}, {"memory", 0, 5, 0, 0}}}
	for _, c := range []struct {
		bytes, intensity float64
		threads          int
		bound            float64
		binding          string
	}{
		{1000, 1, 1, 50, "L1"}, {1000, 2, 1, 100, "FMA"}, {1001, 2, 1, 40, "L2"}, {1e6, 2, 1, 10, "memory"}, {1e6, 2, 2, 20, "memory"}, {1e6, 1000, 1, 100, "FMA"},
	} {
		r := Result{Bytes: c.bytes, Intensity: c.intensity, Ceiling: 100, Point: Point{Threads: c.threads}}
		if r.roofline(m); r.Bound != c.bound || r.Binding != c.binding {
			t.Errorf("%+v: %v by %s", c, r.Bound, r.Binding)
		}
	}
}

// TestNeverTimed shows that what does not match is reported and not timed, and that the
// sweep goes on.
func TestNeverTimed(t *testing.T) {
	c := &fakeClock{}
	wrong := func(name string, check func() error) Kernel {
		return fakeKernel(name, func(Point) *Problem {
			return &Problem{Check: check, Run: func() { t.Errorf("%s was run", name) }}
		})
	}
	s := &Session{ISAs: []string{"go"}, Instruments: c.instruments(), Kernels: []Kernel{
		wrong("wrong", func() error { return errors.New("element (3, 4): have 1, want 2") }),
		wrong("panics", func() error { panic("out of range") }),
		fakeKernel("absent", func(Point) *Problem { return nil }),
		fakeKernel("right", func(Point) *Problem {
			return &Problem{Check: func() error { return nil }, Run: c.takes("right", time.Millisecond)}
		}),
	}}
	var have []string
	if err := s.Sweep(s.Machine(), func(r Result) error {
		first, _, _ := strings.Cut(r.Mismatch, "\n")
		have = append(have, fmt.Sprintf("%s: %s%s %v %v", r.Kernel, first, r.Skipped, r.Timed(), r.Seconds > 0))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := "wrong: element (3, 4): have 1, want 2 false false; panics: panic: out of range false false; absent: no such point false false; right:  true true"
	if got := strings.Join(have, "; "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestWrongKernel puts real kernels with one wrong element through the whole engine.
func TestWrongKernel(t *testing.T) {
	tile := check.Options{MR: 4, NR: 8, KC: 64}
	wrong := func(opt run.Options, out, a, b layout.Matrix[float32]) {
		cpu.MatMulOpt(opt, out, a, b)
		if out.Rows == 7 && out.Cols == 9 {
			out.Set(6, 8, out.At(6, 8)+1)
		}
	}
	s, err := (&Config{Shapes: "7x9x5,8", ISAs: []string{"go"}, Threads: []int{1, 2}, Time: leastTime}).Session([]Kernel{Dense("X", wrong, nil, tile)})
	if err != nil {
		t.Fatal(err)
	}
	bad, timed := 0, 0
	if err := s.Sweep(&Machine{}, func(r Result) error {
		if strings.Contains(r.Mismatch, "element (6, 8)") && r.M == 7 && r.Seconds == 0 {
			bad++
		}
		if r.Timed() && r.M == 8 && r.GFLOPS > 0 {
			timed++
		}
		return nil
	}); err != nil || bad != 2 || timed != 2 {
		t.Errorf("%d of 2 were found, %d of 2 timed: %v", bad, timed, err)
	}
	var v Verdict
	if err := s.Verify(func(x Verdict) error { v = x; return nil }); err != nil || v.Good() || v.Points != 4 {
		t.Errorf("%+v, %v", v, err)
	}
	if text := strings.Join(v.Failures, "\n"); !strings.Contains(text, "NN m=7 n=9 k=5 threads=2: small integers: element (6, 8)") {
		t.Errorf("failures are\n%s", text)
	}
	if lines := v.Lines(); !strings.HasPrefix(lines[0], "WRONG  X ") || len(lines) < 2 || len(lines) > 6 {
		t.Errorf("lines are %q", lines)
	}
}

// TestStock sweeps every stock kernel for a moment, beside a peer that is ourselves.
func TestStock(t *testing.T) {
	self := Peer{
		Name: "self", SetThreads: func(int) {},
		F32: func(ta, tb bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
			cpu.BLAS32{}.Sgemm(trans(ta), trans(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		},
		SpMM: func(c []float32, a sparse.Matrix[float32], b []float32, n int) (func(), func() error, func(), error) {
			m, k := a.Dims()
			return func() { cpu.SpMM(layout.RowMajor(c, m, n), a, layout.RowMajor(b, k, n)) }, func() error { return nil }, nil, nil
		},
	}
	ops := level.Of("NT", "NN,TT", "NN,TN,NT,TT")
	n := strings.Count(ops, ",") + 1
	c := Config{Shapes: "33x20x40", Ops: ops, Time: leastTime}
	s, err := c.Session(Stock())
	if err != nil {
		t.Fatal(err)
	}
	s.Peers = []Peer{self}
	s.Instruments = Instruments{
		Ceiling: func(string, dtype.Type, dtype.Type, int) roof.Ceiling { return roof.Ceiling{Rate: 1e12, By: "FMA"} },
		Levels:  func(string) []Level { return []Level{{Name: "memory", Read: 10}} },
		Machine: func() *machine.Machine { return machine.Reference("avx512") },
	}
	seen := map[string]int{}
	if err := c.Run(s, JSON{new(counter)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(s.Machine(), func(r Result) error {
		if !r.Timed() || r.GFLOPS <= 0 || r.Share <= 0 || r.Intensity <= 0 || r.Bound <= 0 {
			t.Errorf("%+v", r)
		}
		if peer := r.Types == "f32" && r.Family != "SDDMM"; peer != (len(r.Peers) == 1) || peer && (r.Peers[0].Error != "" || r.Peers[0].Ratio <= 0) {
			t.Errorf("%s %s: peers %+v", r.Kernel, r.Types, r.Peers)
		}
		if modelled := r.Family != "SDDMM" && r.Kernel != "MatMulOf" && r.Kernel != "QuantMatMul"; modelled != (r.Predicted > 0) {
			t.Errorf("%s: predicted %v", r.Kernel, r.Predicted)
		}
		seen[r.Kernel+" "+r.Types]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"MatMul f32": n, "MatMul f64": n, "SpMM f32": 1, "SpMV f64": 1, "SDDMM f32": 1, "MatMulOf i8,i8,i32": n, "QuantMatMul u8,i8,i32": n, "QuantMatMul i8,i8,i32": n} {
		if seen[name] != want {
			t.Errorf("%s at %d points, want %d", name, seen[name], want)
		}
	}
}

// TestVariants holds what happens to a kernel that was generated for avx2 only.
func TestVariants(t *testing.T) {
	for i, isa := range run.ISAs()[:len(run.ISAs())-1] {
		if isaset.Plain(isa) != isa || level.Of(i > 0, false, false) {
			continue // nothing to a kernel of wide operands
		}
		f := func(opt run.Options, out, a, b layout.Matrix[float32]) {
			if opt.ISA != "" && opt.ISA != isa && opt.ISA != run.Portable {
				panic(run.ISAError{What: "a kernel", From: "Options.ISA", ISA: opt.ISA})
			}
			cpu.MatMulOpt(opt, out, a, b)
		}
		k := Dense("X", f, nil, check.Options{MR: 1, NR: 1})
		if k.best(&Instruments{}) != isa {
			t.Errorf("the best of %s is %s", isa, k.best(&Instruments{}))
		}
		s := &Session{Kernels: []Kernel{k}, Time: leastTime}
		s.Instruments.Machine = func() *machine.Machine { return machine.Reference("avx512") } // measures nothing
		if have := s.variants(&k); len(have) != 2 || have[0] != isa {
			t.Errorf("%s: variants to verify are %v", isa, have)
		}
		s.ISAs = run.ISAs()
		for _, other := range run.ISAs() {
			v := s.verdict(&k, other)
			if lacks := other != isa && other != run.Portable; lacks != (v.Skipped != "") || !v.Good() {
				t.Errorf("%s: %+v", other, v)
			}
			r := s.point(&Machine{}, &k, Point{Workload{Op: "NN", M: 1, N: 1, K: 1}, other, 1})
			if lacks := other != isa && other != run.Portable; lacks != (r.Skipped != "") || r.Mismatch != "" {
				t.Errorf("%s: %+v", other, r)
			}
		}
	}
}
