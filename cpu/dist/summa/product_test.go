package summa_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// grids are as many ranks as a test can bear, in every kind of arrangement.
var grids = []summa.Grid{
	{1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {1, 1, 2}, {2, 2, 1}, {2, 3, 1}, {3, 2, 1}, {1, 5, 1}, {4, 1, 1},
	{1, 1, 3}, {2, 2, 2}, {2, 1, 3}, {1, 3, 2}, {2, 3, 2},
}

// gemmOver multiplies matrices that all ranks see, each its parts of them.
func gemmOver[T dtype.Float](plan summa.Plan, opt summa.Options[T], out, a, b layout.Matrix[T]) error {
	return comm.Run(plan.Grid.Ranks(), func(c *comm.Comm) error {
		r := c.Rank()
		return summa.Mul(c, plan, opt, ranktest.Part(out, plan.C(r)), ranktest.Part(a, plan.A(r)), ranktest.Part(b, plan.B(r)))
	})
}

// counting fills a matrix with small integers, of which products are exact.
func counting[T dtype.Float](rows, cols, seed int) layout.Matrix[T] {
	x := layout.New[T](rows, cols)
	for i := range x.Data {
		x.Data[i] = T((i*7+seed*3+i/5)%11 - 5)
	}
	return x
}

func TestGEMMExact(t *testing.T) {
	t.Run("float32", gemmExact[float32])
	t.Run("float64", gemmExact[float64])
}

func gemmExact[T dtype.Float](t *testing.T) {
	sizes := [][3]int{{13, 17, 19}, {6, 12, 24}, {1, 1, 1}, {3, 2, 1}, {0, 4, 3}, {4, 0, 3}, {4, 3, 0}, {40, 5, 70}, {5, 70, 40}}
	for i, g := range grids {
		for j, s := range sizes {
			a, b, c := counting[T](s[0], s[2], 1), counting[T](s[2], s[1], 2), counting[T](s[0], s[1], 3)
			for x, opt := range []summa.Options[T]{
				{},
				{Local: cpu.Options{Scaling: cpu.Scale(2, -1), Threads: 1}},
				{Local: cpu.Options{Scaling: cpu.Scale(1, 1)}},
			} {
				if level.Of((i+j+x)%3 > 0, false, false) {
					continue
				}
				plan := summa.Plan{M: s[0], N: s[1], K: s[2], Type: dtype.Of[T](), Grid: g, Panel: []int{0, 3, 1}[x], Depth: x, Copies: x == 1}
				alpha, beta := opt.Local.Scaling.Factors()
				out := layout.RowMajor(append([]T{}, c.Data...), c.Rows, c.Cols)
				if err := gemmOver(plan, opt, out, a, b); err != nil {
					t.Fatalf("grid %v, %v: %v", g, s, err)
				}
				if d := cmp.Diff(ranktest.Product(T(alpha), a, b, T(beta), c).Data, out.Data); d != "" {
					t.Fatalf("grid %v, %v, alpha %v, beta %v: -want +have\n%s", g, s, alpha, beta, d)
				}
			}
		}
	}
}

// TestGEMMSuite puts the distributed product through all that a product on one machine is
// put through: bounds of rounding errors, NaN, strides, gaps in front of pages.
func TestGEMMSuite(t *testing.T) {
	t.Run("1x2x2", func(t *testing.T) { gemmSuite[float32](t, summa.Grid{1, 2, 2}) })
	if level.Long() {
		t.Run("2x3x2", func(t *testing.T) { gemmSuite[float32](t, summa.Grid{2, 3, 2}) })
		t.Run("3x2", func(t *testing.T) { gemmSuite[float64](t, summa.Grid{3, 2, 1}) })
	}
}

func gemmSuite[T dtype.Float](t *testing.T, g summa.Grid) {
	if testing.Short() {
		t.Skip("many shapes")
	}
	f := func(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
		plan := summa.Plan{M: a.Rows, N: b.Cols, K: a.Cols, Type: dtype.Of[T](), Grid: g, Panel: 16}
		opt := summa.Options[T]{Local: cpu.Options{Threads: 1, Scaling: cpu.Scale(float64(alpha), float64(beta))}}
		if err := gemmOver(plan, opt, out, a, b); err != nil {
			panic(err)
		}
	}
	// A step may be one element of k long, and layers add up what they have.
	check.Suite(t, f, check.Options{MR: level.Of(2, 2, 3), NR: level.Of(4, 4, 8), KC: 1})
}

// TestGEMMCost counts what is sent.
func TestGEMMCost(t *testing.T) {
	for _, g := range grids {
		for _, s := range [][3]int{{24, 36, 48}, {13, 17, 19}, {2, 3, 2}} {
			plan := summa.Plan{M: s[0], N: s[1], K: s[2], Type: dtype.F64, Grid: g, Panel: 5, Copies: s[0] == 13}
			a, b, out := layout.New[float64](s[0], s[2]), layout.New[float64](s[2], s[1]), layout.New[float64](s[0], s[1])
			var mean comm.Count
			have, want := make([]comm.Count, g.Ranks()), make([]comm.Count, g.Ranks())
			err := comm.Run(g.Ranks(), func(c *comm.Comm) error {
				r := c.Rank()
				sum, err := summa.New[float64](c, plan)
				if err != nil {
					return err
				}
				c.Phase("mul")
				if err := sum.Mul(summa.Options[float64]{}, ranktest.Part(out, plan.C(r)), ranktest.Part(a, plan.A(r)), ranktest.Part(b, plan.B(r))); err != nil {
					return err
				}
				have[r] = c.Total("mul")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for r := range want {
				want[r] = plan.Cost(r).Count
				mean.BytesSent += have[r].BytesSent
				mean.BytesReceived += have[r].BytesReceived
			}
			if d := cmp.Diff(want, have); d != "" {
				t.Errorf("grid %v, %v: -planned +counted\n%s", g, s, d)
			}
			// Every rank must get what its box needs and it does not have: no way of
			// computing the boxes of this grid sends less.
			all := plan.Total()
			m, n, k, p, q, l := int64(s[0]), int64(s[1]), int64(s[2]), int64(g.Rows), int64(g.Cols), int64(g.Layers)
			bound := 8 * (m*k*(q-1) + k*n*(p-1) + m*n*(l-1))
			if all.BytesSent != bound || mean.BytesSent != bound || mean.BytesReceived != bound {
				t.Errorf("grid %v, %v: %d bytes planned, %d sent, %d received; the bound is %d", g, s, all.BytesSent, mean.BytesSent, mean.BytesReceived, bound)
			}
		}
	}
}

// TestGEMMBits: threads and chance decide nothing.
func TestGEMMBits(t *testing.T) {
	const m, n, k = 150, 130, 170
	a, b := ranktest.Random[float32](m, k, 1), ranktest.Random[float32](k, n, 2)
	for _, g := range []summa.Grid{{2, 2, 1}, {3, 1, 2}} {
		plan := summa.Plan{M: m, N: n, K: k, Type: dtype.F32, Grid: g, Panel: 40}
		var first []float32
		for _, threads := range []int{1, 2, 3, 1, 1} {
			out := layout.New[float32](m, n)
			if err := gemmOver(plan, summa.Options[float32]{Local: cpu.Options{Threads: threads}}, out, a, b); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = out.Data
			}
			if d := cmp.Diff(first, out.Data); d != "" {
				t.Errorf("grid %v: %d threads: %s", g, threads, d)
			}
		}
	}
}

// TestGEMMEpilogue: every element gets its bias and activation once, after all of the sum.
func TestGEMMEpilogue(t *testing.T) {
	const m, n, k = 23, 31, 29
	a, b := counting[float64](m, k, 1), counting[float64](k, n, 2)
	want := ranktest.Product(1, a, b, 0, b)
	for i := range m {
		for j := range n {
			want.Set(i, j, max(0, want.At(i, j)+float64(j))*float64(i))
		}
	}
	apply := func(tile layout.Matrix[float64], row, col int) {
		for i := range tile.Rows {
			for j := range tile.Cols {
				tile.Set(i, j, max(0, tile.At(i, j)+float64(col+j))*float64(row+i))
			}
		}
	}
	kernel := func(opt cpu.Options, out, a, b layout.Matrix[float64], row, col int) {
		cpu.MatMulOpt(opt, out, a, b)
		apply(out, row, col)
	}
	for _, g := range grids {
		for _, opt := range []summa.Options[float64]{{Epilogue: apply}, {Kernel: kernel}} {
			if opt.Kernel != nil && g.Layers > 1 {
				continue
			}
			plan := summa.Plan{M: m, N: n, K: k, Type: dtype.F64, Grid: g, Panel: 4}
			out := layout.New[float64](m, n)
			if err := gemmOver(plan, opt, out, a, b); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.Data, out.Data); d != "" {
				t.Errorf("grid %v: -want +have\n%s", g, d)
			}
		}
	}
}

// TestGEMMRefuses: whatever is wrong on one rank is an error on all, at once.
func TestGEMMRefuses(t *testing.T) {
	good := summa.Plan{M: 8, N: 6, K: 4, Type: dtype.F64, Grid: summa.Grid{2, 2, 1}}
	type call struct {
		plan      summa.Plan
		opt       summa.Options[float64]
		out, a, b layout.Matrix[float64]
	}
	for _, c := range []struct {
		name  string
		spoil func(rank int, x *call)
		want  []string
	}{
		{"sizes", func(r int, x *call) {
			if r == 3 {
				x.plan.K = 5
			}
		}, []string{"the ranks disagree about K: ranks 0-2 4, but rank 3 5"}},
		{"mesh", func(r int, x *call) { x.plan.Grid.Rows = 3 }, []string{"a grid of 3x2 has 6 ranks, the Comm has 4"}},
		{"type", func(r int, x *call) {
			if r == 1 {
				x.plan.Type = dtype.F32
			}
		}, []string{"rank 1", "the plan is for f32, the product is of f64"}},
		{"negative", func(r int, x *call) { x.plan.M = -1 }, []string{"-1 x 6 x 4"}},
		{"huge", func(r int, x *call) { x.plan.M, x.plan.K = math.MaxInt, math.MaxInt }, []string{"too large to count"}},
		{"panels", func(r int, x *call) { x.plan.M, x.plan.N, x.plan.K, x.plan.Panel = 0, 0, 1<<30, 1 }, []string{"want panels of at least 1025"}},
		{"part", func(r int, x *call) {
			if r == 2 {
				x.a = layout.New[float64](4, 3)
			}
		}, []string{"rank 2", "a is 4 x 3; the part of this rank in a grid of 2x2 is 4 x 2"}},
		{"short", func(r int, x *call) {
			if r == 0 {
				x.b.Data = x.b.Data[:3]
			}
		}, []string{"rank 0", "b"}},
		{"overlap a", func(r int, x *call) {
			if r == 1 {
				x.a.Data = x.out.Data
			}
		}, []string{"rank 1", "out and a"}},
		{"overlap b", func(r int, x *call) {
			if r == 1 {
				x.b.Data = x.out.Data[1:]
			}
		}, []string{"rank 1", "out and b"}},
		{"repeated out", func(r int, x *call) {
			if r == 3 {
				x.out.RowStride = 0
			}
		}, []string{"rank 3", "out"}},
		{"isa", func(r int, x *call) {
			if r == 1 {
				x.opt.Local.ISA = "abacus"
			}
		}, []string{"rank 1", "abacus"}},
		{"threads", func(r int, x *call) {
			if r == 1 {
				x.opt.Local.Threads = -2
			}
		}, []string{"rank 1", "-2"}},
		{"packed", func(r int, x *call) { x.opt.Local.B = cpu.Pack(x.b) }, []string{"ranks 0-3", "packed"}},
		{"scaling", func(r int, x *call) {
			if r == 1 {
				x.opt.Local.Scaling = cpu.Scale(2, 0)
			}
		}, []string{"alpha and beta", "rank 1"}},
		{"imaginary", func(r int, x *call) { x.opt.Local.Scaling = cpu.ScaleComplex(1i, 0) }, []string{"ranks 0-3", "imaginary"}},
		{"kernel", func(r int, x *call) {
			x.opt.Local.Scaling = cpu.Scale(2, 0)
			x.opt.Kernel = func(cpu.Options, layout.Matrix[float64], layout.Matrix[float64], layout.Matrix[float64], int, int) {}
		}, []string{"ranks 0-3", "Kernel", "Scaling"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := make([]error, 4)
			comm.Run(4, func(co *comm.Comm) error {
				r := co.Rank()
				x := call{plan: good, out: layout.New[float64](4, 3), a: layout.New[float64](4, 2), b: layout.New[float64](2, 3)}
				c.spoil(r, &x)
				errs[r] = summa.Mul(co, x.plan, x.opt, x.out, x.a, x.b)
				return nil
			})
			for r, err := range errs {
				if err == nil {
					t.Fatalf("rank %d: no error", r)
				}
				for _, w := range c.want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("rank %d: %v; want %q in it", r, err, w)
					}
				}
			}
		})
	}
}

// TestGEMMStorm: several products at once on the same ranks, of which none sees another.
func TestGEMMStorm(t *testing.T) {
	const ranks, products, rounds = 4, 5, 6
	err := comm.Run(ranks, func(c *comm.Comm) error {
		sums := make([]*summa.Product[float64], products)
		for i := range sums {
			plan := summa.Plan{M: 20 + i, N: 30 - i, K: 25 + 2*i, Type: dtype.F64, Panel: 1 + i, Depth: 1 + i%3,
				Grid: []summa.Grid{{2, 2, 1}, {1, 4, 1}, {4, 1, 1}, {1, 1, 4}, {1, 2, 2}}[i]}
			var err error
			if sums[i], err = summa.New[float64](c, plan); err != nil {
				return err
			}
		}
		errs := make(chan error, products)
		for i, s := range sums {
			go func() {
				plan := s.Plan()
				for round := range rounds {
					a, b := counting[float64](plan.M, plan.K, round), counting[float64](plan.K, plan.N, i)
					mine := plan.C(c.Rank())
					out := layout.New[float64](mine.Rows.Len(), mine.Cols.Len())
					if err := s.Mul(summa.Options[float64]{}, out, ranktest.Part(a, plan.A(c.Rank())), ranktest.Part(b, plan.B(c.Rank()))); err != nil {
						errs <- err
						return
					}
					want := ranktest.Part(ranktest.Product(1, a, b, 0, a), mine)
					for y := range out.Rows {
						for x := range out.Cols {
							if out.At(y, x) != want.At(y, x) {
								errs <- fmt.Errorf("product %d, round %d: %v at %d, %d; want %v", i, round, out.At(y, x), y, x, want.At(y, x))
								return
							}
						}
					}
				}
				errs <- s.Close()
			}()
		}
		for range sums {
			if err := <-errs; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
