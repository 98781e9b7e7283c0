package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// fuzzBytes hands out the bytes of an input, then zeros.
type fuzzBytes []byte

func (f *fuzzBytes) next() int {
	if len(*f) == 0 {
		return 0
	}
	b := (*f)[0]
	*f = (*f)[1:]
	return int(b)
}

// fuzzFloats fuzzes a test of both types, of which the first byte chooses one.
func fuzzFloats(f *testing.F, f32, f64 func(t *testing.T, in fuzzBytes)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := fuzzBytes(data)
		if in.next()%2 == 0 {
			f32(t, in)
		} else {
			f64(t, in)
		}
	})
}

// pick returns one of the values, the first for a byte of 0.
func (f *fuzzBytes) pick(values ...int) int { return values[f.next()%len(values)] }

// fuzzOperand is an operand as an input describes it: strides and a length that
// may be wrong.
type fuzzOperand struct {
	rows, cols, rs, cs int
	length             int // of the slice
	end                int // 0: right before a guard page, 1: right after one, 2: between
}

func (f *fuzzBytes) operand(rows, cols int) fuzzOperand {
	o := fuzzOperand{rows: rows, cols: cols}
	if f.next()%16 == 15 {
		o.rows += f.pick(1, -1, 3)
	}
	rows, cols = max(rows, 1), max(cols, 1)
	switch f.next() % 12 {
	case 0, 1:
		o.rs, o.cs = cols, 1
	case 2:
		o.rs, o.cs = 1, rows
	case 3:
		o.rs, o.cs = cols+f.next(), 1
	case 4:
		o.rs, o.cs = 1, rows+f.next()
	case 5:
		o.cs = 1 + f.next()%4
		o.rs = cols*o.cs + f.next()%9
	case 6:
		o.rs = 1 + f.next()%4
		o.cs = rows*o.rs + f.next()%9
	case 7:
		o.rs, o.cs = f.next()%70, f.next()%3
	case 8:
		o.rs, o.cs = f.pick(0, 1, cols), f.pick(0, 1, rows)
	case 9: // rows in the same cache sets
		o.rs, o.cs = 1024, 1
	default:
		stride := func() int {
			return f.pick(0, 1, -1, math.MinInt, math.MaxInt, math.MaxInt/2+1, math.MaxInt/max(1, rows), 1<<20)
		}
		o.rs, o.cs = stride(), stride()
	}
	o.length = 8
	if n, ok := o.extent(); ok {
		o.length = n
	}
	o.length = max(0, o.length+f.pick(0, 0, 0, 0, 0, 0, 1, 5, -1, -100))
	o.end = f.next() % 3
	return o
}

// options are those that every call has: a variant, threads and factors.
func (f *fuzzBytes) options() Options {
	isas := ISAs()
	opt := Options{ISA: isas[f.next()%len(isas)], Threads: f.pick(1, 0, 2, 5)}
	if f.next()%2 == 1 {
		opt.Scaling = Scale(float64(f.pick(1, 0, -1, 2)), float64(f.pick(0, 1, -1, 3)))
	}
	return opt
}

// sizes are those of a product, now and then a long or a deep one, or one with a
// long side and a short one.
func (f *fuzzBytes) sizes() (m, n, k int) {
	m, n, k = f.next()%80, f.next()%110, f.next()
	if k > 240 {
		k = []int{1023, 1024, 1025, 2049, 8193}[k%5]
		m, n = m%12, n%20
	}
	if f.next()%6 == 5 {
		m, n = 1+m%20, 200+16*f.next()+n%17
		k = min(64+5*f.next(), 1<<20/n)
		if f.next()%2 == 1 {
			m, n = n, m
		}
	}
	return m, n, k
}

// fuzzNumbers makes values that no order of additions rounds.
type fuzzNumbers uint32

func (x *fuzzNumbers) next() float64 {
	*x = *x*1664525 + 1013904223
	return float64(int(*x>>24)%5 - 2)
}

// placed returns a matrix as o says, in guarded memory.
func placed[T dtype.Float](t *testing.T, o fuzzOperand, numbers *fuzzNumbers) (layout.Matrix[T], *guard.Memory[T]) {
	t.Helper()
	data, g := placedSlice[T](t, o.length, o.end, numbers)
	return layout.Matrix[T]{Data: data, Rows: o.rows, Cols: o.cols, RowStride: o.rs, ColStride: o.cs}, g
}

func placedSlice[T dtype.Float](t *testing.T, n, end int, numbers *fuzzNumbers) ([]T, *guard.Memory[T]) {
	t.Helper()
	return inGuard(t, n, end, func() T { return T(numbers.next()) })
}

// inGuard returns n elements in guarded memory.
func inGuard[T dtype.Elem](t *testing.T, n, end int, next func() T) ([]T, *guard.Memory[T]) {
	t.Helper()
	g, err := guard.New[T](n + 200)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	data := [](func() []T){func() []T { return g.Right(n) }, func() []T { return g.Left(n) }, func() []T { return g.At(100, n) }}[end]()
	for i := range data {
		data[i] = next()
	}
	return data, g
}

// spoil fills what a call with these options does not read.
func spoil[T dtype.Float](opt Options, out []T) {
	if _, beta := opt.Scaling.Factors(); beta != 0 {
		return
	}
	for i := range out {
		out[i] = T(math.NaN())
	}
}

// refusedShape calls f and reports whether it panicked with a ShapeError.
func refusedShape(f func()) (refused bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(layout.ShapeError); !ok {
				panic(r)
			}
			refused = true
		}
	}()
	f()
	return false
}

// alike reports whether two numbers are equal, or both NaN.
func alike[T dtype.Float](x, y T) bool { return x == y || x != x && y != y }

// extent returns the number of elements from the first to the last, if all of
// them could lie in one slice of a size that the test has.
func (o fuzzOperand) extent() (int, bool) {
	if o.rows < 0 || o.cols < 0 || o.rs < 0 || o.cs < 0 {
		return 0, false
	}
	if o.rows == 0 || o.cols == 0 {
		return 0, true
	}
	n := 1.0
	if o.rows > 1 {
		n += float64(o.rows-1) * float64(o.rs)
	}
	if o.cols > 1 {
		n += float64(o.cols-1) * float64(o.cs)
	}
	return int(min(n, 1<<22)), n < 1<<21
}

// valid reports whether an operand that is only read is one.
func (o fuzzOperand) valid() bool {
	n, ok := o.extent()
	return ok && n <= o.length
}

// indices lists where the elements of a valid operand lie.
func (o fuzzOperand) indices() []int {
	var at []int
	for i := range o.rows {
		for j := range o.cols {
			at = append(at, i*o.rs+j*o.cs)
		}
	}
	return at
}

// distinct reports whether no two elements share a place.
func (o fuzzOperand) distinct() bool {
	at := o.indices()
	slices.Sort(at)
	return len(slices.Compact(at)) == o.rows*o.cols
}

// nested reports whether one stride steps over all that the other spans, as in
// every part of a row- or column-major matrix.
func (o fuzzOperand) nested() bool {
	return o.rows <= 1 || o.cols <= 1 || o.rs > (o.cols-1)*o.cs && o.cs > 0 || o.cs > (o.rows-1)*o.rs && o.rs > 0
}

// FuzzMatMul calls the product with whatever shapes, strides, lengths, options and
// places the input says. A call that must not be made panics with a ShapeError and
// writes nothing; any other gives what the plain loop gives. Nothing outside of
// the operands is touched, and out is not read if beta is 0.
func FuzzMatMul(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 7, 9, 11})
	f.Add([]byte{1, 1, 33, 50, 17, 0, 2, 0, 0, 0, 3, 5, 0, 2})
	f.Add([]byte{0, 2, 9, 48, 200, 0, 5, 1, 3, 0, 0, 4, 2, 1, 1, 6, 2, 2})
	f.Add([]byte{1, 3, 5, 6, 7, 0, 8, 0, 0, 0, 0, 10, 4, 5, 6, 0, 7, 3, 1})
	f.Add([]byte{0, 4, 16, 16, 16, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9})
	f.Add([]byte{1, 5, 64, 64, 254, 0, 9, 0, 1, 0, 9, 0, 0, 0, 3, 1})
	addRandom(f, 400, 40)
	fuzzFloats(f, fuzzMatMul[float32], fuzzMatMul[float64])
}

// addRandom adds n seeds of so many bytes.
func addRandom(f *testing.F, n, size int) {
	r := rand.New(level.PCG(5, 6))
	for range level.Of(n/30, n/10, n) {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
}

func fuzzMatMul[T dtype.Float](t *testing.T, in fuzzBytes) {
	opt := in.options()
	m, n, k := in.sizes()
	oa, ob, oc := in.operand(m, k), in.operand(k, n), in.operand(m, n)
	shared := in.next() // which operand out shares memory with, if one
	packed := in.next()%8 == 7
	numbers := fuzzNumbers(in.next())
	a, ga := placed[T](t, oa, &numbers)
	b, gb := placed[T](t, ob, &numbers)
	c, gc := placed[T](t, oc, &numbers)
	if from := []*layout.Matrix[T]{&a, &b}; shared%8 >= 6 && len(from[shared%2].Data) > 0 {
		x := from[shared%2].Data
		off := min(in.next(), len(x)-1)
		c.Data, oc.length = x[off:], len(x)-off
	} else {
		shared = 0
		spoil(opt, c.Data)
	}
	if packed && ob.valid() {
		opt.B = Pack(b)
		opt.ISA = "" // that of Pack
	}

	// May the call be made, must it be refused, or may it be either, since what
	// overlaps is only seen as far as addresses and strides show it?
	fits := oa.cols == ob.rows && oa.rows == oc.rows && ob.cols == oc.cols
	valid := fits && oa.valid() && ob.valid() && oc.valid() && oc.distinct()
	sure := valid && oc.nested() && shared == 0
	if valid && shared != 0 {
		o, x := oa, a
		if shared%2 == 1 {
			o, x = ob, b
		}
		off := len(x.Data) - len(c.Data)
		at := map[int]bool{}
		for _, i := range o.indices() {
			at[i] = true
		}
		if slices.ContainsFunc(oc.indices(), func(i int) bool { return at[i+off] }) {
			valid = false
		}
	}

	before := [3][]T{slices.Clone(a.Data), slices.Clone(b.Data), slices.Clone(c.Data)}
	where := func() string {
		return fmt.Sprintf("%T out %+v, a %+v, b %+v, shared %d, packed %v, %+v", c.Data, oc, oa, ob, shared, opt.B != nil, opt)
	}
	var want layout.Matrix[T]
	if valid {
		want = product(opt, c, a, b)
	}
	refused := refusedShape(func() { MatMulOpt(opt, c, a, b) })
	if refused && sure {
		t.Fatalf("%s: refused", where())
	}
	if !refused && !valid {
		t.Fatalf("%s: not refused", where())
	}
	expected := slices.Clone(before[2])
	if !refused {
		for i := range c.Rows {
			for j := range c.Cols {
				expected[i*c.RowStride+j*c.ColStride] = want.At(i, j)
			}
		}
	}
	for i, have := range c.Data {
		if !alike(have, expected[i]) {
			t.Fatalf("%s, refused %v: out.Data[%d] = %v, want %v", where(), refused, i, have, expected[i])
		}
	}
	if shared == 0 && (!slices.Equal(a.Data, before[0]) || !slices.Equal(b.Data, before[1])) {
		t.Fatalf("%s: an operand has changed", where())
	}
	for i, g := range []*guard.Memory[T]{ga, gb, gc} {
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %s: %v", where(), []string{"a", "b", "out"}[i], err)
		}
	}
}
