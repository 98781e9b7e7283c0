package cpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// FuzzSpMM multiplies sparse matrices of any structure and format, whole or in parts,
// with operands of any shape and stride: what must not be done panics with a
// ShapeError, the rest is what a loop over the entries gives.
func FuzzSpMM(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 1, 0, 5, 7, 9, 3, 1, 4, 2})
	addRandom(f, 400, 60)
	fuzzFloats(f, fuzzSpMM[float32], fuzzSpMM[float64])
}

// FuzzSDDMM is the same for products of which only the entries of a sparse matrix are
// computed.
func FuzzSDDMM(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 1, 0, 5, 7, 9, 3, 1, 4, 2})
	addRandom(f, 300, 60)
	fuzzFloats(f, fuzzSDDMM[float32], fuzzSDDMM[float64])
}

// fuzzEntries are those of a sparse matrix in the order of its rows; a place may
// stand twice.
type fuzzEntries[T dtype.Float] struct {
	i, j []int32
	v    []T
}

// fuzzSparse makes a sparse matrix: most rows have few entries, some none or very many.
func fuzzSparse[T dtype.Float](t *testing.T, in *fuzzBytes, numbers *fuzzNumbers) (sparse.Matrix[T], fuzzEntries[T]) {
	t.Helper()
	m, k := in.next()%50, in.next()%60
	if in.next()%16 == 15 {
		m *= 40
	}
	seed := uint32(in.next())<<8 | uint32(in.next())
	random := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	density, twice := 1+in.next()%8, in.next()%8 == 7
	pointers := []int32{0}
	var e fuzzEntries[T]
	for i := range m {
		n := random(density + 1)
		switch random(12) {
		case 0:
			n = 0
		case 1:
			n = k
		}
		var cols []int
		for range n * min(k, 1) {
			if j := random(k); twice || !slices.Contains(cols, j) {
				cols = append(cols, j)
			}
		}
		if !twice {
			slices.Sort(cols)
		}
		for _, j := range cols {
			e.i, e.j, e.v = append(e.i, int32(i)), append(e.j, int32(j)), append(e.v, T(numbers.next()))
		}
		pointers = append(pointers, int32(len(e.v)))
	}
	a, err := sparse.FromCSR(m, k, pointers, e.j, e.v)
	if err != nil {
		t.Fatal(err)
	}
	return a, e
}

var fuzzFormats = []format.Format{
	format.CSR, format.ELL(8), format.SELL(8, 32), format.COO, format.DCSR, format.CSC, format.DIA, format.Ragged, format.Dense,
	format.BSR(4), format.DBSR(2), format.SRBCRS(4, 8), format.DELL(3), format.ELL(60),
}

func fuzzSpMM[T dtype.Float](t *testing.T, in fuzzBytes) {
	opt := in.options()
	numbers := fuzzNumbers(in.next())
	a, entries := fuzzSparse[T](t, &in, &numbers)
	m, k := a.Dims()
	n := in.next() % 140
	form := in.next() % 24
	if form == 23 { // y = a*x
		n = 1
	}
	ob, oc := in.operand(k, n), in.operand(m, n)
	b, gb := placed[T](t, ob, &numbers)
	c, gc := placed[T](t, oc, &numbers)
	shared := in.next()%16 == 15 && len(b.Data) > 0
	if shared {
		off := min(in.next(), len(b.Data)-1)
		c.Data, oc.length = b.Data[off:], len(b.Data)-off
	} else {
		spoil(opt, c.Data)
	}

	multiply := func() { SpMMOpt(opt, c, a, b) }
	what := "rows"
	switch {
	case form < len(fuzzFormats):
		p, err := format.Pack(a, fuzzFormats[form])
		if errors.Is(err, sparse.ErrFormat) {
			return // the format cannot hold it
		}
		if err != nil {
			t.Fatal(err)
		}
		what = fuzzFormats[form].Name
		multiply = func() { SpMMOpt(opt, c, p, b) }
	case form == 22:
		s, err := rule.Decompose(a, rule.Hyb(1+in.next()%3, 2))
		if err != nil {
			t.Fatal(err)
		}
		what = "hyb"
		multiply = func() { SpMMOpt(opt, c, s, b) }
	case form == 23:
		what = "SpMV"
		multiply = func() { SpMVOpt(opt, c.Data, a, b.Data) }
		fill := func(o *fuzzOperand, x *layout.Matrix[T]) { // what SpMV makes of slices
			o.rows, o.cols, o.rs, o.cs = x.Rows, 1, 1, 1
			x.RowStride, x.ColStride, x.Cols = 1, 1, 1
		}
		fill(&ob, &b)
		fill(&oc, &c)
	}
	valid := ob.rows == k && oc.rows == m && ob.cols == oc.cols && ob.valid() && oc.valid() && oc.distinct()
	if form == 23 {
		valid = len(b.Data) == k && len(c.Data) == m
	}
	sure := valid && oc.nested() && !shared
	if valid && shared {
		off := len(b.Data) - len(c.Data)
		at := map[int]bool{}
		for _, i := range ob.indices() {
			at[i] = true
		}
		valid = !slices.ContainsFunc(oc.indices(), func(i int) bool { return at[i+off] })
	}
	where := func() string {
		return fmt.Sprintf("%s: %T out %+v, a %v, b %+v, shared %v, %+v", what, c.Data, oc, a, ob, shared, opt)
	}
	expected := slices.Clone(c.Data)
	if valid {
		for i := range m {
			for j := range oc.cols {
				var sum T
				from, _ := slices.BinarySearch(entries.i, int32(i))
				for e := from; e < len(entries.i) && entries.i[e] == int32(i); e++ {
					sum += entries.v[e] * b.Data[int(entries.j[e])*b.RowStride+j*b.ColStride]
				}
				p := &expected[i*c.RowStride+j*c.ColStride]
				*p = factored(opt, sum, *p)
			}
		}
	}
	was, wasB := slices.Clone(c.Data), slices.Clone(b.Data)
	refused := refusedShape(multiply)
	if refused && sure {
		t.Fatalf("%s: refused", where())
	}
	if !refused && !valid {
		t.Fatalf("%s: not refused", where())
	}
	if refused {
		expected = was
	}
	for i, have := range c.Data {
		if !alike(have, expected[i]) {
			t.Fatalf("%s, refused %v: out.Data[%d] = %v, want %v", where(), refused, i, have, expected[i])
		}
	}
	if !shared && !slices.Equal(b.Data, wasB) {
		t.Fatalf("%s: b has changed", where())
	}
	for i, g := range []*guard.Memory[T]{gb, gc} {
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %s: %v", where(), []string{"b", "out"}[i], err)
		}
	}
}

// factored is alpha*sum + beta*old, without old if beta is 0 and the sum if alpha is.
func factored[T dtype.Float](opt Options, sum, old T) T {
	x, y := opt.Scaling.Factors()
	alpha, beta := T(x), T(y)
	if alpha == 0 {
		sum = 0
	}
	if sum *= alpha; beta != 0 {
		sum += beta * old
	}
	return sum
}

func fuzzSDDMM[T dtype.Float](t *testing.T, in fuzzBytes) {
	opt := SDDMMOptions{Options: in.options(), Pattern: in.next()%2 == 1}
	numbers := fuzzNumbers(in.next())
	s, entries := fuzzSparse[T](t, &in, &numbers)
	m, n := s.Dims()
	f := in.next() % 140
	oa, ob := in.operand(m, f), in.operand(n, f)
	a, ga := placed[T](t, oa, &numbers)
	b, gb := placed[T](t, ob, &numbers)
	length := max(0, s.NNZ()+in.pick(0, 0, 0, 0, 0, 0, 0, 1, -1))
	out, gout := placedSlice[T](t, length, in.next()%3, &numbers)
	shared := in.next()%16 == 15 && len(a.Data) >= length
	if shared {
		out = a.Data[len(a.Data)-length:]
	} else {
		spoil(opt.Options, out)
	}
	valid := oa.rows == m && ob.rows == n && oa.cols == ob.cols && oa.valid() && ob.valid() && length == s.NNZ()
	sure := valid && !shared
	if length > 0 && shared {
		valid = false
	}
	where := func() string {
		return fmt.Sprintf("%T s %v, a %+v, b %+v, out of %d, shared %v, %+v", out, s, oa, ob, length, shared, opt)
	}
	expected := slices.Clone(out)
	refused := refusedShape(func() { SDDMMInto(opt, out, s, a, b) })
	if refused && sure {
		t.Fatalf("%s: refused", where())
	}
	if !refused && !valid && length > 0 {
		t.Fatalf("%s: not refused", where())
	}
	if !refused {
		for e := range expected {
			var sum T
			for p := range f {
				sum += a.Data[int(entries.i[e])*a.RowStride+p*a.ColStride] * b.Data[int(entries.j[e])*b.RowStride+p*b.ColStride]
			}
			if !opt.Pattern {
				sum *= entries.v[e]
			}
			expected[e] = factored(opt.Options, sum, expected[e])
		}
	}
	for i, have := range out {
		if !alike(have, expected[i]) {
			t.Fatalf("%s, refused %v: out[%d] = %v, want %v", where(), refused, i, have, expected[i])
		}
	}
	for i, g := range []*guard.Memory[T]{ga, gb, gout} {
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %s: %v", where(), []string{"a", "b", "out"}[i], err)
		}
	}
}
