package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// SDDMMCase is a generated sampled product under test. For each entry k = (i, j) of a
// sparse matrix out[k] = epilogue(a_i · b_j), times the entry's value unless it is a
// pattern. To its FusedCase the result is a matrix of one row, with a column for each
// entry.
type SDDMMCase[T dtype.Float] struct {
	FusedCase[T, T, T]
	VL       int
	Features int
	Pattern  bool
	Plain    bool
}

// sddmmEntries are the coordinates of the entries of a problem's sparse matrix.
type sddmmEntries[T dtype.Float] struct {
	packed[T]
	coordinates []sparse.Entry
}

// EntryOf returns the coordinates of entry k of a sampled product's matrix.
func EntryOf[T dtype.Float](p *FusedProblem[T, T], k int) sparse.Entry {
	return p.entries.(sddmmEntries[T]).coordinates[k]
}

// EntryRowOf returns an operand with one element for each row of the sparse matrix.
func EntryRowOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) []T {
	return slotOf(p, slot, func() []T { return matrixOf[T](p, 1, SparseOf(p).Rows()).Data })
}

// EntryColumnOf returns an operand with one element for each column of the sparse
// matrix.
func EntryColumnOf[T dtype.Elem, A dtype.Float](p *FusedProblem[A, A], slot int) []T {
	return slotOf(p, slot, func() []T { return matrixOf[T](p, 1, SparseOf(p).Cols()).Data })
}

// SDDMM checks a sampled product as [SpMM] checks a sparse one, with NaN in
// every row of a and b that no entry belongs to.
func SDDMM[T dtype.Float](t TB, of func(threads int) SDDMMCase[T]) {
	t.Helper()
	c := of(1)
	var ga, gb Guard[T]
	defer func() {
		for _, g := range []*Guard[T]{&ga, &gb} {
			if g.mem != nil {
				g.Close()
			}
		}
	}()
	for k, m := range sparseMatrices[T]() {
		for _, n := range some(c.widths(m)) {
			for _, exact := range []bool{true, false} {
				name := fmt.Sprintf("%s %s features=%d exact=%v", c.Name, m.name, n, exact)
				p := c.problem(m.matrix, n, exact, uint64(k))
				err := guardRows(&ga, &p.A, k%2 == 0)
				if err == nil {
					err = guardRows(&gb, &p.B, k%2 == 1)
				}
				if err == nil {
					err = caught(func() { c.Call(p) })
				}
				if err == nil {
					err = c.look(p)
				}
				if err == nil {
					err = sameForThreads(func(threads int) FusedCase[T, T, T] { return of(threads).FusedCase }, p)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		}
	}
}

func (c *SDDMMCase[T]) widths(m namedMatrix[T]) []int {
	switch vl := c.VL; {
	case c.Features > 0:
		return []int{c.Features}
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
func (c *SDDMMCase[T]) problem(m sparse.Matrix[T], f int, exact bool, salt uint64) *FusedProblem[T, T] {
	s := Shape{m.Rows(), m.Cols(), f}
	p := &FusedProblem[T, T]{M: 1, N: m.NNZ(), K: f, exact: exact, slots: map[int]any{}, rng: source(s, 81+salt)}
	if exact {
		m = sample.Integers(m, 3, salt)
	} else {
		m = sample.Random(m, salt)
	}
	all := m
	if c.Pattern {
		values := make([]T, m.NNZ())
		for i := range values {
			values[i] = T(math.NaN())
		}
		m, _ = m.WithValues(values)
	}
	p.A, p.B = matrixOf[T](p, s.M, f), matrixOf[T](p, s.N, f)
	e := sddmmEntries[T]{packed: packed[T]{matrix: m}}
	var values []T
	rows, cols := make([]bool, s.M), make([]bool, s.N)
	for x, v := range all.All() {
		e.coordinates, values = append(e.coordinates, x), append(values, v)
		rows[x.I], cols[x.J] = true, true
	}
	p.sparse, p.entries = e.packed, e
	for j := range f {
		for i, used := range rows {
			if !used {
				p.A.Set(i, j, T(math.NaN()))
			}
		}
		for i, used := range cols {
			if !used {
				p.B.Set(i, j, T(math.NaN()))
			}
		}
	}
	p.sums = func(_, k int) (sum, abs float64, roundings int) {
		x := e.coordinates[k]
		for j := range f {
			v := float64(p.A.At(x.I, j)) * float64(p.B.At(x.J, j))
			sum, abs = sum+v, abs+math.Abs(v)
		}
		if !c.Pattern {
			sum, abs = sum*float64(values[k]), abs*math.Abs(float64(values[k]))
		}
		return sum, abs, f + 2
	}
	return p
}

// look compares entries with the oracle: all of them, or some if there are many.
func (c *SDDMMCase[T]) look(p *FusedProblem[T, T]) error {
	step := 1 + p.N*max(p.K, 1)/100_000
	for k := 0; k < p.N; k += step {
		if c.Plain && p.exact {
			want, _, _ := p.sums(0, k)
			if have := c.Have(p, 0, 0, k); have != want {
				return fmt.Errorf("entry %d is %v, want %v exactly", k, have, want)
			}
			continue
		}
		if err := c.element(p, 0, k); err != nil {
			return err
		}
	}
	return nil
}
