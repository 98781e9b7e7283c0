package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// SpMMCase is a generated sparse product under test: out = epilogue(a ⊗ b). Its
// FusedCase describes the epilogue; the problem's A is left empty, the sparse matrix
// is that of [SparseOf] or [PackedOf].
type SpMMCase[T dtype.Float] struct {
	FusedCase[T, T, T]
	VL       int  // lanes of the longest vectors
	Features int  // columns of b; 0: any
	Vector   bool // b and the outputs are slices without gaps
	Format   format.Format
	Parts    []format.Format // of a sum that the matrix is decomposed into; the case takes [SumOf]
	Pattern  bool            // values of the matrix are not read: the test makes them NaN
	// Stored makes of an element of b one that the type has which b is stored as; nil: any is.
	Stored   func(x T) T
	Segments bool // the matrix has the rows of b in order: the case takes [OffsetsOf]
	Mean     bool
	Plain    bool // there is no epilogue: output 0 is the sum, bit for bit where sums are exact
	// The arithmetic, if it is not that of sums of products.
	Zero        T
	Plus, Times func(x, y T) T
	// Rounds says that Plus does, so that the sum depends on the order of entries and is
	// compared with bounds. StepULP is the error of the math functions in a step, in
	// units of the sum's last place.
	Rounds  bool
	StepULP float64
}

// SparseOf returns the sparse matrix of a problem, PackedOf the same in the format of
// the case.
func SparseOf[T dtype.Float](p *FusedProblem[T, T]) sparse.Matrix[T] {
	return p.sparse.(packed[T]).matrix
}

// PackedOf is described with [SparseOf].
func PackedOf[T dtype.Float](p *FusedProblem[T, T]) format.Packed[T] {
	return p.sparse.(packed[T]).packed
}

// SumOf returns the sparse matrix of a problem as a sum of parts in the formats of the case.
func SumOf[T dtype.Float](p *FusedProblem[T, T]) rule.Sum[T] { return p.sparse.(packed[T]).sum }

// Decomposed deals the entries of a matrix to parts in formats, some of each row to each, and to one in compressed rows. A
// format that cannot hold its share gets none.
func Decomposed[T dtype.Float](m sparse.Matrix[T], formats []format.Format) (rule.Sum[T], error) {
	sum, err := rule.Decompose(m)
	if err != nil {
		return sum, err
	}
	var rules []rule.Rule
	for k, f := range formats {
		deal := rule.Rule{Name: f.Name, Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			mine, rest := s.Partition(func(e sparse.Entry) bool { return (e.I+e.J+k)%3 == 0 })
			return []rule.Group{{Into: f, Structure: mine}}, rest, nil
		}}
		if more, err := rule.Decompose(m, append(slices.Clone(rules), deal)...); err == nil {
			sum, rules = more, append(rules, deal)
		}
	}
	return sum, nil
}

// NarrowOf returns the dense operand of a problem in the type that it is stored as, in memory as it is.
// Between rows there is NaN.
func NarrowOf[B dtype.F16 | dtype.BF16](p *FusedProblem[float32, float32]) layout.Matrix[B] {
	m := layout.Matrix[B]{Data: make([]B, len(p.B.Data)), Rows: p.B.Rows, Cols: p.B.Cols, RowStride: p.B.RowStride, ColStride: p.B.ColStride}
	for i, x := range p.B.Data {
		switch to := any(&m.Data[i]).(type) {
		case *dtype.BF16:
			*to = dtype.ToBF16(x)
		case *dtype.F16:
			*to = dtype.ToF16(x)
		}
	}
	return m
}

// OffsetsOf returns where the segments of a problem begin, and where the last ends.
func OffsetsOf[T dtype.Float](p *FusedProblem[T, T]) []int { return offsetsOf(SparseOf(p)) }

func offsetsOf[T dtype.Float](m sparse.Matrix[T]) []int {
	offsets := make([]int, m.Rows()+1)
	for i := range m.Rows() {
		offsets[i+1] = offsets[i] + m.RowNNZ(i)
	}
	return offsets
}

type packed[T dtype.Float] struct {
	matrix sparse.Matrix[T]
	packed format.Packed[T]
	sum    rule.Sum[T]
}

// SpMM checks a sparse product against a loop over the stored entries in float64. It
// tries small integers first, where sums are exact, then random numbers. It tries
//
//   - matrices without rows, columns or entries; one row, one column, empty rows; a row
//     and a column that are much longer than the rest; a power law
//   - every edge of a vector, and every number of vectors with a b that is larger than L2
//   - a b that ends at an inaccessible page, with NaN in every row that no entry reads
//
// The bits must be the same for any number of threads, with which it calls of.
func SpMM[T dtype.Float](t TB, of func(threads int) SpMMCase[T]) {
	t.Helper()
	c := of(1)
	g := new(Guard[T])
	defer func() {
		if g.mem != nil {
			g.Close()
		}
	}()
	one := func(m namedMatrix[T], n int, exact bool, salt int) bool {
		name := fmt.Sprintf("%s %s n=%d exact=%v", c.Name, m.name, n, exact)
		p, err := c.problem(m.matrix, n, exact, uint64(salt))
		if err != nil {
			t.Logf("%s: %v", name, err) // the format does not hold such a matrix
			return true
		}
		err = c.try(p, g, salt%2 == 0)
		if err == nil {
			err = sameForThreads(func(threads int) FusedCase[T, T, T] { return of(threads).FusedCase }, p)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return err == nil
	}
	for k, m := range sparseMatrices[T]() {
		for _, n := range some(c.widths(m)) {
			if !one(m, n, true, k) || !one(m, n, false, k) {
				return
			}
		}
	}
	degree := c.degree()
	for k, n := range some(c.panels()) {
		small := namedMatrix[T]{name: "small", matrix: must(sample.EmptyRows[T](31, 30, degree, 9))}
		if !one(small, n, true, k) {
			return
		}
		// Only kernels of compressed rows fetch early.
		if c.Format.Name == "" && !one(wideMatrix[T](n, degree), n, true, k) {
			return
		}
	}
}

// problem makes the operands.
func (c *SpMMCase[T]) problem(m sparse.Matrix[T], n int, exact bool, salt uint64) (*FusedProblem[T, T], error) {
	if c.Segments {
		var err error
		if m, err = sparse.Segments[T](offsetsOf(m), false); err != nil {
			return nil, err
		}
	}
	s := Shape{m.Rows(), n, m.Cols()}
	p := &FusedProblem[T, T]{M: s.M, N: n, K: s.K, exact: exact && !c.Rounds, pad: (s.M + n) % 3, slots: map[int]any{}, rng: source(s, 79+salt)}
	if c.Vector {
		p.pad = 0
	}
	if exact {
		m = sample.Integers(m, 3, salt)
	} else {
		m = sample.Random(m, salt)
	}
	all := m // what the oracle reads
	if c.Pattern {
		values := make([]T, m.NNZ())
		for i := range values {
			values[i] = T(math.NaN())
		}
		m, _ = m.WithValues(values)
	}
	x := packed[T]{matrix: m}
	if c.Format.Name != "" {
		var err error
		if x.packed, err = format.Pack(m, c.Format); err != nil {
			return nil, err
		}
	}
	if c.Parts != nil {
		var err error
		if x.sum, err = Decomposed(m, c.Parts); err != nil {
			return nil, err
		}
	}
	p.sparse = x
	p.B = matrixOf[T](p, s.K, n)
	if c.Stored != nil {
		for i, b := range p.B.Data {
			p.B.Data[i] = c.Stored(b)
		}
	}
	used := make([]bool, s.K)
	for e := range all.All() {
		used[e.J] = true
	}
	for k, u := range used {
		for j := range n {
			if !u {
				p.B.Set(k, j, T(math.NaN()))
			}
		}
	}
	p.sums = func(i, j int) (sum, abs float64, roundings int) { return c.row(p, all, i, j) }
	return p, nil
}

// row is the sum at (i, j), what its magnitudes add up to, and how many roundings it
// has.
func (c *SpMMCase[T]) row(p *FusedProblem[T, T], m sparse.Matrix[T], i, j int) (sum, abs float64, n int) {
	acc := c.Zero
	for k, v := range m.Row(i) {
		b := p.B.At(k, j)
		n++
		if c.Plus != nil {
			x := b
			if !c.Pattern {
				x = c.Times(v, b)
			}
			acc = c.Plus(acc, x)
			abs += math.Abs(float64(x))
			if c.Rounds && !math.IsInf(float64(acc), 0) { // each step at the size of what it leaves: exp and log do not shrink
				abs += math.Abs(float64(acc))
			}
			continue
		}
		x := float64(b)
		if !c.Pattern {
			x *= float64(v)
		}
		sum, abs = sum+x, abs+math.Abs(x)
	}
	if c.Plus != nil {
		if c.Rounds {
			n += int(math.Ceil(float64(n) * c.StepULP))
		}
		return float64(acc), abs, n
	}
	if c.Mean && n > 0 {
		sum, abs = sum/float64(n), abs/float64(n)
	}
	return sum, abs, n + 3
}

// try makes one call and looks at all that it left.
func (c *SpMMCase[T]) try(p *FusedProblem[T, T], g *Guard[T], right bool) (err error) {
	if err := guardRows(g, &p.B, right); err != nil {
		return err
	}
	if err := caught(func() { c.Call(p) }); err != nil {
		return err
	}
	for _, intact := range p.intact {
		if err := intact(); err != nil {
			return err
		}
	}
	if err := c.look(p); err != nil {
		return err
	}
	return c.reduced(p)
}

// guardRows moves a matrix between inaccessible pages.
func guardRows[T dtype.Float](g *Guard[T], m *layout.Matrix[T], right bool) error {
	if g.mem == nil || g.Cap() < len(m.Data) {
		bigger, err := NewGuard[T](max(1<<16, 2*len(m.Data)))
		if err != nil {
			return err
		}
		if g.mem != nil {
			g.Close()
		}
		*g = *bigger
	}
	data := g.Left(len(m.Data))
	if right {
		data = g.Right(len(m.Data))
	}
	copy(data, m.Data)
	m.Data = data
	return nil
}

// caught calls f and turns a panic or a fault into an error.
func caught(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	f()
	return nil
}

// look compares every element of small results, and some of every row of large
// ones, with the oracle.
func (c *SpMMCase[T]) look(p *FusedProblem[T, T]) error {
	if p.N == 0 {
		return nil
	}
	rng := rand.New(testenv.PCG(uint64(p.M), uint64(p.N)))
	for i := range p.M {
		columns := []int{0, p.N - 1, rng.IntN(p.N)}
		if p.M*p.N < 4000 {
			columns = columns[:0]
			for j := range p.N {
				columns = append(columns, j)
			}
		}
		for _, j := range columns {
			if c.Plain && p.exact && !c.Mean {
				want, _, _ := p.sums(i, j)
				if have := c.Have(p, 0, i, j); have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
					return fmt.Errorf("(%d, %d) is %v, want %v exactly", i, j, have, want)
				}
				continue
			}
			if err := c.element(p, i, j); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameForThreads calls the kernel again for several numbers of threads and wants the
// same bits each time.
func sameForThreads[T dtype.Float](of func(threads int) FusedCase[T, T, T], p *FusedProblem[T, T]) error {
	first := of(1)
	all := func() []float64 {
		var x []float64
		for o := range first.Outs {
			if slices.Contains(first.Unstored, o) {
				continue
			}
			for i := range p.M {
				for j := range p.N {
					x = append(x, first.Have(p, o, i, j))
				}
			}
		}
		for _, r := range first.Reduces {
			n := p.M
			if r.Col {
				n = p.N
			}
			for i := range n {
				x = append(x, r.Have(p, i))
			}
		}
		return x
	}
	want := all()
	for _, threads := range []int{2, 4} {
		c := of(threads)
		c.Call(p)
		if have := all(); !slices.EqualFunc(have, want, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
			return fmt.Errorf("with %d threads the result is not that of one", threads)
		}
	}
	return nil
}
