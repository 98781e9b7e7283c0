package check

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// SpMM is the operation of a sparse product out = epilogue(s*b). It tries
//
//   - matrices without rows, columns or entries; one row, one column, empty rows; a row
//     and a column that are much longer than the rest; a power law
//   - every edge of a vector, and every number of vectors with a b that is larger than L2
//   - NaN in every row of b that no entry reads
type SpMM struct {
	VL       int  // lanes of the longest vectors
	Features int  // columns of b; 0: any
	Vector   bool // b and the outputs are slices without gaps
	Format   format.Format
	Parts    []format.Format // of a sum that the matrix is decomposed into
	Pattern  bool            // values of the matrix are not read: the test makes them NaN
	Segments bool            // the matrix has the rows of b in order
	Mean     bool
}

// maxVectors is the most vectors of a row that a kernel holds. wideBytes is what b
// takes so that a kernel fetches its rows early: more than half of an L2.
const (
	maxVectors = 16
	wideBytes  = 5 << 18
)

func (op SpMM) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	problem := func(m matrix, n, turn int, exact bool) (*Problem, error) {
		return op.problem(c, m, n, turn, exact, op.Vector)
	}
	if !trials(op.widths, problem, yield) {
		return
	}
	degree := op.Degree()
	for k, n := range some(op.panels()) {
		p, err := problem(must(sample.EmptyRows[float64](31, 30, degree, 9)), n, k, true)
		if !yield(fmt.Sprintf("small n=%d exact=true", n), p, err) {
			return
		}
		if op.Format.Name == "" { // only kernels of compressed rows fetch early
			// So many columns that b with n columns does not fit L2.
			cols := max(wideBytes/(n*c.A.Size()), 40)
			p, err := problem(must(sample.EmptyRows[float64](60, cols, degree, uint64(n))), n, k, true)
			if !yield(fmt.Sprintf("wide n=%d exact=true", n), p, err) {
				return
			}
		}
	}
}

func (op SpMM) timed(c *Case, of any, size int, exact bool) (*Problem, error) {
	m, n := timedOf(of, size, op.Features)
	p, err := op.problem(c, m, n, 0, exact, true)
	if err != nil && of == nil { // equal degrees, if the format holds no others
		p, err = op.problem(c, must(sample.Uniform[float64](1<<14, 1<<14, op.Degree(), 1)), n, 0, exact, true)
	}
	return p, err
}

// Measured says what the operation is measured on: the name of its family, the only number of columns, 0 if there is none,
// and some usual ones.
func (op SpMM) Measured() (family string, columns int, usual []int) {
	if op.Vector {
		return "SpMV", 1, nil
	}
	return "SpMM", op.Features, []int{128, 32}
}

// panels are the widths of every kernel of a family, full and masked.
func (op SpMM) panels() (widths []int) {
	if op.Features > 0 {
		return []int{op.Features}
	}
	half := max(op.VL/2, 1) // the vectors of another ISA
	for n := half; n <= maxVectors*op.VL; n += half {
		widths = append(widths, n)
		if half > 1 {
			widths = append(widths, n-1)
		}
	}
	return widths
}

// Degree is how many entries a row may have in the format, of those that tests try.
func (op SpMM) Degree() int {
	for _, d := range []int{20, 8, 4, 2} {
		if op.Format.Name == "" {
			return d
		}
		if _, err := format.Pack(must(sample.EmptyRows[float64](60, 100, d, 1)), op.Format); err == nil {
			return d
		}
	}
	return 1
}

// widths are the numbers of columns of b to try.
func (op SpMM) widths(m namedMatrix) []int {
	switch vl := op.VL; {
	case op.Features > 0:
		return []int{op.Features}
	case m.edges:
		return []int{0, 1, vl - 1, vl, vl + 1, 4*vl + 3, 16*vl + 5}
	case m.NNZ() > 2500:
		return []int{vl/2 + 1}
	default:
		return []int{vl/2 + 1, 2 * vl}
	}
}

// problem makes the operands.
func (op SpMM) problem(c *Case, m matrix, n, turn int, exact, flat bool) (*Problem, error) {
	if op.Segments {
		m = must(sparse.Segments[float64](offsets(m), false))
	}
	p := c.problem(Shape{m.Rows(), n, m.Cols()}, 79+uint64(turn), exact && !c.Arithmetic.Rounds)
	if p.guarded, p.turn, p.macs = true, turn, m.NNZ()*n; !flat {
		p.pad = (p.M + n) % 3
	}
	m = numbers(m, c.A, exact, uint64(turn))
	if err := p.sparse(m, op.Pattern, op.Format, op.Parts); err != nil {
		return nil, err
	}
	b := p.factor(B, c.B, p.K, n, false)
	used := make([]bool, p.K)
	for e := range m.All() {
		used[e.J] = true
	}
	b.hide(used)
	p.terms = p.sparseRows(m, op.Pattern)
	p.end = func(i, _ int, t *total) {
		if t.roundings += 3; op.Mean {
			n := float64(max(m.RowNNZ(i), 1))
			t.sum, t.abs = t.sum/n, t.abs/n
		}
	}
	p.look = func() error { return c.lookAt(p, !op.Mean, p.elements(p.M*p.N < 4000)) }
	return p, nil
}
