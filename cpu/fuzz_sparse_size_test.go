package cpu

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// FuzzSparseSizes gives every sparse product sizes and strides near powers of two and
// strides of 0, with a few elements behind them: a ShapeError is fine, a crash is not,
// nor is more memory than scratch. Where no size is too large for it, the result is that
// of a loop over the entries.
func FuzzSparseSizes(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 1, 0, 5, 7, 9, 3, 1, 4, 2, 200, 100, 50, 25})
	addRandom(f, 300, 40)
	fuzzFloats(f, fuzzSizes[float32], fuzzSizes[float64])
}

// nearPower returns a size near a power of two, up to 2^most, or a small one.
func (f *fuzzBytes) nearPower(most int) int {
	e, d := f.next()%(most+1), f.pick(0, 0, 1, -1, 2)
	return max(0, int(min(int64(1)<<e, math.MaxInt-2))+d)
}

// hugeOperand is a matrix of m x n with strides that may be 0, large or nonsense, and
// mostly as many elements as they need, if those are not too many.
func hugeOperand[T dtype.Float](f *fuzzBytes, m, n int) layout.Matrix[T] {
	most := 62
	if math.MaxInt == math.MaxInt32 {
		most = 30
	}
	stride := func(dense int) int {
		switch f.next() % 6 {
		case 0, 1:
			return 0
		case 2:
			return 1
		case 3:
			return dense
		case 4:
			return f.nearPower(20)
		}
		return f.pick(f.nearPower(most), math.MaxInt, -1, math.MinInt)
	}
	x := layout.Matrix[T]{Rows: m, Cols: n, RowStride: stride(max(n, 1)), ColStride: stride(max(m, 1))}
	length := 1.0
	if m > 0 {
		length += float64(m-1) * float64(x.RowStride)
	}
	if n > 0 {
		length += float64(n-1) * float64(x.ColStride)
	}
	x.Data = make([]T, max(0, int(max(0, min(length, 1<<20)))+f.pick(0, 0, 0, 0, 1, -1)))
	for i := range x.Data {
		x.Data[i] = T(i%3 - 1)
	}
	return x
}

func fuzzSizes[T dtype.Float](t *testing.T, in fuzzBytes) {
	opt := in.options()
	opt.Threads = 1 + in.next()%2
	m, k, n, h := 1+in.nearPower(14), 1+in.nearPower(20), in.nearPower(14), in.nearPower(10)
	if in.next()%4 == 0 {
		n = in.nearPower(40)
	}
	b := sparse.NewBuilder[T](m, k)
	for range in.next() % 6 {
		b.Add(in.pick(0, m-1, m/2, min(m-1, 255)), in.pick(0, k-1, k/2, min(k-1, 255)), T(in.next()%5-2))
	}
	a, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	product := in.next() % 8
	dense := hugeOperand[T](&in, k, n)
	var out layout.Matrix[T]
	var call func()
	switch product {
	case 0, 1: // sums over n features, which may be many
		if n > 1<<20 {
			return // as much work as that
		}
		x, values := hugeOperand[T](&in, m, n), make([]T, a.NNZ())
		out = layout.RowMajor(values, 1, a.NNZ())
		call = func() { SDDMMInto(SDDMMOptions{Options: opt, Pattern: product == 1}, values, a, x, dense) }
	case 2:
		if n > 1<<20 {
			return
		}
		q, v := hugeOperand[T](&in, m, n), hugeOperand[T](&in, k, h)
		out = hugeOperand[T](&in, m, h)
		opt.Scaling = Scale(1, 0)
		call = func() { GraphAttention(AttentionOptions{Options: opt}, out, a, q, dense, v) }
	default:
		if out = (layout.Matrix[T]{Rows: m, Cols: n, RowStride: max(1, n), ColStride: 1}); in.next()%4 == 0 {
			out = hugeOperand[T](&in, m, n)
		} else if float64(m)*float64(n) <= 1<<20 {
			out.Data = make([]T, m*n)
		}
		call = sparseCall(t, opt, product, a, out, dense)
		if call == nil {
			return
		}
	}
	was := slices.Clone(out.Data)
	refused := false
	bytes := allocated(func() { refused = refusedShape(call) })
	if bytes > scratch {
		t.Fatalf("product %d: %d bytes for out %d x %d, a %v, b %d x %d (%d, %d) on %d", product, bytes, out.Rows, out.Cols, a, dense.Rows, dense.Cols, dense.RowStride, dense.ColStride, len(dense.Data))
	}
	if refused {
		if !slices.EqualFunc(was, out.Data, alike[T]) {
			t.Fatalf("product %d: refused, and out has changed", product)
		}
		return
	}
	if product < 3 || out.Rows*out.Cols == 0 {
		return
	}
	sums := map[[2]int]T{}
	for _, j := range slices.Compact([]int{0, out.Cols / 2, out.Cols - 1}) {
		for e, v := range a.All() {
			sums[[2]int{e.I, j}] += v * dense.At(e.J, j)
		}
		for _, i := range []int{0, m / 2, m - 1} {
			at := i*out.RowStride + j*out.ColStride
			if have, want := out.Data[at], factored(opt, sums[[2]int{i, j}], was[at]); !alike(have, want) {
				t.Fatalf("product %d, %+v: (%d, %d) is %v, want %v; a %v, b %d x %d (%d, %d)", product, opt, i, j, have, want, a, dense.Rows, dense.Cols, dense.RowStride, dense.ColStride)
			}
		}
	}
}

// sparseCall returns the product of a with b by the matrix in some form, nil if the form
// cannot hold it.
func sparseCall[T dtype.Float](t *testing.T, opt Options, product int, a sparse.Matrix[T], out, b layout.Matrix[T]) func() {
	t.Helper()
	if product == 3 {
		p := Prune(a)
		return func() { MulPruned(opt, out, p, b) }
	}
	if product == 4 {
		return func() { SpMMOpt(opt, out, a, b) }
	}
	p, err := format.Pack(a, []format.Format{format.BSR(4), format.CSC, format.DBSR(3)}[product-5])
	if err != nil {
		t.Fatal(err)
	}
	return func() { SpMMOpt(opt, out, p, b) }
}
