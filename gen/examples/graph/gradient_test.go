package graph

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/attention"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// softened is attention of two heads over a band, with rows of blocks that are cut.
type softened struct {
	mask       sparse.BlockMask
	q, k, v, g layout.Matrix[float64] // g is the gradient by the result
	bias       layout.Matrix[float64]
	limit      []float64
}

func newSoftened(t *testing.T, n, size, wide, f, h int) *softened {
	t.Helper()
	mask, err := sparse.BandMask(n, size, wide)
	if err != nil {
		t.Fatal(err)
	}
	return &softened{
		mask: mask, q: random[float64](1, n, 2*f), k: random[float64](2, n, 2*f), v: random[float64](3, n, 2*h), g: random[float64](4, n, 2*h),
		bias: random[float64](5, n, n), limit: []float64{.7, 1.3}, // of each head
	}
}

// loss is the sum of g times the result.
func (c *softened) loss() (sum float64) {
	out := layout.New[float64](c.v.Rows, c.v.Cols)
	SoftcapAttentionOpt(attention.Options{Options: run.Options{ISA: run.Portable, Threads: 1}}, out, c.mask, c.q, c.k, c.v, c.limit, c.bias)
	for i, x := range out.Data {
		sum += x * c.g.Data[i]
	}
	return sum
}

// operands are what gradients are by, and their names.
func (c *softened) operands() ([5][]float64, [5]string) {
	return [5][]float64{c.q.Data, c.k.Data, c.v.Data, c.limit, c.bias.Data}, [5]string{"dq", "dk", "dv", "dlimit", "dbias"}
}

// gradients are those by all operands.
func (c *softened) gradients(opt run.Options) [5][]float64 {
	with := attention.Options{Options: opt, LogSums: make([]float64, 2*c.q.Rows)}
	out := layout.New[float64](c.v.Rows, c.v.Cols)
	SoftcapAttentionOpt(with, out, c.mask, c.q, c.k, c.v, c.limit, c.bias)
	d := [3]layout.Matrix[float64]{layout.New[float64](c.q.Rows, c.q.Cols), layout.New[float64](c.k.Rows, c.k.Cols), layout.New[float64](c.v.Rows, c.v.Cols)}
	dlimit, dbias := make([]float64, len(c.limit)), layout.New[float64](c.bias.Rows, c.bias.Cols)
	for i := range dbias.Data {
		dbias.Data[i] = math.NaN() // what was there does not count
	}
	SoftcapAttentionBack(with, d[0], d[1], d[2], dlimit, dbias, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
	return [5][]float64{d[0].Data, d[1].Data, d[2].Data, dlimit, dbias.Data}
}

// Gradients through a function of scores are the differences of what attention computes, on every instruction set;
// threads change no bit of them.
func TestSoftcapAttentionBack(t *testing.T) {
	for _, each := range []bool{false, true} {
		c := newSoftened(t, 21, 4, 1, 5, 3)
		if each { // a bias for each head, and one most for all
			c.bias, c.limit = random[float64](5, 2*21, 21), c.limit[:1]
		}
		testCappedBack(t, c)
	}
}

func testCappedBack(t *testing.T, c *softened) {
	var want [5][]float64
	const by = 1e-5
	of, names := c.operands()
	for i, data := range of {
		for at, x := range data {
			data[at] = x + by
			more := c.loss()
			data[at] = x - by
			want[i] = append(want[i], (more-c.loss())/(2*by))
			data[at] = x
		}
	}
	for _, isa := range run.ISAs() {
		have, again := c.gradients(run.Options{ISA: isa, Threads: 1}), c.gradients(run.Options{ISA: isa, Threads: 3})
		for i, name := range names {
			for at, x := range have[i] {
				if d := math.Abs(x - want[i][at]); !(d < 1e-8) {
					t.Fatalf("%s: %s[%d] is %v, differences say %v", isa, name, at, x, want[i][at])
				}
				if again[i][at] != x {
					t.Fatalf("%s: %s[%d] is %v with three threads, %v with one", isa, name, at, again[i][at], x)
				}
			}
		}
	}
}

// Kernels go by tiles and panels where the portable code goes by elements: they agree on a case that has many.
func TestSoftcapAttentionBackLarge(t *testing.T) {
	c := newSoftened(t, 300, 64, 2, 17, 9)
	want := c.gradients(run.Options{ISA: run.Portable})
	for _, isa := range run.ISAs() {
		for i, m := range c.gradients(run.Options{ISA: isa}) {
			for at, x := range m {
				if d := math.Abs(x - want[i][at]); !(d < 1e-12) {
					t.Fatalf("%s: gradient %d, element %d is %v, portable %v", isa, i, at, x, want[i][at])
				}
			}
		}
	}
}

func TestSoftcapAttentionBackRefuses(t *testing.T) {
	c := newSoftened(t, 8, 4, 1, 2, 2)
	n := c.q.Rows
	out := layout.New[float64](n, 4)
	sums := attention.Options{LogSums: make([]float64, 2*n)}
	d := func() layout.Matrix[float64] { return layout.New[float64](n, 4) }
	none := layout.Matrix[float64]{}
	for _, r := range []struct {
		what, want string
		call       func()
	}{
		{"sums", "graph.SoftcapAttentionBack: LogSums is nil", func() {
			SoftcapAttentionBack(attention.Options{}, d(), d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"shape", "dq is 8 x 6 with columns 1 elements apart, q is 8 x 4 with columns 1 apart", func() {
			SoftcapAttentionBack(sums, layout.New[float64](n, 6), d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"columns", "dv is 8 x 4 with columns 8 elements apart", func() {
			SoftcapAttentionBack(sums, d(), d(), layout.New[float64](4, 8).T(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"short", "dout", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, layout.Matrix[float64]{Data: make([]float64, 5), Rows: n, Cols: 4, RowStride: 4, ColStride: 1}, c.limit, c.bias)
		}},
		{"shared", "dk shares memory with bias; copy it first", func() {
			SoftcapAttentionBack(sums, d(), layout.RowMajor(c.bias.Data[:n*4], n, 4), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"itself", "dq shares memory with k", func() {
			SoftcapAttentionBack(sums, c.k, d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"as long", "graph.SoftcapAttentionBack: dlimit is that of all heads, limit has elements for each head; want them alike", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), make([]float64, 1), none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"gradient", "graph.SoftcapAttentionBack: dlimit has 3 elements; want 1, or so many for each of 2 heads, as limit has, or nil", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), make([]float64, 3), none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"form", "graph.SoftcapAttentionBack: dbias is 3 x 8, the mask is 8 x 8; want the shape of bias", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), nil, layout.New[float64](3, 8), c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"in place", "graph.SoftcapAttentionBack: dbias shares memory with bias", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), nil, c.bias, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"sums in place", "graph.SoftcapAttentionBack: LogSums shares memory with dq", func() {
			both := d()
			SoftcapAttentionBack(attention.Options{LogSums: both.Data[:2*n]}, both, d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"operand in place", "graph.SoftcapAttentionBack: dlimit shares memory with LogSums", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), sums.LogSums[:2], none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"both", "graph.SoftcapAttentionBack: dlimit shares memory with dq", func() {
			both := d()
			SoftcapAttentionBack(sums, both, d(), d(), both.Data[:2], none, c.mask, c.q, c.k, c.v, out, c.g, c.limit, c.bias)
		}},
		{"operand", "graph.SoftcapAttentionBack: limit has 3 elements; want 1, or one for each of 2 heads", func() {
			SoftcapAttentionBack(sums, d(), d(), d(), nil, none, c.mask, c.q, c.k, c.v, out, c.g, make([]float64, 3), c.bias)
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

// TestAttendBack has operands by row, by column and by head: gradients by them against sums over what the definition of
// attention gives, in float64.
func TestALiBiAttentionBack(t *testing.T) {
	const n, f, h = 70, 6, 5
	mask, err := sparse.BandMask(n, 16, 1)
	if err != nil {
		t.Fatal(err)
	}
	q, k, v, g := random[float32](1, n, 4*f), random[float32](2, n, 4*f), random[float32](3, n, 4*h), random[float32](4, n, 4*h)
	queryPos, keyPos := random[float32](5, 4*n, 1).Data, random[float32](6, n, 1).Data // of each head, and of all
	slope := []float32{.5, .25, 2, 1}
	wantQueryPos, wantKeyPos, wantSlope := make([]float64, len(queryPos)), make([]float64, n), make([]float64, 4)
	for head := range 4 {
		for i := range n {
			var weights, by []float64
			total, mean := 0.0, 0.0
			for j := range n {
				score, d := 0.0, 0.0
				for x := range f {
					score += float64(q.At(i, head*f+x)) * float64(k.At(j, head*f+x))
				}
				for x := range h {
					d += float64(g.At(i, head*h+x)) * float64(v.At(j, head*h+x))
				}
				weight := 0.0
				if j <= i && mask.Has(i, j) {
					weight = math.Exp(score/math.Sqrt(f) - float64(slope[head])*float64(queryPos[head*n+i]-keyPos[j]))
				}
				weights, by = append(weights, weight), append(by, d)
				total, mean = total+weight, mean+weight*d
			}
			for j := range n {
				d := weights[j] / total * (by[j] - mean/total) // by the score
				wantQueryPos[head*n+i] -= float64(slope[head]) * d
				wantKeyPos[j] += float64(slope[head]) * d
				wantSlope[head] -= float64(queryPos[head*n+i]-keyPos[j]) * d
			}
		}
	}
	for _, isa := range run.ISAs() {
		for _, threads := range []int{1, 3} {
			opt := attention.Options{Options: run.Options{ISA: isa, Threads: threads}, LogSums: make([]float64, 4*n)}
			out := layout.New[float32](n, 4*h)
			ALiBiAttentionOpt(opt, out, mask, q, k, v, queryPos, keyPos, slope)
			dqueryPos, dkeyPos, dslope := make([]float32, len(queryPos)), make([]float32, n), make([]float32, 4)
			ALiBiAttentionBack(opt, layout.New[float32](n, 4*f), layout.New[float32](n, 4*f), layout.New[float32](n, 4*h), dqueryPos, dkeyPos, dslope, mask, q, k, v, out, g, queryPos, keyPos, slope)
			for _, d := range []struct {
				name string
				have []float32
				want []float64
			}{{"dqueryPos", dqueryPos, wantQueryPos}, {"dkeyPos", dkeyPos, wantKeyPos}, {"dslope", dslope, wantSlope}} {
				for x, have := range d.have {
					if diff := math.Abs(float64(have) - d.want[x]); !(diff < 2e-5) {
						t.Fatalf("%s, %d threads: %s[%d] is %v, want %v", isa, threads, d.name, x, have, d.want[x])
					}
				}
			}
		}
	}
}
