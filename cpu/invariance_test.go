package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// mostAlike is how often a row is there in the operands of these tests.
const mostAlike = 70

// alikeRows returns a matrix of which all rows are one.
func alikeRows[T dtype.Elem](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	x := randomOf[T](r, 1, cols)
	out := layout.New[T](rows, cols)
	for i := range rows {
		copy(out.Data[i*cols:], x.Data)
	}
	return out
}

func randomOf[T dtype.Elem](r *rand.Rand, rows, cols int) layout.Matrix[T] {
	x := layout.New[T](rows, cols)
	for i := range x.Data {
		switch p := any(&x.Data[i]).(type) {
		case *int8:
			*p = int8(r.IntN(256))
		case *float32:
			*p = float32(r.NormFloat64())
		default:
			x.Data[i] = elemOf[T](r.NormFloat64())
		}
	}
	return x
}

// byColumns is x by columns, and withGaps x with gaps between elements.
func byColumns[T dtype.Elem](x layout.Matrix[T]) layout.Matrix[T] {
	return copiedTo(layout.New[T](x.Cols, x.Rows).T(), x)
}

func withGaps[T dtype.Elem](x layout.Matrix[T]) layout.Matrix[T] {
	all := layout.New[T](x.Rows, 2*x.Cols+1)
	return copiedTo(layout.Matrix[T]{Data: all.Data, Rows: x.Rows, Cols: x.Cols, RowStride: all.RowStride, ColStride: 2}, x)
}

func copiedTo[T dtype.Elem](out, x layout.Matrix[T]) layout.Matrix[T] {
	for i := range x.Rows {
		for j := range x.Cols {
			out.Set(i, j, x.At(i, j))
		}
	}
	return out
}

// A reference is the first row that was computed; others are held against it.
type reference[T dtype.Elem] struct{ row []T }

func (f *reference[T]) hold(t *testing.T, what string, out layout.Matrix[T]) {
	t.Helper()
	if f.row == nil {
		for j := range out.Cols {
			f.row = append(f.row, out.At(0, j))
		}
	}
	for i := range out.Rows {
		row := out.Data[i*out.RowStride:]
		if out.ColStride == 1 && slices.Equal(row[:out.Cols], f.row) {
			continue
		}
		for j, want := range f.row {
			if have := row[j*out.ColStride]; have != want {
				t.Errorf("%s, %d rows: element (%d, %d) is %v, elsewhere it is %v", what, out.Rows, i, j, have, want)
				return
			}
		}
	}
}

// rowCounts are numbers of rows up to mostAlike: those around tiles, and where that does not take long a share of the
// others, which is another one at each turn.
func rowCounts(isa string, turn int) (ms []int) {
	for m := 1; m <= mostAlike; m++ {
		fewest := m < 3 || m == 7 || m == 17 || m == mostAlike
		few := m < 4 || m%16 < 2 || m == 6 || m == 7 || m == mostAlike
		if level.Of(fewest, few || isa != "go" && (m+turn)%5 == 0, true) {
			ms = append(ms, m)
		}
	}
	return ms
}

// rowsInvariant holds that a row of a product has the same bits with any number of other rows, packed or not, for any threads and strides.
func rowsInvariant[Acc dtype.Sum, E, Out dtype.Elem](t *testing.T, sets ...string) {
	name := dtype.Name[E]() + " to " + dtype.Name[Out]()
	for v, isa := range sets {
		if !slices.Contains(ISAs(), isa) {
			t.Logf("%s: this machine has no %s, whose kernels are not tested here", name, isa)
			continue
		}
		// Of little work; of a b that is large enough to be skinny, were it of float32; of several blocks of k; with many columns.
		for at, s := range [][2]int{{7, 33}, {700, 100}, {2500, 27}, {33, 2000}} {
			if level.Of((at+v)%4 > 0, false, false) {
				continue
			}
			k, n := s[0], s[1]
			r := rand.New(level.PCG(uint64(k), uint64(n)))
			a, b := alikeRows[E](r, mostAlike, k), randomOf[E](r, k, n)
			pack := func(b layout.Matrix[E]) *run.Packed {
				return dense.Pack(mixedOf[Acc, E, E]("test"), nil, Options{ISA: isa, Caller: "test"}, b)
			}
			columns, scaled := byColumns(b), Scale(1, 0)
			if dtype.Of[Acc]() != dtype.I32 {
				scaled = Scale(1.5, 0)
			}
			var plain, times reference[Out]
			for i, c := range []struct {
				what      string
				opt       Options
				out       layout.Matrix[Out]
				a, b      layout.Matrix[E]
				reference *reference[Out]
			}{
				{"b by rows", Options{}, layout.New[Out](mostAlike, n), a, b, &plain},
				{"b by columns, two threads", Options{Threads: 2}, layout.New[Out](mostAlike, n), a, columns, &plain},
				{"b by rows, packed", Options{B: pack(b), Threads: 2}, layout.New[Out](mostAlike, n), a, b, &plain},
				{"b by columns, packed", Options{B: pack(columns)}, layout.New[Out](mostAlike, n), a, columns, &plain},
				{"all by columns", Options{}, byColumns(layout.New[Out](mostAlike, n)), byColumns(a), columns, &plain},
				{"all with gaps", Options{}, withGaps(layout.New[Out](mostAlike, n)), withGaps(a), withGaps(b), &plain},
				{"scaled", Options{Scaling: scaled}, layout.New[Out](mostAlike, n), a, b, &times},
				{"scaled, packed", Options{Scaling: scaled, B: pack(columns), Threads: 2}, layout.New[Out](mostAlike, n), a, columns, &times},
			} {
				c.opt.ISA = isa
				ms := rowCounts(isa, i+at)
				if i > 3 { // fewer of what is rarer
					ms = rowCounts("go", 0)
				}
				for _, m := range ms {
					out := c.out.Slice(0, m, 0, n)
					MatMulOfOpt[Acc](c.opt, out, c.a.Slice(0, m, 0, k), c.b)
					c.reference.hold(t, fmt.Sprintf("%s of %d x %d by %s, %s", name, k, n, isa, c.what), out)
				}
			}
		}
	}
}

// TestRowsInvariant holds the promise of the package comment.
func TestRowsInvariant(t *testing.T) {
	rowsInvariant[float32, dtype.BF16, float32](t, "amxbf16", "avx512bf16", "avx512", "avx2", "go")
	rowsInvariant[float32, dtype.BF16, dtype.BF16](t, "amxbf16", "avx512bf16", "avx2")
	rowsInvariant[float32, dtype.F16, float32](t, "avx512", "avx2", "go")
	rowsInvariant[float32, dtype.F16, dtype.F16](t, "avx512", "avx2")
	rowsInvariant[int32, int8, int32](t, "amxint8", "avx512vnni", "avxvnni", "avx512", "avx2")
}

// TestFloatRows holds what the package comment says of float32 and float64, which is no promise.
func TestFloatRows(t *testing.T) {
	floatRows[float32](t)
	floatRows[float64](t)
}

func floatRows[T dtype.Float](t *testing.T) {
	for _, isa := range []string{"avx512", "avx2", "go"} {
		if !slices.Contains(ISAs(), isa) {
			continue
		}
		for _, s := range [][2]int{{700, 100}, {33, 100}} {
			k, n := s[0], s[1]
			r := rand.New(level.PCG(5, 6))
			a, b := alikeRows[T](r, mostAlike, k), randomOf[T](r, k, n)
			var all, few reference[T]
			for i, b := range []layout.Matrix[T]{b, byColumns(b)} {
				for _, m := range rowCounts(isa, i) {
					out := layout.New[T](m, n)
					MatMulOpt(Options{ISA: isa}, out, a.Slice(0, m, 0, k), b)
					what := fmt.Sprintf("%s of %d x %d by %s", dtype.Name[T](), k, n, isa)
					switch {
					case isa == "go" || m > 16 || k == 33:
						all.hold(t, what, out)
					case i == 1: // b by columns
						few.hold(t, what, out)
					}
				}
			}
		}
	}
}

// TestRowsInvariantAttention: a row of attention does not depend on how many others there are, nor on the number of heads.
func TestRowsInvariantAttention(t *testing.T) {
	attentionInvariant[float32](t)
	attentionInvariant[float64](t)
}

func attentionInvariant[T dtype.Float](t *testing.T) {
	const n, f, h, size = 300, 40, 24, 32
	r := rand.New(level.PCG(3, 4))
	q, k, v := alikeRows[T](r, mostAlike, f), randomOf[T](r, n, f), randomOf[T](r, n, h)
	for _, isa := range SomeISAs() {
		var blocks, graph reference[T]
		for _, m := range rowCounts("go", 0) {
			mask, err := sparse.FullMask(m, n, size)
			if err != nil {
				t.Fatal(err)
			}
			for _, heads := range []int{1, 3} {
				qs, ks, vs, out := layout.New[T](heads*m, f), layout.New[T](heads*n, f), layout.New[T](heads*n, h), layout.New[T](heads*m, h)
				for i := range heads {
					copy(qs.Data[i*m*f:], q.Data[:m*f])
					copy(ks.Data[i*n*f:], k.Data)
					copy(vs.Data[i*n*h:], v.Data)
				}
				first := func(x layout.Matrix[T], rows int) layout.Matrix[T] { x.Rows = rows; return x }
				BlockAttention(BlockAttentionOptions{Options: Options{ISA: isa, Threads: heads}, Heads: Heads{Count: heads, Out: m * h, Q: m * f, K: n * f, V: n * h}},
					first(out, m), mask, first(qs, m), first(ks, n), first(vs, n))
				blocks.hold(t, isa+" BlockAttention", out)
			}
			var rows, cols []int32
			var values []T
			for i := range m {
				for j := range n {
					rows, cols, values = append(rows, int32(i)), append(cols, int32(j)), append(values, 1)
				}
			}
			s, err := sparse.FromCOO(m, n, rows, cols, values)
			if err != nil {
				t.Fatal(err)
			}
			out := layout.New[T](m, h)
			GraphAttention(AttentionOptions{Options: Options{ISA: isa, Threads: 2}}, out, s, q.Slice(0, m, 0, f), k, v)
			graph.hold(t, isa+" GraphAttention", out)
		}
	}
}
