package graph

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// softened is attention of two heads over a band, with rows of blocks that are cut.
type softened struct {
	mask       sparse.BlockMask
	q, k, v, g layout.Matrix[float64] // g is the gradient by the result
	bias       layout.Matrix[float64]
	most       []float64
}

func newSoftened(t *testing.T, n, size, wide, f, h int) *softened {
	t.Helper()
	mask, err := sparse.BandMask(n, size, wide)
	if err != nil {
		t.Fatal(err)
	}
	return &softened{
		mask: mask, q: random[float64](1, n, 2*f), k: random[float64](2, n, 2*f), v: random[float64](3, n, 2*h), g: random[float64](4, n, 2*h),
		bias: random[float64](5, n, n), most: []float64{.7, 1.3}, // of each head
	}
}

// loss is the sum of g times the result.
func (c *softened) loss() (sum float64) {
	out := layout.New[float64](c.v.Rows, c.v.Cols)
	CappedOpt(spblas.BlockAttentionOptions{Options: run.Options{ISA: run.Portable, Threads: 1}}, out, c.mask, c.q, c.k, c.v, c.most, c.bias)
	for i, x := range out.Data {
		sum += x * c.g.Data[i]
	}
	return sum
}

// gradients are those by q, k and v.
func (c *softened) gradients(opt run.Options) [3]layout.Matrix[float64] {
	with := spblas.BlockAttentionOptions{Options: opt, LogSums: make([]float64, 2*c.q.Rows)}
	out := layout.New[float64](c.v.Rows, c.v.Cols)
	CappedOpt(with, out, c.mask, c.q, c.k, c.v, c.most, c.bias)
	d := [3]layout.Matrix[float64]{layout.New[float64](c.q.Rows, c.q.Cols), layout.New[float64](c.k.Rows, c.k.Cols), layout.New[float64](c.v.Rows, c.v.Cols)}
	CappedBack(with, d[0], d[1], d[2], c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias)
	return d
}

// Gradients through a function of scores are the differences of what attention computes, on every instruction set;
// threads change no bit of them.
func TestCappedBack(t *testing.T) {
	c := newSoftened(t, 21, 4, 1, 5, 3)
	var want [3][]float64
	const by = 1e-5
	for i, m := range []layout.Matrix[float64]{c.q, c.k, c.v} {
		for at := range m.Data {
			x := m.Data[at]
			m.Data[at] = x + by
			more := c.loss()
			m.Data[at] = x - by
			want[i] = append(want[i], (more-c.loss())/(2*by))
			m.Data[at] = x
		}
	}
	for _, isa := range run.ISAs() {
		have, again := c.gradients(run.Options{ISA: isa, Threads: 1}), c.gradients(run.Options{ISA: isa, Threads: 3})
		for i, name := range []string{"dq", "dk", "dv"} {
			for at, x := range have[i].Data {
				if d := math.Abs(x - want[i][at]); !(d < 1e-8) {
					t.Fatalf("%s: %s[%d] is %v, differences say %v", isa, name, at, x, want[i][at])
				}
				if again[i].Data[at] != x {
					t.Fatalf("%s: %s[%d] is %v with three threads, %v with one", isa, name, at, again[i].Data[at], x)
				}
			}
		}
	}
}

// Kernels go by tiles and panels where the portable code goes by elements: they agree on a case that has many.
func TestCappedBackLarge(t *testing.T) {
	c := newSoftened(t, 300, 64, 2, 17, 9)
	want := c.gradients(run.Options{ISA: run.Portable})
	for _, isa := range run.ISAs() {
		for i, m := range c.gradients(run.Options{ISA: isa}) {
			for at, x := range m.Data {
				if d := math.Abs(x - want[i].Data[at]); !(d < 1e-12) {
					t.Fatalf("%s: gradient %d, element %d is %v, portable %v", isa, i, at, x, want[i].Data[at])
				}
			}
		}
	}
}

func TestCappedBackRefuses(t *testing.T) {
	c := newSoftened(t, 8, 4, 1, 2, 2)
	n := c.q.Rows
	out := layout.New[float64](n, 4)
	sums := spblas.BlockAttentionOptions{LogSums: make([]float64, 2*n)}
	d := func() layout.Matrix[float64] { return layout.New[float64](n, 4) }
	for _, r := range []struct {
		what, want string
		call       func()
	}{
		{"sums", "graph.CappedBack: LogSums is nil", func() {
			CappedBack(spblas.BlockAttentionOptions{}, d(), d(), d(), c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias)
		}},
		{"shape", "dq is 8 x 6 with columns 1 elements apart, q is 8 x 4 with columns 1 apart", func() {
			CappedBack(sums, layout.New[float64](n, 6), d(), d(), c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias)
		}},
		{"columns", "dv is 8 x 4 with columns 8 elements apart", func() {
			CappedBack(sums, d(), d(), layout.New[float64](4, 8).T(), c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias)
		}},
		{"short", "dout", func() {
			CappedBack(sums, d(), d(), d(), c.mask, c.q, c.k, c.v, out, layout.Matrix[float64]{Data: make([]float64, 5), Rows: n, Cols: 4, RowStride: 4, ColStride: 1}, c.most, c.bias)
		}},
		{"shared", "dk shares memory with bias; copy it first", func() {
			CappedBack(sums, d(), layout.RowMajor(c.bias.Data[:n*4], n, 4), d(), c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias)
		}},
		{"itself", "dq shares memory with k", func() { CappedBack(sums, c.k, d(), d(), c.mask, c.q, c.k, c.v, out, c.g, c.most, c.bias) }},
		{"operand", "graph.CappedBack: most has 3 elements; want 1, or one for each of 2 heads", func() {
			CappedBack(sums, d(), d(), d(), c.mask, c.q, c.k, c.v, out, c.g, make([]float64, 3), c.bias)
		}},
	} {
		t.Run(r.what, func(t *testing.T) {
			defer func() {
				if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), r.want) {
					t.Errorf("%v, want %s", err, r.want)
				}
			}()
			r.call()
		})
	}
}
