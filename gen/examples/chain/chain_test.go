package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// layer is the operands of MLP.
type layer struct {
	x, up, down       layout.Matrix[float32]
	gain, shift, bias []float32
}

func newLayer(m, n0, n1 int) layer {
	r := rand.New(level.PCG(uint64(m), uint64(n1)))
	return layer{random(r, m, n0), random(r, n0, n1), random(r, n1, n0), randoms(r, n0), randoms(r, n0), randoms(r, n1)}
}

func (l *layer) run(threads int) layout.Matrix[float32] {
	out := layout.New[float32](l.x.Rows, l.x.Cols)
	MLPOpt(run.Options{Threads: threads}, out, l.x, l.gain, l.shift, 1e-5, l.up, l.bias, l.down)
	return out
}

// apart is the same by a call for each operator or product.
func (l *layer) apart() layout.Matrix[float32] {
	m, n0, n1 := l.x.Rows, l.x.Cols, l.up.Cols
	norm, back, out := layout.New[float32](m, n0), layout.New[float32](m, n0), layout.New[float32](m, n0)
	hidden, act := layout.New[float32](m, n1), layout.New[float32](m, n1)
	tensors.LayerNorm(norm, l.x, l.gain, l.shift, 1e-5)
	cpu.MatMul(hidden, norm, l.up)
	BiasGELU(act, hidden, l.bias)
	cpu.MatMul(back, act, l.down)
	Add(out, back, l.x)
	return out
}

// shapes are of rows and both widths: of one block and more, fewer than threads, and with so few columns that b is not packed.
var shapes = [][3]int{{1, 1, 1}, {143, 64, 96}, {145, 33, 70}, {700, 96, 300}, {289, 20, 7}, {1000, 5, 600}, {2500, 8, 40}, {64, 400, 1600}}

// TestBlocks wants what the operators give one after the other, of any number of blocks, and the same bits from any number of threads.
func TestBlocks(t *testing.T) {
	for _, s := range shapes {
		l := newLayer(s[0], s[1], s[2])
		have, want := l.run(1), l.apart()
		for i, x := range have.Data {
			if d := math.Abs(float64(x - want.Data[i])); d > 1e-4*(math.Abs(float64(want.Data[i]))+math.Sqrt(float64(s[1]*s[2]))) {
				t.Fatalf("%v: element %d is %v, want %v", s, i, x, want.Data[i])
			}
		}
		for _, threads := range []int{2, 3, 16} {
			if many := l.run(threads); !slices.Equal(many.Data, have.Data) {
				t.Errorf("%v: %d threads give other bits than one", s, threads)
			}
		}
	}
}

// TestStorm computes chains of several shapes at once, from many goroutines.
func TestStorm(t *testing.T) {
	var wg sync.WaitGroup
	layers := make([]layer, len(shapes))
	want := make([]layout.Matrix[float32], len(shapes))
	for i, s := range shapes {
		layers[i] = newLayer(s[0], s[1], s[2])
		want[i] = layers[i].run(1)
	}
	for g := range 8 {
		wg.Go(func() {
			for k := range 2 * len(shapes) {
				i := (k*5 + g) % len(shapes)
				if have := layers[i].run(1 + (g+k)%4); !slices.Equal(have.Data, want[i].Data) {
					t.Errorf("%v: another result beside other calls", shapes[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestCollected computes small and large chains in turns while the garbage collector runs all the time: it stops at addresses that
// are in no memory, as of a block that there is no room for yet.
func TestCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	for range 20 {
		for _, s := range [][3]int{{2, 2, 2}, {700, 96, 300}, {150, 3, 4}, {2500, 8, 40}} {
			l := newLayer(s[0], s[1], s[2])
			l.run(1)
			out, sums := layout.New[float32](s[0], s[2]), make([]float32, s[2])
			var total float32
			ColumnStats(out, sums, make([]int32, s[2]), &total, make([]float32, s[1]), l.x, l.up, 1<<20, 1, equation.Stream{})
			runtime.GC()
		}
	}
}

// TestFewAllocations: memory between steps and packed factors are kept between calls, which allocate a list of parameters and, with the
// race detector, one of widths.
func TestFewAllocations(t *testing.T) {
	l := newLayer(700, 96, 300)
	out := layout.New[float32](700, 96)
	f := func() { MLPOpt(run.Options{Threads: 1}, out, l.x, l.gain, l.shift, 1e-5, l.up, l.bias, l.down) }
	f()
	if n := testing.AllocsPerRun(5, f); n > 2 {
		t.Errorf("%v allocations a call", n)
	}
}

// TestGradients compares MLPF64Backward with central differences of MLPF64.
func TestGradients(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	const m, n0, n1 = 150, 7, 9
	fill := func(rows, cols int) layout.Matrix[float64] {
		x := layout.New[float64](rows, cols)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		return x
	}
	x, up, down, g, bias := fill(m, n0), fill(n0, n1), fill(n1, n0), fill(m, n0), fill(1, n1).Data
	dx, dbias := layout.New[float64](m, n0), make([]float64, n1)
	MLPF64Backward(dx, dbias, x, up, bias, down, g)
	loss := func() (sum float64) {
		out := layout.New[float64](m, n0)
		MLPF64(out, x, up, bias, down)
		for i, o := range out.Data {
			sum += o * g.Data[i]
		}
		return sum
	}
	difference := func(at *float64) float64 {
		const h = 1e-5
		old := *at
		*at = old + h
		up := loss()
		*at = old - h
		down := loss()
		*at = old
		return (up - down) / (2 * h)
	}
	near := func(what string, have, want float64) {
		if math.Abs(have-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("%s is %v, differences say %v", what, have, want)
		}
	}
	for _, i := range []int{0, 1, 500, m*n0 - 1} {
		near(fmt.Sprintf("dx[%d]", i), dx.Data[i], difference(&x.Data[i]))
	}
	for i := range bias {
		near(fmt.Sprintf("dbias[%d]", i), dbias[i], difference(&bias[i]))
	}
}

// copied is x in rows of its own.
func copied(x layout.Matrix[float32]) layout.Matrix[float32] {
	out := layout.New[float32](x.Rows, x.Cols)
	for i := range x.Rows {
		for j := range x.Cols {
			out.Set(i, j, x.At(i, j))
		}
	}
	return out
}

// TestStrides has operands and results by columns, and keys and values that are parts of a matrix.
func TestStrides(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	const m, f = 200, 24
	all := random(r, m, 3*f)
	q, k, v := all.Slice(0, m, 0, f), all.Slice(0, m, f, 2*f), all.Slice(0, m, 2*f, 3*f)
	want, have := layout.New[float32](m, f), layout.New[float32](f, m).T()
	Attention(want, copied(q), copied(k), copied(v), 0.25)
	Attention(have, q, k, v, 0.25)
	for i := range m {
		for j := range f {
			if math.Abs(float64(have.At(i, j)-want.At(i, j))) > 1e-6 {
				t.Fatalf("element (%d, %d) is %v, want %v", i, j, have.At(i, j), want.At(i, j))
			}
		}
	}
}

// TestEmpty: no rows give sums of nothing, and a product of no columns zeros.
func TestEmpty(t *testing.T) {
	dbias := []float64{1, 2}
	MLPF64Backward(layout.New[float64](0, 3), dbias, layout.New[float64](0, 3), layout.New[float64](3, 2), make([]float64, 2), layout.New[float64](2, 3), layout.New[float64](0, 3))
	if diff := cmp.Diff([]float64{0, 0}, dbias); diff != "" {
		t.Errorf("of no rows: %s", diff)
	}
	out := layout.New[float64](2, 1)
	out.Data[0], out.Data[1] = 7, 8
	MLPF64(out, layout.New[float64](2, 3), layout.New[float64](3, 0), nil, layout.New[float64](0, 1))
	if diff := cmp.Diff([]float64{0, 0}, out.Data); diff != "" {
		t.Errorf("of no columns: %s", diff)
	}
}

// TestRefused: what is wrong is said before anything is written.
func TestRefused(t *testing.T) {
	l := newLayer(150, 4, 5)
	out := layout.New[float32](150, 4)
	call := func(opt run.Options, out layout.Matrix[float32], change func(l *layer)) func() {
		return func() {
			c := l
			change(&c)
			MLPOpt(opt, out, c.x, c.gain, c.shift, 1e-5, c.up, c.bias, c.down)
		}
	}
	none := func(*layer) {}
	for _, c := range []struct {
		f    func()
		want string
	}{
		{call(run.Options{}, out, func(l *layer) { l.up = layout.New[float32](3, 5) }), "up is 3 x 5; want 4 x 5"},
		{call(run.Options{}, out, func(l *layer) { l.down = layout.New[float32](6, 4) }), "down is 6 x 4; want 5 x 4"},
		{call(run.Options{}, out, func(l *layer) { l.bias = l.bias[:4] }), "bias has 4 elements; want 5"},
		{call(run.Options{}, l.x, none), "output 1 is the very same matrix as operand 1"},
		{call(run.Options{}, layout.Matrix[float32]{Data: l.down.Data, Rows: 150, Cols: 4, RowStride: 4, ColStride: 1}, none), "out: 20 elements do not hold 150 x 4"},
		{call(run.Options{}, layout.Matrix[float32]{Data: l.x.Data[2:], Rows: 149, Cols: 4, RowStride: 4, ColStride: 1}, func(l *layer) { l.x.Rows = 149 }), "out shares memory with x"},
		{call(run.Options{B: &run.Packed{}}, out, none), "Options.B is for products"},
		{call(run.Options{Scaling: run.Scale(2, 0)}, out, none), "Options.Scaling is for products"},
		{call(run.Options{Threads: -1}, out, none), "-1 threads"},
		{call(run.Options{ISA: "sse9"}, out, none), "sse9"},
	} {
		func() {
			defer func() {
				if e := recover(); e == nil || !strings.Contains(fmt.Sprint(e), c.want) || !strings.HasPrefix(fmt.Sprint(e), "MLPOpt") {
					t.Errorf("%v, want MLPOpt: ...%s", e, c.want)
				}
			}()
			c.f()
		}()
	}
}
