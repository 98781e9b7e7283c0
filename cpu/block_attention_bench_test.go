package cpu

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/softmaxf"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// denseAttention is what there is without a mask: rows of scores by MatMul, a softmax of
// each by our own kernels, and MatMul.
type denseAttention struct {
	scores layout.Matrix[float32]
	rows   layout.Matrix[float32]
	state  []float32
	args   kernel.SparseArgs
}

func newDenseAttention(rows, n int) *denseAttention {
	return &denseAttention{scores: layout.New[float32](rows, n), state: make([]float32, rows*32)}
}

func (d *denseAttention) attend(opt Options, out, q, k, v layout.Matrix[float32], scale float64) {
	step := d.scores.Rows
	kern := softmaxf.KernelsF32[0]
	for i := 0; i < q.Rows; i += step {
		o := opt
		o.Scaling = Scale(scale, 0)
		MatMulOpt(o, d.scores, q.Slice(i, i+step, 0, q.Cols), k.T())
		for x := range d.state {
			if d.state[x] = 0; x/kern.VL%2 == 0 {
				d.state[x] = -1e30
			}
		}
		g := &d.args
		*g = kernel.SparseArgs{A: unsafe.Pointer(&d.scores.Data[0]), LdA: int64(4 * d.scores.RowStride), Rows: int64(step), K: int64(d.scores.Cols / kern.VL),
			B: unsafe.Pointer(&d.state[0]), C: unsafe.Pointer(&d.state[0])}
		kern.Op("Step").F(g)
		rows := out.Slice(i, i+step, 0, out.Cols)
		MatMulOpt(opt, rows, d.scores, v)
		for r := range step {
			sum := float32(0)
			for _, x := range d.state[r*2*kern.VL+kern.VL : (r+1)*2*kern.VL] {
				sum += x
			}
			row := rows.Data[r*rows.RowStride:][:rows.Cols]
			for j := range row {
				row[j] *= 1 / sum
			}
		}
	}
}

// BenchmarkBlockAttention is 12 heads of 4096 tokens and 64 columns with 80 % of the blocks
// empty, beside dense attention over blocks of rows by the same kernels.
func BenchmarkBlockAttention(b *testing.B) {
	if len(softmaxf.KernelsF32) == 0 {
		b.Skip("needs assembly")
	}
	const n, f, heads = 4096, 64, 12
	rng := rand.New(level.PCG(1, 2))
	q, k, v, out := normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f), normalDense[float32](rng, n, heads*f), layout.New[float32](n, heads*f)
	h := Heads{Count: heads, Out: f, Q: f, K: f, V: f}
	part := func(m layout.Matrix[float32], h int) layout.Matrix[float32] { return headAt(m, f, h) }
	random := sparse.NewBuilder[float32](n/f, n/f)
	for i := range n / f {
		for _, j := range rng.Perm(n / f)[:13] {
			random.Add(i, j, 0)
		}
	}
	blocks, err := random.Matrix()
	if err != nil {
		b.Fatal(err)
	}
	masks := []struct {
		name string
		mask mask.Mask
	}{
		{"band", mustMask(mask.Band(n, f, 6))}, {"random", mustMask(mask.New(n, n, f, blocks))},
		{"band16", mustMask(mask.Band(n, 16, 25))}, {"full", mustMask(mask.Full(n, n, f))},
	}
	opt := Options{Threads: 1}
	BlockAttention(BlockAttentionOptions{Options: opt, Heads: h}, part(out, 0), masks[3].mask, part(q, 0), part(k, 0), part(v, 0))
	whole := layout.New[float32](n, f)
	newDenseAttention(256, n).attend(opt, whole, part(q, 1), part(k, 1), part(v, 1), .125)
	for i := range n { // right first; masks are the tests'
		for j := range f {
			if have, want := out.At(i, f+j), whole.At(i, j); have-want > 1e-4 || want-have > 1e-4 {
				b.Fatalf("element (%d, %d) is %v, want %v", i, j, have, want)
			}
		}
	}
	for _, m := range masks {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				BlockAttention(BlockAttentionOptions{Options: opt, Heads: h}, part(out, 0), m.mask, part(q, 0), part(k, 0), part(v, 0))
			}
			b.ReportMetric(m.mask.Density(), "density")
		})
	}
	sums, dout := make([]float64, heads*n), normalDense[float32](rng, n, heads*f)
	dq, dk, dv := layout.New[float32](n, heads*f), layout.New[float32](n, heads*f), layout.New[float32](n, heads*f)
	o := BlockAttentionOptions{Options: opt, Heads: h, LogSums: sums}
	for _, m := range masks[:2] {
		BlockAttention(o, part(out, 0), m.mask, part(q, 0), part(k, 0), part(v, 0))
		b.Run(m.name+"/back", func(b *testing.B) {
			for b.Loop() {
				BlockAttentionBack(o, part(dq, 0), part(dk, 0), part(dv, 0), m.mask, part(q, 0), part(k, 0), part(v, 0), part(out, 0), part(dout, 0))
			}
		})
	}
	for _, rows := range []int{64, 256} {
		d := newDenseAttention(rows, n)
		b.Run(map[int]string{64: "dense64", 256: "dense256"}[rows], func(b *testing.B) {
			for b.Loop() {
				for h := range heads {
					d.attend(opt, part(out, h), part(q, h), part(k, h), part(v, h), .125)
				}
			}
		})
	}
}
