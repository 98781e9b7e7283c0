package check

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// BlockAttentionCase is generated attention over blocks under test. In its FusedCase a score is output 0 for
// a product of a row of q and one of k. Row h*m+i is row i of head h. Its result is m x (heads * width), with
// heads side by side.
type BlockAttentionCase[T dtype.Float] struct {
	FusedCase[T, T, T]
	VL                int
	Heads             int // 0: one
	Features          int // columns of a head; 0: any
	Scale             float64
	Causal, UnseenNaN bool
}

// attended is what a problem of attention has beside q and k.
type attended[T dtype.Float] struct {
	mask, seen mask.Mask // what a call gets, and what the spec makes of it
	v          layout.Matrix[T]
	heads      int
	each       bool // operands have elements for each head
}

func attendedOf[T dtype.Float](p *FusedProblem[T, T]) *attended[T] { return p.sparse.(*attended[T]) }

// MaskOf returns the mask of a problem of attention.
func MaskOf[T dtype.Float](p *FusedProblem[T, T]) mask.Mask { return attendedOf(p).mask }

// ValuesOf returns the values that attention weighs.
func ValuesOf[T dtype.Float](p *FusedProblem[T, T]) layout.Matrix[T] { return attendedOf(p).v }

// count is how many heads an operand has elements for.
func (a *attended[T]) count() int {
	if a.each {
		return a.heads
	}
	return 1
}

// ScoreRowOf returns an operand of scores with an element for each row, and ScoreRowAt the one for row i.
func ScoreRowOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) []T {
	a := attendedOf(p)
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, a.count()*a.mask.Rows()).Data })
}

// ScoreRowAt returns the element for row i of all heads.
func ScoreRowAt[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot, i int) T {
	x := ScoreRowOf[T](p, slot)
	return x[i%len(x)]
}

// ScoreColumnOf returns an operand of scores with an element for each column.
func ScoreColumnOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) []T {
	a := attendedOf(p)
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, a.count()*a.mask.Cols()).Data })
}

// ScoreColumnAt returns the element for column j, of the head that row i is of.
func ScoreColumnAt[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot, i, j int) T {
	x, mask := ScoreColumnOf[T](p, slot), MaskOf(p)
	return x[(i/mask.Rows()*mask.Cols()+j)%len(x)]
}

// ScoreFullOf returns an operand of scores with an element for each.
func ScoreFullOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) layout.Matrix[T] {
	a := attendedOf(p)
	return slotOf(p, slot, func() layout.Matrix[T] { return operandOf[T](p, a.count()*a.mask.Rows(), a.mask.Cols()) })
}

// ScoreFullAt returns the element for column j and row i of all heads.
func ScoreFullAt[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot, i, j int) T {
	x := ScoreFullOf[T](p, slot)
	return x.At(i%x.Rows, j)
}

// ScoreScalarOf returns an operand of scores with one element.
func ScoreScalarOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) []T {
	a := attendedOf(p)
	return slotOf(p, slot, func() []T { return operandOf[T](p, 1, a.count()).Data })
}

// ScoreScalarAt returns the element of the head that row i is of.
func ScoreScalarAt[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot, i int) T {
	x := ScoreScalarOf[T](p, slot)
	return x[i/MaskOf(p).Rows()%len(x)]
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

// BlockAttention checks attention against the formula in float64, with scores from the epilogue's function in Go. It
// tries operands for all heads and for each head, with NaN wherever no row looks and inaccessible pages around. The
// bits must be the same for any number of threads.
func BlockAttention[T dtype.Float](t TB, of func(threads int) BlockAttentionCase[T]) {
	t.Helper()
	c := of(1)
	var guards [3]Guard[T]
	defer func() {
		for i := range guards {
			if guards[i].mem != nil {
				guards[i].Close()
			}
		}
	}()
	salt := 0
	masks := attentionMasks()
	for _, name := range slices.Sorted(maps.Keys(masks)) {
		for _, exact := range []bool{true, false} {
			salt++
			p := c.problem(masks[name], []int{1, c.VL + 3, 2 * c.VL}[salt%3], []int{c.VL, 5, 1}[salt%3], exact, uint64(salt))
			var err error
			for i, m := range []*layout.Matrix[T]{&p.A, &p.B, &attendedOf(p).v} {
				if err == nil {
					err = guardRows(&guards[i], m, salt%2 == 0)
				}
			}
			if err == nil {
				err = caught(func() { c.Call(p) })
			}
			for _, intact := range p.intact {
				if err == nil {
					err = intact()
				}
			}
			if err == nil {
				err = c.look(p, 1)
			}
			if err == nil {
				err = sameForThreads(func(threads int) FusedCase[T, T, T] { return of(threads).FusedCase }, p)
			}
			if err != nil {
				t.Errorf("%s %s exact=%v: %v", c.Name, name, exact, err)
				return
			}
		}
	}
}

// problem makes the operands: heads of f columns, and values of h.
func (c *BlockAttentionCase[T]) problem(mask mask.Mask, f, h int, exact bool, salt uint64) *FusedProblem[T, T] {
	if c.Features > 0 {
		f, h = c.Features, c.Features
	}
	m, n, heads := mask.Rows(), mask.Cols(), max(c.Heads, 1)
	p := &FusedProblem[T, T]{M: m, N: heads * h, K: f, exact: exact, pad: (m + h) % 3, slots: map[int]any{}, rng: source(Shape{m, n, f}, 85+salt)}
	a := &attended[T]{mask: mask, seen: mask, heads: heads, each: salt/2%2 == 0}
	if c.Causal {
		a.seen = mask.Causal()
	}
	p.sparse = a
	p.A, p.B, a.v = matrixOf[T](p, m, heads*f), matrixOf[T](p, n, heads*f), matrixOf[T](p, n, heads*h)
	rows, cols := make([]bool, m), make([]bool, n)
	for i := range m {
		for j := range a.seen.Limit(i) {
			if a.seen.Has(i, j) {
				rows[i], cols[j] = true, true
			}
		}
	}
	hide := func(m layout.Matrix[T], used []bool) {
		for i, u := range used {
			for j := range m.Cols {
				if !u {
					m.Set(i, j, T(math.NaN()))
				}
			}
		}
	}
	hide(p.A, rows)
	hide(p.B, cols)
	hide(a.v, cols)
	scale := c.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(f))
	}
	scale = float64(T(scale))
	p.sums = func(i, j int) (sum, abs float64, roundings int) {
		at := i / m * f
		for x := range f {
			y := float64(p.A.At(i%m, at+x)) * float64(p.B.At(j, at+x))
			sum, abs = sum+y, abs+math.Abs(y)
		}
		return scale * sum, math.Abs(scale) * abs, f + 1
	}
	return p
}

// look compares rows, all or one in so many, with the oracle.
func (c *BlockAttentionCase[T]) look(p *FusedProblem[T, T], step int) error {
	a := attendedOf(p)
	for h := range a.heads {
		for i := h % step; i < p.M; i += step {
			if err := c.row(p, a, h, i); err != nil {
				return fmt.Errorf("head %d, row %d: %w", h, i, err)
			}
		}
	}
	return nil
}

// row compares one row of a head.
func (c *BlockAttentionCase[T]) row(p *FusedProblem[T, T], a *attended[T], h, i int) error {
	var columns []int
	var scores []float64
	top, slack := math.Inf(-1), 0.0
	eps := c.Ulp(0, 1)
	for j := range a.seen.Limit(i) {
		if !a.seen.Has(i, j) {
			continue
		}
		x := c.values(p, h*p.M+i, j)[0]
		if hidden := math.IsInf(x.mid, -1); x.nan || hidden && x.hi != x.mid || !hidden && math.IsInf(x.lo, 0) {
			return nil // which side of a jump of the function it is on is not known
		} else if !hidden {
			top = max(top, x.mid)
			slack = max(slack, x.wide().hi-x.wide().lo+2*eps*math.Abs(x.mid)) // the shift rounds too
		}
		columns, scores = append(columns, j), append(scores, x.mid)
	}
	sum := 0.0
	for n, x := range scores {
		scores[n] = math.Exp(x - top)
		sum += scores[n]
	}
	bound := math.Expm1(2*slack) + eps*float64(2*len(scores)+16)
	width := p.N / a.heads
	for d := h * width; d < (h+1)*width; d++ {
		have, want, size := c.Have(p, 0, i, d), 0.0, 0.0
		for n, j := range columns {
			v := float64(a.v.At(j, d))
			want, size = want+scores[n]/sum*v, size+scores[n]/sum*math.Abs(v)
		}
		switch {
		case len(columns) == 0 && !c.UnseenNaN:
			want = 0
		case len(columns) == 0 || math.IsInf(top, -1):
			want = math.NaN()
		}
		if math.IsNaN(want) != math.IsNaN(have) || !math.IsNaN(want) && !(math.Abs(have-want) <= bound*size+1e-30) {
			return fmt.Errorf("column %d is %v, want %v +- %v", d, have, want, bound*size)
		}
	}
	return nil
}

// Timed makes attention with a mask ready, of heads that are f wide. A multiply-add is one of a product of q and k or of weights
// and v, of elements that the mask has.
func (c *BlockAttentionCase[T]) Timed(mask mask.Mask, f int) *Timed {
	p, exact := c.problem(mask, f, f, false, 0), c.problem(mask, f, f, true, 0)
	a := attendedOf(p)
	return &Timed{
		MACs: int(a.seen.Density()*float64(p.M)*float64(mask.Cols())) * a.heads * 2 * p.K, Call: func() { c.Call(p) },
		Bytes: func() int { return bytesIn(p.A) + bytesIn(p.B) + bytesIn(a.v) + slotBytes(p.slots) },
		Check: func() error {
			for _, p := range []*FusedProblem[T, T]{exact, p} {
				if err := caught(func() { c.Call(p) }); err != nil {
					return err
				}
				if err := c.look(p, 1+p.M*p.N/1000); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
