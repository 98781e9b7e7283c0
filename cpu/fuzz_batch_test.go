package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// FuzzMatMulBatch is FuzzMatMul for batches: each product is that of the plain loop,
// whatever lies between the matrices stays, and a batch of which one product must
// not be made is refused as a whole.
func FuzzMatMulBatch(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 4, 4, 4, 0, 5, 0, 0, 0, 1, 1})
	f.Add([]byte{0, 1, 2, 1, 0, 1, 8, 17, 5, 0, 12, 3, 0, 1, 2, 2})
	addRandom(f, 300, 48)
	fuzzFloats(f, fuzzBatch[float32], fuzzBatch[float64])
}

// fuzzSeries is an operand of each product of a batch.
type fuzzSeries struct {
	fuzzOperand
	stride int
}

func (f *fuzzBytes) series(rows, cols, count int) fuzzSeries {
	s := fuzzSeries{fuzzOperand: f.operand(rows, cols)}
	n, _ := s.extent()
	switch f.next() % 12 {
	case 0, 1, 2, 3:
		s.stride = n
	case 4:
		s.stride = n + f.next()
	case 5: // rows or columns of all products side by side
		s.stride = s.cols
		if n < 1<<12 && count < 1<<10 {
			s.rs *= max(1, count)
		}
	case 6:
		s.stride = f.pick(1, s.rs, s.cs, n-1)
	case 7, 8:
		s.stride = 0
	default:
		s.stride = f.pick(-1, math.MinInt, math.MaxInt, math.MaxInt/max(1, count), 1<<30)
	}
	if n, ok := s.extent(); ok && 1 < count && count < 1<<10 && 0 < s.stride && s.stride < 1<<14 && s.rows > 0 && s.cols > 0 {
		s.length += (count-1)*s.stride + n - min(n, s.length)
	}
	s.length = max(0, s.length+f.pick(0, 0, 0, 0, 0, 0, 0, -1))
	return s
}

// valid reports whether all products' operands lie in the slice.
func (s fuzzSeries) valid(count int) bool {
	n, ok := s.extent()
	if !ok || s.stride < 0 || n > s.length {
		return false
	}
	return n == 0 || count < 2 || s.stride == 0 || (s.length-n)/s.stride >= count-1
}

// places lists where the elements of all products' operands lie.
func (s fuzzSeries) places(count int) []int {
	var at []int
	one := s.indices()
	for z := range count {
		for _, i := range one {
			at = append(at, i+z*s.stride)
		}
	}
	return at
}

func fuzzBatch[T dtype.Float](t *testing.T, in fuzzBytes) {
	opt := in.options()
	m, n, k := in.next()%24, in.next()%40, in.next()%40
	count := in.pick(2, 3, 1, 0, 9, 50, -1, 7)
	if in.next()%32 == 31 { // enough work for several threads
		count, m, n, k = 300, 24, 24, 24
	}
	if in.next()%32 == 31 {
		count = math.MaxInt
	}
	sa, sb, sc := in.series(m, k, count), in.series(k, n, count), in.series(m, n, count)
	numbers := fuzzNumbers(in.next())
	a, ga := placed[T](t, sa.fuzzOperand, &numbers)
	b, gb := placed[T](t, sb.fuzzOperand, &numbers)
	c, gc := placed[T](t, sc.fuzzOperand, &numbers)
	spoil(opt, c.Data)
	batch := Batch{Count: count, Out: sc.stride, A: sa.stride, B: sb.stride}

	valid := sa.cols == sb.rows && sa.rows == sc.rows && sb.cols == sc.cols && sa.valid(count) && sb.valid(count) && sc.valid(count) && count >= 0
	sure := false
	if valid {
		if count > 400 && sc.rows*sc.cols > 0 {
			valid = false // no slice holds so many results
		} else if at := sc.places(min(count, 400)); true {
			slices.Sort(at)
			valid = len(slices.Compact(at)) == min(count, 400)*sc.rows*sc.cols && sc.distinct()
			size, _ := sc.extent()
			sure = valid && sc.nested() && (sc.stride >= size || count < 2)
		}
	}
	before := slices.Clone(c.Data)
	where := func() string {
		return fmt.Sprintf("%T out %+v, a %+v, b %+v, %+v, %+v", c.Data, sc, sa, sb, batch, opt)
	}
	refused := refusedShape(func() { MatMulBatch(opt, batch, c, a, b) })
	if refused && sure {
		t.Fatalf("%s: refused", where())
	}
	if !refused && !valid {
		t.Fatalf("%s: not refused", where())
	}
	expected := slices.Clone(before)
	if !refused && sc.rows*sc.cols > 0 {
		from := func(x layout.Matrix[T], off int) layout.Matrix[T] {
			x.Data = x.Data[max(0, min(off, len(x.Data))):] // of an empty matrix, anything
			return x
		}
		for z := range count {
			out := c
			out.Data = before
			want := product(opt, from(out, z*sc.stride), from(a, z*sa.stride), from(b, z*sb.stride))
			for i := range c.Rows {
				for j := range c.Cols {
					expected[z*sc.stride+i*c.RowStride+j*c.ColStride] = want.At(i, j)
				}
			}
		}
	}
	for i, have := range c.Data {
		if !alike(have, expected[i]) {
			t.Fatalf("%s, refused %v: out.Data[%d] = %v, want %v", where(), refused, i, have, expected[i])
		}
	}
	for i, g := range []*guard.Memory[T]{ga, gb, gc} {
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %s: %v", where(), []string{"a", "b", "out"}[i], err)
		}
	}
}
