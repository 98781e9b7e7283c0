package check

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// RGMS is the operation of a product by relations: out = epilogue(sum over relations r of
// s_r * a * b_r), where the matrices b_r lie one under another. The entries of each matrix belong
// to one relation, to some, or to more relations than most rows have entries. Rows of a that no entry
// reads are NaN.
type RGMS struct{ VL int }

func (op RGMS) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	trials(SpMM{VL: op.VL}.widths, func(m matrix, l, turn int, exact bool) (*Problem, error) {
		return op.problem(c, m, []int{1, 3, 7}[turn%3], []int{op.VL + 1, 5, 0, 2 * op.VL}[turn%4], l, turn, exact)
	}, yield)
}

// timedRelations is how many relations the entries of a matrix are dealt to where products are timed.
const timedRelations = 16

// timed is a problem of f features and as many results. Its multiply-adds are those by b, of the rows that are gathered.
func (op RGMS) timed(c *Case, of any, size int, exact bool) (*Problem, error) {
	m, f := timedOf(of, size, 0)
	if of == nil {
		f /= 2
	}
	return op.problem(c, m, timedRelations, f, f, 0, exact)
}

// Measured is as of [SpMM].
func (op RGMS) Measured() (family string, columns int, usual []int) { return "RGMS", 0, []int{64, 32} }

// problem makes the operands: the entries of m, dealt to count relations.
func (op RGMS) problem(c *Case, m matrix, count, k, l, turn int, exact bool) (*Problem, error) {
	p := c.problem(Shape{m.Rows(), l, k}, 83+uint64(turn), exact)
	p.pad, p.guarded, p.turn = (p.M+l)%3, true, turn
	m = numbers(m, c.A, exact, uint64(turn))
	var rows, cols, kinds []int32
	var values []float64
	used := make([]bool, m.Cols())
	for e, v := range m.All() {
		rows, cols, kinds = append(rows, int32(e.I)), append(cols, int32(e.J)), append(kinds, int32(p.rng.IntN(count)))
		values, used[e.J] = append(values, v), true
	}
	if c.A == dtype.F32 {
		relate[float32](p, m, count, rows, cols, kinds, values)
	} else {
		relate[float64](p, m, count, rows, cols, kinds, values)
	}
	a, b := p.factor(A, c.A, m.Cols(), k, false), p.factor(B, c.B, count*k, l, false)
	a.hide(used)
	first := offsets(m)
	p.terms = func(i, j int) (x, y []float64) {
		x, y = p.buffers((first[i+1] - first[i]) * k)
		for at := range x {
			e, f := first[i]+at/k, at%k
			x[at], y[at] = values[e]*a.at(int(cols[e]), f), b.at(int(kinds[e])*k+f, j)
		}
		return x, y
	}
	p.end = func(i, _ int, t *total) { t.roundings = first[i+1] - first[i] + k + 3 }
	p.look = func() error { return c.lookAt(p, true, p.elements(p.M*p.N < 4000)) }
	return p, nil
}

// relate puts the relations into their slot.
func relate[T dtype.Float](p *Problem, m matrix, count int, rows, cols, kinds []int32, values []float64) {
	typed := make([]T, len(values))
	for i, v := range values {
		typed[i] = T(v)
	}
	r := must(sparse.RelationsOf(m.Rows(), m.Cols(), count, rows, cols, kinds, typed))
	p.slots[S] = &operand{views: []any{r}}
	p.bytes = (4+p.c.A.Size())*m.NNZ() + 4*(m.Rows()+1)
	p.macs = r.Raw().Pairs * p.K * p.N
}
