package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// FuzzMatMulOf is FuzzMatMul for products of several types, of which the first byte
// chooses one.
func FuzzMatMulOf(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4, 0, 0, 7, 9, 11})
	f.Add([]byte{5, 1, 1, 33, 50, 17, 0, 2, 0, 0, 0, 3, 5, 0, 2})
	f.Add([]byte{0, 0, 2, 9, 48, 200, 0, 5, 1, 3, 0, 0, 4, 2, 1, 1, 6, 2, 2})
	addRandom(f, 400, 40)
	pairs := mixedPairs()
	f.Fuzz(func(t *testing.T, data []byte) {
		in := fuzzBytes(data)
		pairs[in.next()%len(pairs)].fuzz(t, in)
	})
}

func fuzzMixed[Acc dtype.Sum, A, B, Out dtype.Elem](t *testing.T, in fuzzBytes) {
	opt := in.options()
	isas := mixedISAs[Acc, A, B]()
	opt.ISA = isas[in.next()%len(isas)]
	if dtype.Of[Acc]() == dtype.I32 && opt.Scaling.On() {
		opt.Scaling = Scale(1, 1)
	}
	m, n, k := in.sizes()
	if k > 2000 && opt.Scaling.On() { // sums that are scaled stay exact
		k = 2000
	}
	oa, ob, oc := in.operand(m, k), in.operand(k, n), in.operand(m, n)
	packed := in.next()%4 == 3
	numbers := fuzzNumbers(in.next())
	random := func(n int) int {
		numbers.next()
		return int(numbers>>8) % n
	}
	data, ga := inGuard(t, oa.length, oa.end, mixedNumbers[A, Acc](random))
	a := layout.Matrix[A]{Data: data, Rows: oa.rows, Cols: oa.cols, RowStride: oa.rs, ColStride: oa.cs}
	data2, gb := inGuard(t, ob.length, ob.end, mixedNumbers[B, Acc](random))
	b := layout.Matrix[B]{Data: data2, Rows: ob.rows, Cols: ob.cols, RowStride: ob.rs, ColStride: ob.cs}
	old := mixedNumbers[Out, Acc](random)
	if _, beta := opt.Scaling.Factors(); beta == 0 && dtype.Of[Out]() != dtype.I32 { // what is not read
		old = func() Out { return storedAs[Out](math.NaN()) }
	}
	data3, gc := inGuard(t, oc.length, oc.end, old)
	c := layout.Matrix[Out]{Data: data3, Rows: oc.rows, Cols: oc.cols, RowStride: oc.rs, ColStride: oc.cs}
	where := func() string {
		return fmt.Sprintf("%v.%v.%v.%v out %+v, a %+v, b %+v, packed %v, %+v", dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out](), oc, oa, ob, opt.B != nil, opt)
	}
	if packed && ob.valid() {
		opt.B = packedOn[Acc, A](opt.ISA, b)
	}
	fits := oa.cols == ob.rows && oa.rows == oc.rows && ob.cols == oc.cols
	valid := fits && oa.valid() && ob.valid() && oc.valid() && oc.distinct()
	sure := valid && oc.nested()
	before, expected := slices.Clone(a.Data), slices.Clone(c.Data)
	var want layout.Matrix[Out]
	if valid {
		want = mixedWant[Acc](opt, c, a, b)
	}
	refused := refusedShape(func() { MatMulOfOpt[Acc](opt, c, a, b) })
	if !refused && valid {
		for i := range c.Rows {
			for j := range c.Cols {
				expected[i*c.RowStride+j*c.ColStride] = want.At(i, j)
			}
		}
	}
	switch {
	case refused && sure:
		t.Fatalf("%s: refused", where())
	case !refused && !valid:
		t.Fatalf("%s: not refused", where())
	}
	for i, have := range c.Data {
		if x, y := check.Float64(have), check.Float64(expected[i]); x != y && (x == x || y == y) {
			t.Fatalf("%s, refused %v: out.Data[%d] = %v, want %v", where(), refused, i, have, expected[i])
		}
	}
	if !slices.Equal(a.Data, before) {
		t.Fatalf("%s: an operand has changed", where())
	}
	for name, err := range map[string]error{"a": ga.Check(), "b": gb.Check(), "out": gc.Check()} {
		if err != nil {
			t.Fatalf("%s: %s: %v", where(), name, err)
		}
	}
}
