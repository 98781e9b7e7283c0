package check

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// Attention is the operation of attention over blocks. A score is output 0 for
// a product of a row of q, which is A, and one of k, which is B. Row h*m+i is row i of head h. The result is m x (heads *
// width), with heads side by side. It is compared with the formula in float64, with scores from the epilogue's function
// in Go. Operands are for all heads and for each head, with NaN wherever no row looks.
type Attention struct {
	VL                int
	Heads             int // 0: one
	Features          int // columns of a head; 0: any
	Scale             float64
	Causal, UnseenNaN bool
}

// attentionMasks are masks with blocks that are cut short, rows that see nothing, and more columns than a
// step of a softmax may see.
func attentionMasks() map[string]mask.Mask {
	b := sparse.NewBuilder[float32](5, 4)
	b.Add(0, 3, 1)
	b.Add(0, 0, 1)
	b.Add(2, 1, 0)
	b.Add(4, 2, 0)
	blocks := must(b.Matrix())
	band := must(mask.Band(70, 16, 1))
	return map[string]mask.Mask{
		"one": must(mask.Full(1, 1, 1)), "band": band, "causal": band.Causal(), "some": must(mask.New(33, 27, 7, blocks)),
		"wide": must(mask.Full(3, 530, 64)), "decoding": must(mask.Full(2, 70, 8)).Causal(), "none": must(mask.Full(0, 4, 2)),
		"tall": must(mask.Full(67, 3, 100)).Causal(),
	}
}

func (op Attention) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	salt := 0
	masks := attentionMasks()
	for _, name := range slices.Sorted(maps.Keys(masks)) {
		for _, exact := range []bool{true, false} {
			salt++
			p := op.problem(c, masks[name], []int{1, op.VL + 3, 2 * op.VL}[salt%3], []int{op.VL, 5, 1}[salt%3], exact, uint64(salt), 1)
			if !yield(fmt.Sprintf("%s exact=%v", name, exact), p, nil) {
				return
			}
		}
	}
}

// timed is attention of heads that are size wide. A multiply-add is one of a product of q and k or of weights
// and v, of elements that the mask has.
func (op Attention) timed(c *Case, of any, size int, exact bool) (*Problem, error) {
	mask, ok := of.(mask.Mask)
	if !ok {
		return nil, fmt.Errorf("check: attention needs a mask to be timed")
	}
	p := op.problem(c, mask, size, size, exact, 0, 1+mask.Rows()*size*max(op.Heads, 1)/1000)
	return p, nil
}

// Measured is as of [SpMM], of the columns of a head.
func (op Attention) Measured() (family string, columns int, usual []int) {
	return "BlockAttention", op.Features, []int{64}
}

// problem makes the operands: heads of f columns, and values of h. Of the rows of a result one in step is compared.
func (op Attention) problem(c *Case, mask mask.Mask, f, h int, exact bool, salt uint64, step int) *Problem {
	if op.Features > 0 {
		f, h = op.Features, op.Features
	}
	m, n, heads, each := mask.Rows(), mask.Cols(), max(op.Heads, 1), 1
	if salt/2%2 == 0 { // operands have elements for each head
		each = heads
	}
	p := c.problem(Shape{m, n, f}, 85+salt, exact)
	p.N, p.pad, p.guarded, p.turn = heads*h, (m+h)%3, true, int(salt)
	seen := mask
	if op.Causal {
		seen = mask.Causal()
	}
	p.slots[S] = &operand{views: []any{mask}}
	q, k, v := p.factor(A, c.A, m, heads*f, false), p.factor(B, c.B, n, heads*f, false), p.factor(V, c.B, n, heads*h, false)
	rows, cols := make([]bool, m), make([]bool, n)
	for i := range m {
		for j := range seen.Limit(i) {
			if seen.Has(i, j) {
				rows[i], cols[j] = true, true
			}
		}
	}
	q.hide(rows)
	k.hide(cols)
	v.hide(cols)
	p.macs = int(seen.Density()*float64(m)*float64(n)) * heads * 2 * f
	p.extent = func(s *Slot) (rows, cols int) {
		switch {
		case s.Row:
			return each * m, n
		case s.Col:
			return m, each * n
		}
		return each, 1
	}
	p.place = func(s *Slot, i, j int) (row, col int) {
		switch {
		case s.Row:
			return s.place(i%(each*m), j)
		case s.Col:
			return 0, (i/m*n + j) % (each * n)
		}
		return 0, i / m % each
	}
	scale := op.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(f))
	}
	scale = roundTo(c.A, scale)
	p.terms = func(i, j int) (x, y []float64) {
		x, y = p.buffers(f)
		q.read(x, i%m*q.rs+i/m*f*q.cs, q.cs)
		k.read(y, j*k.rs+i/m*f*k.cs, k.cs)
		return x, y
	}
	p.end = func(_, _ int, t *total) {
		t.sum, t.abs, t.roundings = scale*t.sum, math.Abs(scale)*t.abs, t.roundings+1
	}
	p.look = func() error {
		for h := range heads {
			for i := h % step; i < m; i += step {
				if err := op.row(c, p, seen, heads, h, i); err != nil {
					return fmt.Errorf("head %d, row %d: %w", h, i, err)
				}
			}
		}
		return nil
	}
	return p
}

// row compares one row of a head.
func (op Attention) row(c *Case, p *Problem, seen mask.Mask, heads, h, i int) error {
	var columns []int
	s := softmax{eps: c.ulp(0, 1), top: -inf}
	for j := range seen.Limit(i) {
		if !seen.Has(i, j) {
			continue
		}
		columns = append(columns, j)
		x := c.values(p, h*p.M+i, j)[0]
		hidden := math.IsInf(x.mid, -1)
		switch {
		case x.nan || hidden && x.hi != x.mid || !hidden && math.IsInf(x.lo, 0):
			return nil // which side of a jump of the function it is on is not known
		case hidden:
			s.scores = append(s.scores, x.mid)
		default:
			s.add(x, 2)
		}
	}
	sum := s.weigh()
	bound := math.Expm1(2*s.slack) + s.eps*float64(2*len(s.scores)+16)
	width := p.N / heads
	for d := h * width; d < (h+1)*width; d++ {
		have, want, size := p.Load(0, i, d), 0.0, 0.0
		for n, j := range columns {
			v := p.Load(V, j, d)
			want, size = want+s.scores[n]/sum*v, size+s.scores[n]/sum*math.Abs(v)
		}
		switch {
		case len(columns) == 0 && !op.UnseenNaN:
			want = 0
		case len(columns) == 0 || math.IsInf(s.top, -1):
			want = nan
		}
		if math.IsNaN(want) != math.IsNaN(have) || !math.IsNaN(want) && !(math.Abs(have-want) <= bound*size+1e-30) {
			return fmt.Errorf("column %d is %v, want %v +- %v", d, have, want, bound*size)
		}
	}
	return nil
}
