package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// SDDMM is the operation of a sampled product. For each entry k = (i, j) of a
// sparse matrix out[k] = epilogue(a_i · b_j), times the entry's value unless it is a
// pattern. The result is a matrix of one row, with a column for each
// entry. There is NaN in every row of a and b that no entry belongs to.
type SDDMM struct {
	VL       int
	Features int
	Pattern  bool
}

func (op SDDMM) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	trials(op.widths, func(m matrix, n, turn int, exact bool) (*Problem, error) {
		return op.problem(c, m, n, turn, exact)
	}, yield)
}

func (op SDDMM) timed(c *Case, of any, size int, exact bool) (*Problem, error) {
	m, n := timedOf(of, size, op.Features)
	return op.problem(c, m, n, 0, exact)
}

// Measured is as of [SpMM].
func (op SDDMM) Measured() (family string, columns int, usual []int) {
	return "SDDMM", op.Features, []int{128, 32}
}

func (op SDDMM) widths(m namedMatrix) []int {
	switch vl := op.VL; {
	case op.Features > 0:
		return []int{op.Features}
	case m.name == "uniform": // every number of vectors, and two panels of each
		widths := []int{0, 1, 16*vl + 5, 24 * vl, 30*vl + vl/2, 31*vl - 1}
		for half, f := max(vl/2, 2), max(vl/2, 2); f <= maxVectors*vl; f += half {
			widths = append(widths, f, f-1)
		}
		return widths
	case m.edges:
		return []int{1, vl - 1, vl, vl + 1, 4*vl + 3}
	default:
		return []int{vl/2 + 1, 2 * vl}
	}
}

// problem makes the operands.
func (op SDDMM) problem(c *Case, m matrix, f, turn int, exact bool) (*Problem, error) {
	p, entries, values, err := ofEntries(c, m, f, turn, exact, op.Pattern)
	if err != nil {
		return nil, err
	}
	a, b := p.factor(A, c.A, m.Rows(), f, false), p.factor(B, c.B, m.Cols(), f, false)
	rows, cols := make([]bool, m.Rows()), make([]bool, m.Cols())
	for _, x := range entries {
		rows[x.I], cols[x.J] = true, true
	}
	a.hide(rows)
	b.hide(cols)
	p.macs = len(entries) * f
	p.terms = func(_, k int) (x, y []float64) {
		x, y = p.buffers(f)
		a.read(x, entries[k].I*a.rs, a.cs)
		b.read(y, entries[k].J*b.rs, b.cs)
		return x, y
	}
	p.end = func(_, k int, t *total) {
		if t.roundings += 2; !op.Pattern {
			t.sum, t.abs = t.sum*values[k], t.abs*math.Abs(values[k])
		}
	}
	p.look = func() error { // all entries, or some if there are many
		return c.lookAt(p, true, func(yield func(i, j int) bool) {
			for k := 0; k < p.N && yield(0, k); k += 1 + p.N*max(f, 1)/100_000 {
			}
		})
	}
	return p, nil
}

// ofEntries makes a problem with a result for each entry of m, whose values are random numbers or, exact, small integers.
func ofEntries(c *Case, m matrix, f, turn int, exact, pattern bool) (p *Problem, entries []sparse.Entry, values []float64, err error) {
	p = c.problem(Shape{m.Rows(), m.Cols(), f}, 81+uint64(turn), exact)
	p.M, p.N, p.guarded, p.turn = 1, m.NNZ(), true, turn
	m = numbers(m, c.A, exact, uint64(turn))
	for x, v := range m.All() {
		entries, values = append(entries, x), append(values, v)
	}
	p.extent = func(s *Slot) (rows, cols int) {
		switch {
		case s.Row && s.Col:
			return 1, p.N
		case s.Row || s.Col:
			return m.Rows(), m.Cols()
		}
		return 1, 1
	}
	p.place = func(s *Slot, _, k int) (row, col int) {
		if s.Row && s.Col {
			return 0, k
		}
		return s.place(entries[k].I, entries[k].J)
	}
	return p, entries, values, p.sparse(m, pattern, format.Format{}, nil)
}

// EdgeSoftmax is the operation of a softmax over the rows of a sparse matrix. The score of an entry
// is output 0 for the entry's value, and the result a matrix of one row. Weights are compared with powers of
// e in float64, with scores from the epilogue's function in Go, and other outputs with the function.
type EdgeSoftmax struct{}

func (op EdgeSoftmax) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	trials(func(namedMatrix) []int { return []int{0} }, func(m matrix, _, turn int, exact bool) (*Problem, error) {
		return op.problem(c, m, turn, exact)
	}, yield)
}

func (op EdgeSoftmax) timed(c *Case, of any, size int, exact bool) (*Problem, error) {
	m, _ := timedOf(of, size, 0)
	return op.problem(c, m, 0, exact)
}

// Measured is as of [SpMM].
func (op EdgeSoftmax) Measured() (family string, columns int, usual []int) {
	return "EdgeSoftmax", 1, nil
}

func (op EdgeSoftmax) problem(c *Case, m matrix, turn int, exact bool) (*Problem, error) {
	p, _, values, err := ofEntries(c, m, 0, turn, exact, false)
	if err != nil {
		return nil, err
	}
	p.macs = p.N // an entry, of which it takes a power of e and a share, counts as one
	p.terms = func(_, k int) (x, y []float64) { return nil, values[k : k+1] }
	p.end = func(_, _ int, t *total) { t.abs, t.roundings = 0, 0 } // it is read
	rows := offsets(m)
	p.look = func() error {
		for i := range m.Rows() {
			if err := op.row(c, p, rows[i], rows[i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	return p, nil
}

// row compares the weights of the entries of a row.
func (op EdgeSoftmax) row(c *Case, p *Problem, from, to int) error {
	s := softmax{eps: c.ulp(0, 1), top: -inf}
	for k := from; k < to; k++ {
		for o, x := range c.values(p, 0, k) {
			if have, in := p.Load(o, 0, k), x.wide(); o > 0 && !(in.lo <= have && have <= in.hi) {
				return fmt.Errorf("output %d of entry %d is %v, want %v", o, k, have, x.mid)
			}
			if o == 0 {
				s.add(x, 1)
			}
		}
	}
	sum := s.weigh()
	bound := 4*s.slack + s.eps*float64(to-from+16)
	for n, x := range s.scores {
		have, want := p.Load(0, 0, from+n), x/sum
		if !(math.Abs(have-want) <= bound*want+1e-30) {
			return fmt.Errorf("the weight of entry %d is %v, want %v", from+n, have, want)
		}
	}
	return nil
}

// A softmax is the pass over a row of scores that weights come from.
type softmax struct {
	scores          []float64
	top, slack, eps float64
}

// add takes in a score. The shift by the largest rounds, too: so often.
func (s *softmax) add(x value, roundings float64) {
	s.scores, s.top = append(s.scores, x.mid), max(s.top, x.mid)
	s.slack = max(s.slack, x.wide().hi-x.wide().lo+roundings*s.eps*math.Abs(x.mid))
}

// weigh makes powers of e of the scores and returns their sum.
func (s *softmax) weigh() (sum float64) {
	for n, x := range s.scores {
		s.scores[n] = math.Exp(x - s.top)
		sum += s.scores[n]
	}
	return sum
}
