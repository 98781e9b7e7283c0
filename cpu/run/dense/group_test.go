package dense

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

type problem64 struct {
	out, a, b layout.Matrix[float64]
	scaling   run.Scaling
}

var groupSet = Set[float64]{Name: "test.Product"}

func product64(g *Group, opt run.Options, p *problem64) {
	opt.Scaling = p.scaling
	Gemm(Call[float64]{Set: &groupSet, Group: g}, &opt, &p.out, &p.a, &p.b)
}

// TestGrouped: a group gives the bits of a call for each, whatever the shapes and threads.
func TestGrouped(t *testing.T) {
	rnd := rand.New(level.PCG(3, 4))
	fill := func(m layout.Matrix[float64]) layout.Matrix[float64] {
		for i := range m.Data {
			m.Data[i] = rnd.Float64() - 0.5
		}
		return m
	}
	for _, threads := range []int{1, 2, 5} {
		var have, want []problem64
		whole, other := fill(layout.New[float64](300, 90)), layout.New[float64](300, 90)
		copy(other.Data, whole.Data)
		row := 0
		for i := range 60 {
			m, n, k := rnd.IntN(12), rnd.IntN(40), rnd.IntN(50)
			switch i {
			case 17:
				m, n, k = 70, 300, 250 // that is shared out
			case 18:
				m = 0
			case 19:
				k = 0
			}
			p := problem64{a: fill(layout.New[float64](m, k)), b: fill(layout.New[float64](n, k)).T(), out: fill(layout.New[float64](m, n))}
			if i%3 == 0 {
				p.scaling = run.Scale(rnd.Float64(), rnd.Float64())
			}
			q := p
			q.out = layout.New[float64](m, n)
			copy(q.out.Data, p.out.Data)
			if m < 12 && n < 45 && row+12 <= 300 { // beside others in one matrix
				from := 45 * (i % 2)
				p.out = whole.Slice(row, row+m, from, from+n)
				q.out = other.Slice(row, row+m, from, from+n)
				row += 12 * (i % 2)
			}
			have, want = append(have, p), append(want, q)
		}
		Grouped("test.Grouped", run.Options{Threads: threads}, have, product64)
		for i := range want {
			q := &want[i]
			groupSet.Gemm(run.Options{Scaling: q.scaling}, q.out, q.a, q.b)
			for r := range q.out.Rows {
				for c := range q.out.Cols {
					if x, y := have[i].out.At(r, c), q.out.At(r, c); x != y {
						t.Fatalf("%d threads, problem %d of %d x %d x %d: [%d,%d] is %v, alone it is %v", threads, i, q.out.Rows, q.out.Cols, q.a.Cols, r, c, x, y)
					}
				}
			}
		}
		if !slices.Equal(whole.Data, other.Data) {
			t.Fatal("something between the results has changed")
		}
	}
	Grouped("test.Grouped", run.Options{}, nil, product64)
}

// TestGroupedRefused: what is wrong with one problem is found before another is done.
func TestGroupedRefused(t *testing.T) {
	m := layout.New[float64]
	wide, x := m(8, 20), m(4, 4)
	one := func() problem64 { return problem64{out: m(4, 4), a: m(4, 4), b: m(4, 4)} }
	with := func(ps ...problem64) []problem64 { return ps }
	to := func(out layout.Matrix[float64]) problem64 { p := one(); p.out = out; return p }
	block := func(r, c int) problem64 { return to(wide.Slice(r, r+4, c, c+4)) }
	reads := func(a layout.Matrix[float64]) problem64 { p := one(); p.a = a; return p }
	for _, c := range []struct {
		problems []problem64
		opt      run.Options
		want     string // "" if nothing is wrong
	}{
		{with(one(), to(m(4, 5))), run.Options{}, "test.Grouped, problem 1: out is 4 x 5, a is 4 x 4"},
		{with(to(x), to(x)), run.Options{}, "out of problem 0 shares memory with out of problem 1"},
		{with(to(x), reads(x)), run.Options{}, "out of problem 0 shares memory with a of problem 1"},
		{with(reads(x), to(x)), run.Options{}, "out of problem 1 shares memory with a of problem 0"},
		{with(reads(x), reads(x)), run.Options{}, ""},
		{with(block(0, 0), block(0, 4), block(4, 0), block(4, 4), block(2, 8), block(0, 16)), run.Options{}, ""},
		{with(block(0, 0), block(3, 0)), run.Options{}, "out of problem 0 shares memory with out of problem 1"},
		{with(block(0, 4), block(1, 1)), run.Options{}, "out of problem 0 shares memory with out of problem 1"},
		{with(block(0, 4), block(3, 1)), run.Options{}, "out of problem 0 shares memory with out of problem 1"},
		{with(block(0, 4), block(4, 1)), run.Options{}, ""},
		{with(to(wide.T().Slice(0, 4, 0, 4)), block(0, 4)), run.Options{}, ""},
		{with(to(wide.T().Slice(0, 4, 0, 4)), block(0, 3)), run.Options{}, "shares memory"},
		{with(one()), run.Options{Scaling: run.Scale(2, 0)}, "Options.Scaling is of one product"},
		{with(one()), run.Options{Threads: -1}, "-1 threads"},
		{nil, run.Options{Threads: -1}, "-1 threads"},
	} {
		for i := range c.problems {
			c.problems[i].out.Set(0, 0, 7)
		}
		got := func() (why string) {
			defer func() {
				if err, ok := recover().(error); ok {
					why = err.Error()
				}
			}()
			Grouped("test.Grouped", c.opt, c.problems, product64)
			return ""
		}()
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		for i := range c.problems {
			if x := c.problems[i].out.At(0, 0); got != "" && x != 7 {
				t.Errorf("%s: problem %d was done all the same", c.want, i)
			}
		}
	}
}

// TestGroupedTypes: products of other types, and those with an epilogue.
func TestGroupedTypes(t *testing.T) {
	mixed := &Set[int32]{Name: "test.Mixed", A: dtype.I8, B: dtype.U8}
	type problem struct {
		out layout.Matrix[int32]
		a   layout.Matrix[int8]
		b   layout.Matrix[uint8]
	}
	var ps []problem
	for i := range 5 {
		a, b := layout.New[int8](i+1, 3), layout.New[uint8](3, 7)
		for k := range 3 {
			a.Set(i, k, int8(k-i))
			b.Set(k, i, uint8(200+k))
		}
		ps = append(ps, problem{layout.New[int32](i+1, 7), a, b})
	}
	Grouped("test.Grouped", run.Options{}, ps, func(g *Group, opt run.Options, p *problem) {
		Gemm(Call[int32]{Set: mixed, Group: g}, &opt, &p.out, &p.a, &p.b)
	})
	for i, p := range ps {
		if have, want := p.out.At(i, i), int32((0-i)*200+(1-i)*201+(2-i)*202); have != want {
			t.Errorf("%d, want %d", have, want)
		}
	}

	fused := requantised[int8, uint8]()
	type ending struct {
		problem
		out    layout.Matrix[int8]
		bias   []int32
		scales []float32
	}
	fusedMember := func(g *Group, opt run.Options, p *ending) {
		e := run.NewEpilogue(opt.Name("test"), p.out.Rows, p.out.Cols)
		run.Out(&e, "out", p.out)
		run.PerColumn(&e, "bias", p.bias)
		run.PerRow(&e, "scales", p.scales)
		run.Scalar(&e, int8(3))
		run.ZeroA(&e, int8(0))
		run.ZeroB(&e, uint8(0))
		Fuse(Call[int32]{Set: fused, Group: g}, &opt, &e, &p.a, &p.b)
	}
	var list []ending
	for i, p := range ps {
		list = append(list, ending{p, layout.New[int8](i+1, 7), make([]int32, 7), make([]float32, i+1)})
	}
	Grouped("test.Grouped", run.Options{}, list, fusedMember)
	for i, p := range list {
		if have := p.out.At(i, i); have != 3 {
			t.Errorf("%d, want the zero point, 3", have)
		}
	}
	list[3].bias = make([]int32, 6)
	list[0].out.Set(0, 0, 99)
	defer func() {
		err, _ := recover().(error)
		if err == nil || !strings.Contains(err.Error(), "test.Grouped, problem 3: bias has 6 elements") || list[0].out.At(0, 0) != 99 {
			t.Errorf("%v, and the first result is %d", err, list[0].out.At(0, 0))
		}
	}()
	Grouped("test.Grouped", run.Options{}, list, fusedMember)
}
