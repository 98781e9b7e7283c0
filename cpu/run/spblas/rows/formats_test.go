package rows_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// everyFormat holds a matrix of at most 40 columns, if it has no holes the last.
var everyFormat = []format.Format{
	format.CSR, format.CSC, format.COO, format.DCSR, format.ELL(40), format.DELL(3), format.SELL(4, 1), format.SELL(4, 8), format.SELL(4, 400),
	format.BSR(4), format.DBSR(3), format.SRBCRS(4, 2), format.DIA, format.Dense, format.Ragged,
}

// everySum is how matrices are decomposed.
var everySum = map[string][]rule.Rule{
	"hyb":       {rule.Hyb(2, 2)},
	"columns":   {rule.Columns(3)},
	"blocks":    {rule.Blocks(4, 0.4)},
	"diagonals": {rule.Diagonals(0.5), rule.Hyb(1, 1)},
	"long rows": {rule.LongRows(8)},
}

// operation is what the products of one test compute.
type operation[T dtype.Float] struct {
	name string
	rows.SpMM[T]
}

func operations[T dtype.Float](stock *rows.SpMM[T]) []*operation[T] {
	ring := func(g func() semiring.Semiring[T], pattern bool) *operation[T] {
		return &operation[T]{fmt.Sprint(g().Name, " pattern=", pattern), rows.SpMM[T]{Semiring: g, Pattern: pattern}}
	}
	return []*operation[T]{
		{"plus", rows.SpMM[T]{Rows: stock.Rows, Nests: stock.Nests}},
		{"mean", rows.SpMM[T]{Rows: stock.Rows, Nests: stock.Nests, Mean: true}},
		{"count", rows.SpMM[T]{Pattern: true}},
		{"mean of rows", rows.SpMM[T]{Pattern: true, Mean: true}},
		ring(semiring.MinPlus[T], false), ring(semiring.MinPlus[T], true), ring(semiring.MaxTimes[T], false), ring(semiring.MaxTimes[T], true),
		ring(semiring.OrAnd[T], false),
	}
}

// only returns o with the kernels of one ISA. Options would ask for its epilogues, too.
func (o *operation[T]) only(isa string) *operation[T] {
	x := &operation[T]{o.name, rows.SpMM[T]{Semiring: o.Semiring, Mean: o.Mean, Pattern: o.Pattern}}
	for _, k := range o.Rows {
		if k.ISA == isa {
			x.Rows = append(x.Rows, k)
		}
	}
	for _, k := range o.Nests {
		if k.ISA == isa {
			x.Nests = append(x.Nests, k)
		}
	}
	return x
}

// want is the exact result at (i, j), by a loop over the entries.
func (o *operation[T]) want(m sparse.Matrix[T], b layout.Matrix[T], i, j int) T {
	var sum T
	var g semiring.Semiring[T]
	if o.Semiring != nil {
		g = o.Semiring()
		sum = g.Zero
	}
	n := 0
	for k, v := range m.Row(i) {
		n++
		x := b.At(k, j)
		switch {
		case g.Plus == nil && o.Pattern:
			sum += x
		case g.Plus == nil:
			sum += v * x
		case o.Pattern:
			sum = g.Plus(sum, x)
		default:
			sum = g.Plus(sum, g.Times(v, x))
		}
	}
	if o.Mean {
		sum *= 1 / T(max(n, 1))
	}
	return sum
}

// TestFormats: every operation in every format and decomposition, with an epilogue and
// without, is that of the entries to the bit: small integers, empty rows, infinities, and NaN
// in rows of b that no entry belongs to, which is where padding would look.
func TestFormats(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testFormats(t, &spmmf.SetF32) })
	t.Run("f64", func(t *testing.T) { testFormats(t, &spmmf.SetF64) })
}

func testFormats[T dtype.Float](t *testing.T, stock *rows.SpMM[T]) {
	widths := level.Of([]int{1, 37}, []int{1, 5, 32, 150}, []int{1, 5, 32, 150})
	matrices := formatMatrices[T]()
	for turn, o := range operations(stock) {
		isas := []string{""}
		if o.Nests != nil {
			isas = run.PlainISAs()
		}
		for _, isa := range isas {
			for k, m := range matrices {
				for w, n := range widths {
					// But in a long run widths and formats are tried by turns.
					turn := turn + k + w + len(isa)
					if w > 0 && turn%level.Of(2, 3, 1) != 0 {
						continue
					}
					o := o.only(isa)
					b := operandOf[T](m, n, o.Semiring != nil)
					want := layout.New[T](m.Rows(), n)
					for i := range m.Rows() {
						for j := range n {
							want.Set(i, j, o.want(m, b, i, j))
						}
					}
					name := fmt.Sprintf("%s isa=%s matrix %d n=%d", o.name, isa, k, n)
					opt := run.Options{Threads: 1 + (k+n)%3}
					for at, f := range everyFormat {
						if every := level.Of(4, 2, 1); m.Rows()*n > 10_000 && (turn/3+at)%every != 0 {
							continue
						}
						p, err := format.Pack(m, f)
						if err != nil {
							continue // ragged takes few
						}
						o.check(t, name+" "+f.Name, want,
							func(out layout.Matrix[T]) { rows.Multiply(&o.SpMM, opt, out, p, b) },
							func(s *rows.SpMM[T], e *epilogue.Epilogue) { rows.Fuse(s, opt, e, p, b) })
					}
					for by, rules := range everySum {
						s, err := rule.Decompose(m, rules...)
						if err != nil {
							t.Fatal(err)
						}
						o.check(t, name+" "+by, want,
							func(out layout.Matrix[T]) { rows.Multiply(&o.SpMM, opt, out, s, b) },
							func(x *rows.SpMM[T], e *epilogue.Epilogue) { rows.Fuse(x, opt, e, s, b) })
					}
				}
			}
		}
	}
}

// check compares what multiply and, with an epilogue, fuse compute with the loop.
func (o *operation[T]) check(t *testing.T, name string, want layout.Matrix[T], multiply func(out layout.Matrix[T]), fuse func(s *rows.SpMM[T], e *epilogue.Epilogue)) {
	t.Helper()
	out := layout.New[T](want.Rows, want.Cols)
	if want.Rows%2 == 1 { // columns
		out = layout.New[T](want.Cols, want.Rows).T()
	}
	for i := range out.Data {
		out.Data[i] = T(math.NaN())
	}
	multiply(out)
	compare(t, name, want, func(i, j int) (T, T) { return out.At(i, j), want.At(i, j) })

	s := &rows.SpMM[T]{Rows: o.Rows, Nests: o.Nests, Semiring: o.Semiring, Mean: o.Mean, Pattern: o.Pattern}
	s.Epilogue = func(e *kernel.EpiArgs) { // out = sum + row + full, and a sum of columns
		for i := range int(e.Rows) {
			for j := range int(e.Cols) {
				x := epilogue.Sum[T](e, i, j) + epilogue.Load[T](e, 1, i, j) + epilogue.Load[T](e, 2, i, j)
				epilogue.Store(e, 0, i, j, x)
			}
		}
	}
	row, full := make([]T, want.Rows), layout.New[T](want.Rows, want.Cols)
	for i := range row {
		row[i] = T(i)
	}
	for i := range full.Data {
		full.Data[i] = T(i % 5)
	}
	for _, same := range []bool{false, true} { // an output that is the operand leaves no place for sums
		dst, in := layout.New[T](want.Rows, want.Cols), full
		if same {
			copy(dst.Data, full.Data)
			in = dst
		}
		e := epilogue.New(name, want.Rows, want.Cols)
		epilogue.Out(&e, "out", dst)
		epilogue.PerRow(&e, "row", row)
		epilogue.Full(&e, "full", in)
		fuse(s, &e)
		compare(t, name+" fused", want, func(i, j int) (T, T) {
			return dst.At(i, j), want.At(i, j) + row[i] + full.At(i, j)
		})
	}
	if want.Cols != 1 {
		return
	}
	s.Vector, s.Epilogue = true, func(e *kernel.EpiArgs) {
		for j := range int(e.Cols) {
			epilogue.Store(e, 0, 0, j, epilogue.Sum[T](e, 0, j)+epilogue.Load[T](e, 1, 0, j))
		}
	}
	y := make([]T, want.Rows)
	e := epilogue.New(name, 1, want.Rows)
	epilogue.Out(&e, "y", layout.RowMajor(y, 1, len(y)))
	rows.PerElement(&e, "row", row)
	fuse(s, &e)
	compare(t, name+" vector", want, func(i, j int) (T, T) { return y[i], want.At(i, j) + row[i] })
}

func compare[T dtype.Float](t *testing.T, name string, m layout.Matrix[T], at func(i, j int) (have, want T)) {
	t.Helper()
	for i := range m.Rows {
		for j := range m.Cols {
			if have, want := at(i, j); have != want && !(have != have && want != want) {
				t.Fatalf("%s: (%d, %d) is %v, want %v", name, i, j, have, want)
			}
		}
	}
}

// formatMatrices are of few columns, so that all formats hold them: empty rows first, last
// and between, more rows than a block that stays in L1, rows of all lengths, a band, a
// triangle, none.
func formatMatrices[T dtype.Float]() []sparse.Matrix[T] {
	rng := rand.New(level.PCG(17, 4))
	random := func(m, n int, density func(i int) float64) sparse.Matrix[T] {
		b := sparse.NewBuilder[T](m, n)
		for i := range m {
			for j := range n {
				if j != 1 && rng.Float64() < density(i) {
					b.Add(i, j, T(rng.IntN(4)))
				}
			}
		}
		x, _ := b.Matrix()
		return x
	}
	triangle := sparse.NewBuilder[T](12, 12)
	for i := range 12 {
		for j := range i {
			triangle.Add(i, j, T(i-j))
		}
	}
	tri, _ := triangle.Matrix()
	return []sparse.Matrix[T]{
		random(60, 33, func(i int) float64 { return []float64{0, .1, 0, 1, .4, 0}[i*6/60] }),
		random(1201, 7, func(i int) float64 { return float64(i%7*(i/300%2)) / 9 }),
		random(40, 40, func(i int) float64 { return .1 }), tri, sample.Random(must(sample.EmptyRows[T](0, 5, 3, 9)), 1),
		random(9, 4, func(i int) float64 { return 0 }),
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// operandOf returns a b with NaN where no entry looks, and infinities where one does if the
// arithmetic is exact with them.
func operandOf[T dtype.Float](m sparse.Matrix[T], n int, infinite bool) layout.Matrix[T] {
	b := layout.New[T](m.Cols(), n)
	used := make([]bool, m.Cols())
	for e := range m.All() {
		used[e.J] = true
	}
	for k := range b.Rows {
		for j := range n {
			x := T((k*3+j)%9 - 4)
			switch {
			case !used[k]:
				x = T(math.NaN())
			case infinite && (k+j)%11 == 0:
				x = T(math.Inf(1 - 2*(k%2)))
			}
			b.Set(k, j, x)
		}
	}
	return b
}

// TestFormatsColumns: partial results of columns are joined in the order of rows in every
// format, whatever the number of threads.
func TestFormatsColumns(t *testing.T) {
	m := formatMatrices[float64]()[1]
	b := operandOf(m, 20, false)
	for i := range b.Data {
		b.Data[i] = math.Abs(b.Data[i]) / 7
	}
	s := rows.SpMM[float64]{Rows: spmmf.SetF64.Rows, Nests: spmmf.SetF64.Nests}
	s.Epilogue = func(e *kernel.EpiArgs) {
		for i := range int(e.Rows) {
			for j := range int(e.Cols) {
				x := epilogue.Sum[float64](e, i, j)
				epilogue.Store(e, 0, i, j, x)
				epilogue.SumCol(e, 1, j, x)
			}
		}
	}
	vector := rows.SpMM[float64]{Rows: s.Rows, Nests: s.Nests, Vector: true}
	vector.Epilogue = func(e *kernel.EpiArgs) {
		for j := range int(e.Cols) {
			x := epilogue.Sum[float64](e, 0, j)
			epilogue.Store(e, 0, 0, j, x)
			epilogue.SumRow(e, 1, 0, x)
		}
	}
	cycle := sparse.NewBuilder[float64](9000, 5)
	for i := range 9000 {
		cycle.Add(i, i%5, float64(i%7))
	}
	long := must(cycle.Matrix())
	for _, f := range everyFormat {
		p, err := format.Pack(m, f)
		if err != nil {
			continue
		}
		var first []float64
		for threads := 1; threads <= 4; threads++ {
			out, total := layout.New[float64](m.Rows(), b.Cols), make([]float64, b.Cols)
			e := epilogue.New("columns", m.Rows(), b.Cols)
			epilogue.Out(&e, "out", out)
			epilogue.ColSum(&e, "total", total)
			rows.Fuse(&s, run.Options{Threads: threads}, &e, p, b)
			if first == nil {
				first = total
			}
			if !slices.Equal(total, first) {
				t.Errorf("%s: with %d threads the sums of columns differ", f.Name, threads)
			}
			for j := range b.Cols {
				sum := 0.0
				for i := range m.Rows() {
					sum += out.At(i, j)
				}
				if math.Abs(sum-total[j]) > 1e-9*sum {
					t.Errorf("%s: column %d sums to %v, want %v", f.Name, j, total[j], sum)
				}
			}
		}
		y, total := make([]float64, long.Rows()), make([]float64, 1)
		e := epilogue.New("vector", 1, long.Rows())
		epilogue.Out(&e, "y", layout.RowMajor(y, 1, len(y)))
		epilogue.RowSum(&e, "total", total)
		q, err := format.Pack(long, f)
		if err != nil {
			t.Fatal(err)
		}
		rows.Fuse(&vector, run.Options{Threads: 3}, &e, q, operandOf(long, 1, false))
		sum := 0.0
		for _, x := range y {
			sum += x
		}
		if math.Abs(sum-total[0]) > 1e-9*math.Abs(sum) || sum == 0 {
			t.Errorf("%s: the vector sums to %v, want %v", f.Name, total[0], sum)
		}
	}
}
