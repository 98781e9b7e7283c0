package layer_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// tanh is smooth everywhere, as central differences like it.
func tanh[T dtype.Float]() layer.Activation[T] {
	f := func(z T) T { return T(math.Tanh(float64(z))) }
	return layer.Activation[T]{F: f, Grad: func(z T) T { return 1 - f(z)*f(z) }}
}

// A net is the numbers of an MLP, and what one step of training computes from them.
type net[T dtype.Float] struct {
	in, hidden, out, batch    int
	w1, w2, x, dy             layout.Matrix[T]
	b1, b2                    []T
	y, dx, dw1, dw2, db1, db2 []T
}

func newNet[T dtype.Float](batch, in, hidden, out int) *net[T] {
	n := &net[T]{in: in, hidden: hidden, out: out, batch: batch,
		w1: ranktest.Random[T](in, hidden, 1), w2: ranktest.Random[T](hidden, out, 2), x: ranktest.Random[T](batch, in, 3), dy: ranktest.Random[T](batch, out, 4),
		b1: ranktest.Random[T](1, hidden, 5).Data, b2: ranktest.Random[T](1, out, 6).Data}
	for _, w := range [][]T{n.w1.Data, n.w2.Data} {
		for i := range w {
			w[i] *= .3
		}
	}
	return n
}

// step trains on p ranks, and puts together what each of them has.
func (n *net[T]) step(p int, opt layer.Options[T]) (*net[T], error) {
	r := *n
	r.y, r.dx = make([]T, n.batch*n.out), make([]T, n.batch*n.in)
	r.dw1, r.dw2 = make([]T, n.in*n.hidden), make([]T, n.hidden*n.out)
	r.db1, r.db2 = make([]T, n.hidden), make([]T, n.out)
	y, dx := layout.RowMajor(r.y, n.batch, n.out), layout.RowMajor(r.dx, n.batch, n.in)
	err := comm.Run(p, func(c *comm.Comm) error {
		m, err := layer.NewMLP(c, n.in, n.hidden, n.out, opt)
		if err != nil {
			return err
		}
		up, down := m.Up.Part(), m.Down.Part()
		local.Copy(m.Up.W, ranktest.Part(n.w1, up))
		local.Copy(m.Down.W, ranktest.Part(n.w2, down))
		copy(m.Up.Bias, n.b1[up.Cols.Lo:up.Cols.Hi])
		copy(m.Down.Bias, n.b2)
		rows := dist.Upto(n.batch)
		if opt.Sequence {
			rows = rows.Part(c.Rank(), p)
		}
		slice := func(x layout.Matrix[T]) layout.Matrix[T] { return x.Slice(rows.Lo, rows.Hi, 0, x.Cols) }
		var tape layer.MLPTape[T]
		mine, mineX := layout.New[T](rows.Len(), n.out), layout.New[T](rows.Len(), n.in)
		if err := m.Forward(&tape, mine, slice(n.x), n.batch); err != nil {
			return err
		}
		again := layout.New[T](rows.Len(), n.out)
		if err := m.Forward(nil, again, slice(n.x), n.batch); err != nil {
			return err
		}
		if d := cmp.Diff(mine.Data, again.Data); d != "" {
			return fmt.Errorf("with and without a tape: %s", d)
		}
		if err := m.Backward(&tape, mineX, slice(n.dy)); err != nil {
			return err
		}
		if opt.Sequence || c.Rank() == p-1 {
			local.Copy(slice(y), mine)
			local.Copy(slice(dx), mineX)
		}
		local.Copy(ranktest.Part(layout.RowMajor(r.dw1, n.in, n.hidden), up), m.Up.DW)
		local.Copy(ranktest.Part(layout.RowMajor(r.dw2, n.hidden, n.out), down), m.Down.DW)
		copy(r.db1[up.Cols.Lo:up.Cols.Hi], m.Up.DBias)
		if c.Rank() == 0 {
			copy(r.db2, m.Down.DBias)
		}
		return m.Close()
	})
	return &r, err
}

// plain is y by plain loops.
func (n *net[T]) plain(act func(T) T) *net[T] {
	h := ranktest.Product(1, n.x, n.w1, 0, n.x)
	for i := range h.Rows {
		for j := range h.Cols {
			h.Set(i, j, act(h.At(i, j)+n.b1[j]))
		}
	}
	y := ranktest.Product(1, h, n.w2, 0, h)
	for i := range y.Rows {
		for j := range y.Cols {
			y.Set(i, j, y.At(i, j)+n.b2[j])
		}
	}
	return &net[T]{y: y.Data}
}

// results are what two steps are compared by.
func (n *net[T]) results() map[string][]T {
	return map[string][]T{"y": n.y, "dx": n.dx, "dw1": n.dw1, "dw2": n.dw2, "db1": n.db1, "db2": n.db2}
}

// far says which results of two steps differ by more than tolerance.
func (n *net[T]) far(m *net[T], tolerance float64) error {
	for name, want := range n.results() {
		for i, w := range want {
			have := m.results()[name][i]
			if d := math.Abs(float64(have - w)); !(d <= tolerance*(1+math.Abs(float64(w)))) {
				return fmt.Errorf("%s[%d] is %v; want %v", name, i, have, w)
			}
		}
	}
	return nil
}

var mlpOptions = []struct {
	name     string
	chunks   int
	sequence bool
}{{"all-reduce", 1, false}, {"chunks", 3, false}, {"sequence", 1, true}}

// TestMLPRanks: any number of ranks computes what one does.
func TestMLPRanks(t *testing.T) {
	t.Run("float64", func(t *testing.T) { mlpRanks[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { mlpRanks[float32](t, 2e-5) })
}

func mlpRanks[T dtype.Float](t *testing.T, tolerance float64) {
	for _, s := range [][4]int{{37, 19, 23, 18}, {70, 5, 3, 33}, {2, 8, 16, 4}, {1, 1, 1, 1}, {20, 4, 0, 3}, {0, 4, 6, 3}, {20, 4, 6, 0}} {
		n := newNet[T](s[0], s[1], s[2], s[3])
		for _, o := range mlpOptions {
			opt := layer.Options[T]{Act: tanh[T](), Bias: true, Chunks: o.chunks, Sequence: o.sequence}
			want, err := n.step(1, opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.plain(opt.Act.F).far(&net[T]{y: want.y}, 10*tolerance); err != nil {
				t.Errorf("%s, %v, one rank: %v", o.name, s, err)
			}
			for _, p := range []int{2, 3, 4, 5, 8} {
				have, err := n.step(p, opt)
				if err == nil {
					err = want.far(have, tolerance)
				}
				if err != nil {
					t.Errorf("%s, %v, %d ranks: %v", o.name, s, p, err)
				}
			}
		}
	}
}

// TestMLPNoInputs runs a layer without inputs twice: y is the bias, not added to what was there.
func TestMLPNoInputs(t *testing.T) {
	err := comm.Run(2, func(c *comm.Comm) error {
		l, err := layer.NewColumn[float64](c, 0, 4, layer.Options[float64]{Bias: true, Sequence: true})
		if err != nil {
			return err
		}
		for i := range l.Bias {
			l.Bias[i] = 3
		}
		x, y := layout.New[float64](2, 0), layout.New[float64](4, 2)
		for range 2 {
			if err := l.Forward(nil, y, x); err != nil {
				return err
			}
		}
		for i, v := range y.Data {
			if v != 3 {
				return fmt.Errorf("element %d is %v, want the bias, 3", i, v)
			}
		}
		return l.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMLPGradient compares with central differences of the loss that is the sum of dy*y.
func TestMLPGradient(t *testing.T) {
	n := newNet[float64](6, 5, 7, 4)
	for _, o := range mlpOptions {
		opt := layer.Options[float64]{Act: tanh[float64](), Bias: true, Chunks: o.chunks, Sequence: o.sequence}
		have, err := n.step(3, opt)
		if err != nil {
			t.Fatal(err)
		}
		loss := func() float64 {
			r, err := n.step(1, opt)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, v := range r.y {
				sum += v * n.dy.Data[i]
			}
			return sum
		}
		for _, g := range []struct {
			name    string
			x, grad []float64
		}{{"x", n.x.Data, have.dx}, {"w1", n.w1.Data, have.dw1}, {"w2", n.w2.Data, have.dw2}, {"b1", n.b1, have.db1}, {"b2", n.b2, have.db2}} {
			for i := 0; i < len(g.x); i += 3 {
				const h = 1e-5
				x := g.x[i]
				g.x[i] = x + h
				more := loss()
				g.x[i] = x - h
				less := loss()
				g.x[i] = x
				if want := (more - less) / (2 * h); math.Abs(want-g.grad[i]) > 1e-8*(1+math.Abs(want)) {
					t.Errorf("%s: the gradient by %s[%d] is %v; differences give %v", o.name, g.name, i, g.grad[i], want)
				}
			}
		}
	}
}

// TestMLPChunks: into how many parts a sum is cut changes no bit, nor do threads.
func TestMLPChunks(t *testing.T) {
	n := newNet[float32](150, 60, 90, 40)
	for _, p := range []int{3, 2}[:level.Of(1, 2, 2)] {
		var want *net[float32]
		for _, chunks := range []int{1, 2, 4, 7} {
			for threads := range 3 {
				if chunks > 1 && (chunks+threads)%level.Of(3, 2, 1) != 0 {
					continue
				}
				have, err := n.step(p, layer.Options[float32]{Act: tanh[float32](), Bias: true, Chunks: chunks, Local: cpu.Options{Threads: threads}})
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = have
				}
				if x, y := want.results(), have.results(); !reflect.DeepEqual(x, y) { // a difference takes a hundred times as long
					t.Errorf("%d ranks, %d chunks, %d threads: %s", p, chunks, threads, cmp.Diff(x, y))
				}
			}
		}
	}
}

// TestMLPBytes: the two products have nothing between them; forward and backward a rank
// sends 2(p-1)/p of the result.
func TestMLPBytes(t *testing.T) {
	for _, s := range []struct {
		p, batch, in, hidden, out int
		sequence                  bool
		chunks                    int
	}{
		{2, 64, 48, 96, 40, false, 1}, {4, 64, 48, 96, 40, false, 1}, {8, 64, 48, 96, 40, false, 1},
		{2, 64, 48, 96, 40, true, 1}, {4, 64, 48, 96, 40, true, 1}, {8, 64, 48, 96, 40, true, 1},
		{4, 64, 48, 96, 40, false, 3}, {3, 37, 19, 23, 18, false, 2}, {3, 37, 19, 23, 18, true, 1}, {5, 3, 2, 2, 1, false, 1},
	} {
		have, want := make([][2]comm.Count, s.p), make([][2]comm.Count, s.p)
		err := comm.Run(s.p, func(c *comm.Comm) error {
			opt := layer.Options[float64]{Act: tanh[float64](), Bias: true, Chunks: s.chunks, Sequence: s.sequence}
			m, err := layer.NewMLP(c, s.in, s.hidden, s.out, opt)
			if err != nil {
				return err
			}
			rows := s.batch
			if s.sequence {
				rows = dist.Upto(s.batch).Part(c.Rank(), s.p).Len()
			}
			var tape layer.MLPTape[float64]
			c.Phase("forward")
			if err := m.Forward(&tape, layout.New[float64](rows, s.out), layout.New[float64](rows, s.in), s.batch); err != nil {
				return err
			}
			c.Phase("backward")
			if err := m.Backward(&tape, layout.New[float64](rows, s.in), layout.New[float64](rows, s.out)); err != nil {
				return err
			}
			have[c.Rank()] = [2]comm.Count{c.Total("forward"), c.Total("backward")}
			forward, backward := m.Cost(s.batch)
			want[c.Rank()] = [2]comm.Count{forward, backward}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Errorf("%+v: -said +counted\n%s", s, d)
		}
		var sent [2]int64
		for r, x := range have {
			for i, n := range []int{s.out, s.in} {
				sent[i] += x[i].BytesSent
				if bytes := int64(8 * s.batch * n); s.batch == 64 && !s.sequence && s.chunks == 1 && x[i].BytesSent*int64(s.p) != 2*int64(s.p-1)*bytes {
					t.Errorf("%+v: rank %d sends %d bytes of %d; want 2(p-1)/p of them", s, r, x[i].BytesSent, bytes)
				}
			}
		}
		for i, n := range []int{s.out, s.in} {
			other := s.in + s.out - n
			want := 2 * int64(s.p-1) * int64(8*s.batch*n)
			if s.sequence {
				want = int64(s.p-1) * int64(8*s.batch) * int64(n+other)
			}
			if sent[i] != want {
				t.Errorf("%+v: %d bytes in all; want %d", s, sent[i], want)
			}
		}
	}
}

// TestMLPKernel: a fused kernel gets this rank's columns of weights and bias.
func TestMLPKernel(t *testing.T) {
	n := newNet[float64](9, 8, 11, 7)
	opt := layer.Options[float64]{Act: tanh[float64](), Bias: true}
	opt.Kernel = func(local cpu.Options, y, x, w layout.Matrix[float64], bias []float64) {
		cpu.MatMulOpt(local, y, x, w)
		for i := range y.Rows {
			for j := range y.Cols {
				y.Set(i, j, opt.Act.F(y.At(i, j)+bias[j]))
			}
		}
	}
	for _, sequence := range []bool{false, true} {
		opt.Sequence = sequence
		if _, err := n.step(3, opt); err != nil { // step compares with and without
			t.Error(err)
		}
	}
}

func TestMLPRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(c *comm.Comm, m *layer.MLP[float64]) error
		want string
	}{
		{"batch", func(c *comm.Comm, m *layer.MLP[float64]) error {
			b := 4 + c.Rank()/2
			return m.Forward(nil, layout.New[float64](b, 5), layout.New[float64](b, 6), b)
		}, "the ranks disagree about the batch: ranks 0-1 4, but rank 2 5"},
		{"x", func(c *comm.Comm, m *layer.MLP[float64]) error {
			return m.Forward(nil, layout.New[float64](4, 5), layout.New[float64](4, 6-c.Rank()/2), 4)
		}, "rank 2: x is 4 x 5; want 4 x 6"},
		{"y", func(c *comm.Comm, m *layer.MLP[float64]) error {
			return m.Forward(nil, layout.New[float64](4+c.Rank()%2, 5), layout.New[float64](4, 6), 4)
		}, "rank 1: y is 5 x 5; want 4 x 5"},
		{"weights", func(c *comm.Comm, m *layer.MLP[float64]) error {
			if c.Rank() == 1 {
				m.Up.W = layout.New[float64](2, 2)
			}
			return m.Forward(nil, layout.New[float64](4, 5), layout.New[float64](4, 6), 4)
		}, "rank 1: W is 2 x 2"},
		{"huge", func(c *comm.Comm, m *layer.MLP[float64]) error {
			return m.Forward(nil, layout.New[float64](4, 5), layout.New[float64](4, 6), math.MaxInt)
		}, "more than can be counted"},
		{"tape", func(c *comm.Comm, m *layer.MLP[float64]) error {
			return m.Backward(nil, layout.New[float64](4, 6), layout.New[float64](4, 5))
		}, "Backward needs the tape"},
		{"empty tape", func(c *comm.Comm, m *layer.MLP[float64]) error {
			return m.Backward(new(layer.MLPTape[float64]), layout.New[float64](4, 6), layout.New[float64](4, 5))
		}, "the Tape is not of a Forward"},
		{"overlap", func(c *comm.Comm, m *layer.MLP[float64]) error {
			l, err := layer.NewRow[float64](c, 6, 6, layer.Options[float64]{})
			if err != nil {
				return err
			}
			x := layout.New[float64](4, 6)
			return l.Forward(nil, x, x.Slice(0, 4, 0, l.Part().Rows.Len()))
		}, "out and a"},
		{"options", func(c *comm.Comm, m *layer.MLP[float64]) error {
			_, err := layer.NewRow[float64](c, 6, 6, layer.Options[float64]{Chunks: c.Rank()})
			return err
		}, "the ranks disagree about Chunks"},
		{"sizes", func(c *comm.Comm, m *layer.MLP[float64]) error {
			_, err := layer.NewColumn[float64](c, 6, 6-c.Rank(), layer.Options[float64]{})
			return err
		}, "the ranks disagree about out: rank 0 6, but rank 1 5, but rank 2 4"},
		{"too many", func(c *comm.Comm, m *layer.MLP[float64]) error {
			_, err := layer.NewColumn[float64](c, math.MaxInt, math.MaxInt, layer.Options[float64]{})
			return err
		}, "more weights than can be counted"},
		{"chunks", func(c *comm.Comm, m *layer.MLP[float64]) error {
			_, err := layer.NewColumn[float64](c, 6, 6, layer.Options[float64]{Chunks: -1})
			return err
		}, "-1 chunks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := make([]error, 3)
			if err := comm.Run(3, func(co *comm.Comm) error {
				m, err := layer.NewMLP(co, 6, 7, 5, layer.Options[float64]{Act: tanh[float64]()})
				if err != nil {
					return err
				}
				errs[co.Rank()] = c.run(co, m)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for r, err := range errs {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("rank %d: %v; want %q in it", r, err, c.want)
				}
			}
		})
	}
}
