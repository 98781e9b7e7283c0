package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

type bf = dtype.BF16

// gelu is the case of a generated function with an epilogue.
func gelu() Case {
	return Case{
		Kernels: kernels.DenseGELUKernels(),
		Launch: func(c *Call) error {
			return kernels.DenseGELU(c.Stream, c.Options, Out[bf](c, 0), A[bf](c), B[bf](c), Column[float32](c, 1))
		},
		Case: check.Case{Name: "DenseGELU", A: dtype.TypeBF16, B: dtype.TypeBF16, Acc: dtype.F32, ULP: 1,
			Slots: []check.Slot{{Type: dtype.TypeBF16, Out: true}, {Type: dtype.F32, Col: true}},
			Results: func(p *check.Problem, sum float64, i, j int) []float64 {
				return []float64{dtype.ToBF16(act.GELU(float32(sum) + float32(p.At(1, i, j)))).Float64()}
			},
		},
	}
}

func plain() Case {
	return Plain(kernels.MatMulBF16.Kernels(), kernels.MatMulBF16.Call)
}

// quick are stock functions with few and small checks.
func quick() []Stock {
	few := func(s Stock) Stock {
		all := s.Checks
		s.Checks = func(info cuda.Info, _ bool) (few []Step) {
			for _, step := range all(info, false) {
				if !strings.Contains(step.Name, "_sm80_") {
					few = append(few, step)
				}
			}
			return few[:4]
		}
		return s
	}
	return []Stock{
		few(NewStock("MatMulBF16", plain(), OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[bf], _ cuda.Slice[float32]) error {
			return kernels.MatMulBF16.Call(s, run.Options{}, out, a, b)
		}))),
		few(NewStock("DenseGELU", gelu(), OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[bf], bias cuda.Slice[float32]) error {
			return kernels.DenseGELU(s, run.Options{}, out, a, b, bias)
		}))),
	}
}

// small are the rows of a session whose products are 16 x 16.
func small(stock []Stock) (list []job) {
	for _, j := range jobs(stock) {
		if j.M == 4096 && (j.K == 4096 || j.K == 128) {
			j.M, j.N, j.K = 16, 16, j.K/128
			list = append(list, j)
		}
	}
	return list
}

// TestSession goes through everything with a device that has a clock, stops, and
// goes on.
func TestSession(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("a whole session on the emulator")
	}
	emu, _ := emulator(t)
	d := &clocked{Device: emu}
	defer kernels.MatMulBF16.Kernels().Forget(d)
	defer kernels.DenseGELUKernels().Forget(d)
	dir := filepath.Join(t.TempDir(), "out")
	calls := 0
	rival := func(s cuda.Stream) (*Rival, error) {
		return &Rival{Name: "rival 1.2", Gemm: func(dtype.Type, bool, bool, int, int, int, uint64, uint64, uint64) error {
			calls++
			d.now.Add(2)
			return nil
		}}, nil
	}
	session := func() (*Session, *bytes.Buffer) {
		table := new(bytes.Buffer)
		return &Session{Dir: dir, Stock: quick(), Device: d, NewRival: rival, Log: io.Discard, Table: table, jobs: small}, table
	}
	s, table := session()
	s.Budget = time.Nanosecond
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if out := table.String(); !strings.Contains(out, "6 rows are left out") || calls > 0 {
		t.Errorf("no time for timings, %d calls of the rival:\n%s", calls, out)
	}
	s, _ = session()
	if err := s.Run(); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a folder with results: %v", err)
	}
	s, table = session()
	s.Resume = true
	for i := range s.Stock {
		s.Stock[i].Checks = func(cuda.Info, bool) []Step { return nil } // those were passed
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	// A launch is 1 ms, the rival's 2, with a kernel after it 3.
	want := []string{"clocked, compute capability 9.0, 4 SMs, driver 12.8", "compared with rival 1.2",
		"rival 1.2, TFLOP/s", "times rival 1.2 + a kernel", "3.00x", "200.0 %", "+0.0 %", "nt", "tt"}
	for _, w := range want {
		if !strings.Contains(table.String(), w) {
			t.Errorf("the table lacks %q", w)
		}
	}
	if t.Failed() {
		t.Log(table)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("%d files: %v", len(entries), err)
	}
	vs := read(t, filepath.Join(dir, outputsFile))
	if len(vs) != 4 || len(vs[0].Out) == 0 {
		t.Errorf("%d golden outputs, want two of each function", len(vs))
	}
	before := calls
	s, table = session()
	s.Resume, s.NewRival = true, func(cuda.Stream) (*Rival, error) { return nil, errors.New("no library. Tried:\n\tx") }
	if err := s.Run(); err != nil || calls != before {
		t.Errorf("everything is done, but %d calls of the rival, %v", calls-before, err)
	}
	if !strings.Contains(table.String(), "nothing to compare with: no library.\n") {
		t.Errorf("the table does not say that there is no library:\n%s", table)
	}
	s, _ = session()
	s.Resume, s.Device = true, emu
	if err := s.Run(); err == nil || !strings.Contains(err.Error(), "another folder") {
		t.Errorf("another device goes on: %v", err)
	}
}

func read(t *testing.T, path string) []Vector {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	vs, err := ReadVectors(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

// TestSessionWrong: a kernel that is wrong is not timed.
func TestSessionWrong(t *testing.T) {
	emu, _ := emulator(t)
	stock := quick()[:1]
	stock[0].Checks = func(cuda.Info, bool) []Step {
		return []Step{{"one", func(cuda.Stream) error { return nil }}, {"two", func(cuda.Stream) error { return errors.New("3 is not 4") }}}
	}
	stock[0].Operands = func(cuda.Stream, Timed, int) (*Operands, error) { panic("timed") }
	var log bytes.Buffer
	s := Session{Dir: t.TempDir(), Stock: stock, Device: &clocked{Device: emu}, Log: &log, Table: io.Discard, jobs: small}
	if err := s.Run(); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, checksFile))
	if err != nil || string(text) != "ok    fragments\nok    one\nWRONG two: 3 is not 4\n" {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(log.String(), "wrong: two: 3 is not 4") {
		t.Error(log.String())
	}
}

// TestMistakes: what a function or a kernel may do wrong is seen.
func TestMistakes(t *testing.T) {
	_, s := emulator(t)
	defer func() { kernels.MatMulBF16.Kernels().Forget(s.Device()); kernels.DenseGELUKernels().Forget(s.Device()) }()
	try := func(c Case, exact bool) error {
		tr := Trial{Trial: check.Trial{Shape: check.Shape{M: 20, N: 24, K: 30}, Exact: exact, Strict: c.Strict, Sums: c.Sums}, Case: c, Lie: Lie{Off: 16, Pad: 8}}
		return tr.Run(s)
	}
	for _, exact := range []bool{true, false} {
		for _, c := range []Case{plain(), *plain().scaled, gelu()} {
			if err := try(c, exact); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
	}
	for what, change := range map[string]func(p, g *Case){
		"nothing is written": func(p, g *Case) {
			p.Launch = func(c *Call) error { Out[bf](c, 0); return nil }
		},
		"one row is not written": func(p, g *Case) {
			p.Launch = func(c *Call) error {
				out := Out[bf](c, 0)
				return kernels.MatMulBF16.Call(c.Stream, run.Options{}, out.RowSlice(0, 19), A[bf](c).RowSlice(0, 19), B[bf](c))
			}
		},
		"a step of k is left out": func(p, g *Case) {
			p.Launch = func(c *Call) error {
				return kernels.MatMulBF16.Call(c.Stream, run.Options{}, Out[bf](c, 0), A[bf](c).ColSlice(0, 29), B[bf](c).RowSlice(0, 29))
			}
		},
		"a gap is written": func(p, g *Case) {
			f := p.Launch
			p.Launch = func(c *Call) error {
				if err := f(c); err != nil {
					return err
				}
				m := Out[bf](c, 0)
				c.after = c.after[:1] // the second output is none of the function's
				return c.Stream.Fill(c.memory[0], int64(2*m.RowStride), 0, 1)
			}
		},
		"beta is forgotten": func(p, g *Case) {
			*p = *p.scaled
			p.Launch = func(c *Call) error {
				return kernels.MatMulBF16.Call(c.Stream, run.Options{Scaling: run.Scale(scaledAlpha, 0)}, Out[bf](c, 0), A[bf](c), B[bf](c))
			}
		},
		"the bias is shifted": func(p, g *Case) {
			*p = *g
			p.Launch = func(c *Call) error {
				bias := Column[float32](c, 1)
				wrong, err := cuda.Make[float32](c.Stream.Device(), bias.Len())
				if err == nil {
					err = wrong.Zero(c.Stream)
				}
				if err == nil {
					err = wrong.Slice(1, bias.Len()).Copy(c.Stream, bias.Slice(0, bias.Len()-1))
				}
				return errors.Join(err, kernels.DenseGELU(c.Stream, run.Options{}, Out[bf](c, 0), A[bf](c), B[bf](c), wrong))
			}
		},
		"the epilogue is left out": func(p, g *Case) {
			*p = *g
			p.Launch = func(c *Call) error {
				Column[float32](c, 1)
				return kernels.MatMulBF16.Call(c.Stream, run.Options{}, Out[bf](c, 0), A[bf](c), B[bf](c))
			}
		},
		"sums are largest terms": func(p, g *Case) {
			p.Sums = func(q *check.Problem, i, j int) (sum, abs float64, roundings int) {
				for k := range q.K {
					sum = max(sum, q.Load(check.A, i, k)+q.Load(check.B, k, j))
				}
				return sum, 0, 0
			}
		},
	} {
		for _, exact := range []bool{true, false} {
			p, g := plain(), gelu()
			change(&p, &g)
			if err := try(p, exact); err == nil {
				t.Errorf("%s, exact=%v: is not seen", what, exact)
			}
		}
	}
}

// TestStrict: on small integers, half a unit in the last place is too much.
func TestStrict(t *testing.T) {
	_, s := emulator(t)
	defer kernels.MatMulBF16.Kernels().Forget(s.Device())
	c := plain()
	c.Results = func(_ *check.Problem, sum float64, _, _ int) []float64 {
		return []float64{dtype.BF16FromBits(dtype.ToBF16(sum).Bits() + 1).Float64()}
	}
	tr := Trial{Trial: check.Trial{Shape: check.Shape{M: 3, N: 4, K: 5}, Exact: true, Strict: true}, Case: c}
	if err := tr.Run(s); err == nil || !strings.Contains(fmt.Sprint(err), "exactly") {
		t.Error(err)
	}
}

// TestSeparate holds the kernel that a library's product is followed by against the
// function that it stands for: hardware's tanh is good to 2^-11.
func TestSeparate(t *testing.T) {
	d, s := emulator(t)
	k, err := newSeparate(d)
	if err != nil {
		t.Fatal(err)
	}
	const rows, cols = 37, 72
	host, bias := make([]bf, rows*cols), make([]float32, cols)
	for i := range host {
		host[i] = dtype.ToBF16(float32(i%97)/12 - 4)
	}
	for j := range bias {
		bias[j] = float32(j%7) / 8
	}
	x, err1 := cuda.Upload(s, host)
	y, err2 := cuda.Upload(s, bias)
	if err := errors.Join(err1, err2, k.launch(s, x.Address(), y.Address(), rows, cols)); err != nil {
		t.Fatal(err)
	}
	have, err := x.Download(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range have {
		want := float64(act.GELU(host[i].Float32() + bias[i%cols]))
		if e := v.Float64() - want; max(e, -e) > max(want, -want)/100+1e-2 {
			t.Errorf("element %d is %v, want about %v", i, v.Float64(), want)
		}
	}
	if err := k.launch(s, x.Address(), y.Address(), 3, 7); err == nil {
		t.Error("7 columns are accepted")
	}
}
