package check

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// RGMSCase is a generated product by relations under test: out = epilogue(sum over relations r of
// a_r * x * w_r). To its FusedCase x is the left operand and the matrices w_r, one under another, the right one.
type RGMSCase[T dtype.Float] struct {
	FusedCase[T, T, T]
	VL    int
	Plain bool // there is no epilogue: output 0 is the sum, bit for bit where sums are exact
}

// RelationsOf returns the relations of a problem.
func RelationsOf[T dtype.Float](p *FusedProblem[T, T]) sparse.Relations[T] {
	return p.sparse.(sparse.Relations[T])
}

// RGMS checks a product by relations as [SpMM] checks a sparse one. The entries of each matrix belong
// to one relation, to some, or to more relations than most rows have entries. Rows of x that no entry
// reads are NaN.
func RGMS[T dtype.Float](t TB, of func(threads int) RGMSCase[T]) {
	t.Helper()
	c := of(1)
	like := SpMMCase[T]{FusedCase: c.FusedCase, VL: c.VL, Plain: c.Plain}
	g := new(Guard[T])
	defer func() {
		if g.mem != nil {
			g.Close()
		}
	}()
	for salt, m := range sparseMatrices[T]() {
		for at, l := range some(like.widths(m)) {
			for _, exact := range []bool{true, false} {
				count, k := []int{1, 3, 7}[(salt+at)%3], []int{c.VL + 1, 5, 0, 2 * c.VL}[(salt+at)%4]
				name := fmt.Sprintf("%s %s of %d relations, k=%d l=%d exact=%v", c.Name, m.name, count, k, l, exact)
				p, err := c.problem(m.matrix, count, k, l, exact, uint64(salt))
				if err == nil {
					err = like.try(p, g, salt%2 == 0)
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

// problem makes the operands: the entries of m, dealt to count relations.
func (c *RGMSCase[T]) problem(m sparse.Matrix[T], count, k, l int, exact bool, salt uint64) (*FusedProblem[T, T], error) {
	s := Shape{m.Rows(), l, k}
	p := &FusedProblem[T, T]{M: s.M, N: l, K: k, exact: exact, pad: (s.M + l) % 3, slots: map[int]any{}, rng: source(s, 83+salt)}
	if exact {
		m = sample.Integers(m, 3, salt)
	} else {
		m = sample.Random(m, salt)
	}
	var rows, cols, kinds []int32
	var values []T
	used := make([]bool, m.Cols())
	for e, v := range m.All() {
		rows, cols, kinds = append(rows, int32(e.I)), append(cols, int32(e.J)), append(kinds, int32(p.rng.IntN(count)))
		values, used[e.J] = append(values, v), true
	}
	a, err := sparse.RelationsOf(m.Rows(), m.Cols(), count, rows, cols, kinds, values)
	if err != nil {
		return nil, err
	}
	p.sparse = a
	p.A, p.B = matrixOf[T](p, m.Cols(), k), matrixOf[T](p, count*k, l)
	for j, u := range used {
		for f := range k {
			if !u {
				p.A.Set(j, f, T(math.NaN()))
			}
		}
	}
	first := offsetsOf(m) // entries of the rows
	p.sums = func(i, j int) (sum, abs float64, roundings int) {
		for e := first[i]; e < first[i+1]; e++ {
			for f := range k {
				x := float64(values[e]) * float64(p.A.At(int(cols[e]), f)) * float64(p.B.At(int(kinds[e])*k+f, j))
				sum, abs = sum+x, abs+math.Abs(x)
			}
		}
		return sum, abs, first[i+1] - first[i] + k + 3
	}
	return p, nil
}

// timedRelations is how many relations the entries of a matrix are dealt to where products are timed.
const timedRelations = 16

// Timed makes a problem ready: the entries of m in 16 relations, f features and as many results.
// Its multiply-adds are those by w, of the rows that are gathered.
func (c *RGMSCase[T]) Timed(m sparse.Matrix[T], f int) (*Timed, error) {
	p, err := c.problem(m, timedRelations, f, f, false, 0)
	if err != nil {
		return nil, err
	}
	exact, err := c.problem(m, timedRelations, f, f, true, 0)
	if err != nil {
		return nil, err
	}
	like := SpMMCase[T]{FusedCase: c.FusedCase, Plain: c.Plain}
	return &Timed{
		MACs: RelationsOf(p).Raw().Pairs * f * f, Call: func() { c.Call(p) },
		Bytes: func() int { return sparseBytes(m, false) + bytesIn(p.A) + bytesIn(p.B) + slotBytes(p.slots) },
		Check: func() error { return looked(c.Call, like.look, exact, p) },
	}, nil
}

// BenchmarkRGMS times a case on a graph with a power law and reports GFLOP/s of the multiplications
// by w. It first compares the case with the oracle.
func BenchmarkRGMS[T dtype.Float](b *testing.B, isa string, c RGMSCase[T]) {
	b.Run("isa="+isa, func(b *testing.B) {
		x, err := c.Timed(must(sample.RMAT[T](benchNodes, benchEntries, 0.57, 0.19, 0.19, 1)), benchFeatures/2)
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Check(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			x.Call()
		}
		report(b, x.MACs)
	})
}
