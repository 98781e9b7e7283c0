package dense

import (
	"fmt"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// typed is a matrix of elements of a type that is a value, in one of genericOrders. What
// lies between the elements are the bytes filler.
type typed struct {
	t          dtype.Type
	rows, cols int
	rs, cs     int
	data       []byte
}

const filler = 0xa5

func newTyped(t dtype.Type, order, rows, cols int, next func() float64) *typed {
	rs, cs := genericOrders[order].strides(rows, cols)
	m := &typed{t, rows, cols, rs, cs, nil}
	if rows > 0 && cols > 0 {
		m.data = make([]byte, ((rows-1)*rs+(cols-1)*cs+1)*t.Size())
	}
	for i := range m.data {
		m.data[i] = filler
	}
	for i := range rows {
		for j := range cols {
			put(m.at(i, j), t, next())
		}
	}
	return m
}

func (m *typed) at(i, j int) unsafe.Pointer {
	return unsafe.Pointer(&m.data[(i*m.rs+j*m.cs)*m.t.Size()])
}

// get returns an element as float64, which every type fits in.
func (m *typed) get(i, j int) float64 { return get(m.at(i, j), m.t) }

// rest returns the bytes between the elements.
func (m *typed) rest() (rest []byte) {
	mine := make([]bool, len(m.data))
	for i := range m.rows {
		for j := range m.cols {
			for b := range m.t.Size() {
				mine[(i*m.rs+j*m.cs)*m.t.Size()+b] = true
			}
		}
	}
	for i, x := range m.data {
		if !mine[i] {
			rest = append(rest, x)
		}
	}
	return rest
}

func asOperand[T dtype.Sum](m *typed) plain.Operand[T] {
	p := unsafe.Pointer(unsafe.SliceData(m.data))
	if m.t == dtype.Of[T]() {
		return plain.Of(layout.Matrix[T]{Data: unsafe.Slice((*T)(p), len(m.data)/m.t.Size()), Rows: m.rows, Cols: m.cols, RowStride: m.rs, ColStride: m.cs})
	}
	return plain.Converted[T](layout.View{Rows: m.rows, Cols: m.cols, RowStride: m.rs, ColStride: m.cs}, p, m.t)
}

func get(p unsafe.Pointer, t dtype.Type) float64 {
	switch t {
	case dtype.F32:
		return float64(*(*float32)(p))
	case dtype.F64:
		return *(*float64)(p)
	case dtype.TypeBF16:
		return (*dtype.BF16)(p).Float64()
	case dtype.TypeF16:
		return (*dtype.F16)(p).Float64()
	case dtype.I8:
		return float64(*(*int8)(p))
	case dtype.U8:
		return float64(*(*uint8)(p))
	case dtype.I16:
		return float64(*(*int16)(p))
	case dtype.I32:
		return float64(*(*int32)(p))
	}
	panic(t)
}

// put stores x, rounded, or of an integer wrapped around.
func put(p unsafe.Pointer, t dtype.Type, x float64) {
	switch t {
	case dtype.F32:
		*(*float32)(p) = float32(x)
	case dtype.F64:
		*(*float64)(p) = x
	case dtype.TypeBF16:
		*(*dtype.BF16)(p) = dtype.ToBF16(x)
	case dtype.TypeF16:
		*(*dtype.F16)(p) = dtype.ToF16(x)
	case dtype.I8:
		*(*int8)(p) = int8(int64(x))
	case dtype.U8:
		*(*uint8)(p) = uint8(int64(x))
	case dtype.I16:
		*(*int16)(p) = int16(int64(x))
	case dtype.I32:
		*(*int32)(p) = int32(int64(x))
	default:
		panic(t)
	}
}

// typedCase compares one product with the plain loop, bit for bit: sums are made in the
// order of k, block by block, and rounded once.
func typedCase[T dtype.Sum](t *testing.T, r *rand.Rand, ta, tb, to dtype.Type, m, n, k, threads int, next func() float64) {
	t.Helper()
	orders := [3]int{r.IntN(len(genericOrders)), r.IntN(len(genericOrders)), r.IntN(genericOutOrders)}
	a, b, out := newTyped(ta, orders[0], m, k, next), newTyped(tb, orders[1], k, n, next), newTyped(to, orders[2], m, n, next)
	scale := []T{1, 1, 0, 2, -3}
	alpha, beta := scale[r.IntN(len(scale))], scale[r.IntN(len(scale))]
	want := newTyped(to, orders[2], m, n, func() float64 { return 0 })
	for i := range m {
		for j := range n {
			put(want.at(i, j), to, float64(typedWant(alpha, a, b, beta, out, i, j)))
		}
	}
	portable(threads, nil, alpha, asOperand[T](a), asOperand[T](b), beta, asOperand[T](out))
	at := fmt.Sprintf("%v*%v in %v to %v, %d x %d x %d, a %s, b %s, out %s, alpha %v, beta %v, %d threads", ta, tb, dtype.Of[T](), to, m, n, k,
		genericOrders[orders[0]].name, genericOrders[orders[1]].name, genericOrders[orders[2]].name, alpha, beta, threads)
	for i := range m {
		for j := range n {
			if x, y := out.get(i, j), want.get(i, j); x != y && (x == x || y == y) {
				t.Fatalf("%s: [%d,%d] = %v, want %v", at, i, j, x, y)
			}
		}
	}
	if string(out.rest()) != string(want.rest()) {
		t.Fatalf("%s: wrote between the elements", at)
	}
}

func typedWant[T dtype.Sum](alpha T, a, b *typed, beta T, out *typed, i, j int) T {
	var s T
	if alpha != 0 {
		s = T(alpha * blockwise(a.cols, func(p int) T { return T(T(a.get(i, p)) * T(b.get(p, j))) }))
	}
	if beta != 0 {
		s += T(beta * T(out.get(i, j)))
	}
	return s
}

// typesOf lists what is in a set.
func typesOf(s sums.Types) (list []dtype.Type) {
	for t := dtype.F32; t <= dtype.I16; t++ {
		if s.Has(t) {
			list = append(list, t)
		}
	}
	return list
}

// TestPortableMixed: every pair of types, with every type of sums and of results that it
// has, is the plain loop, with NaN and Inf where that has them.
func TestPortableMixed(t *testing.T) {
	t.Run("f32", testPortableMixed[float32])
	t.Run("f64", testPortableMixed[float64])
	t.Run("i32", testPortableMixed[int32])
}

func testPortableMixed[T dtype.Sum](t *testing.T) {
	r := rand.New(level.PCG(11, 12))
	operands, results := sums.TypesOf(dtype.Of[T]())
	whole := func() float64 { return float64(r.IntN(1<<16) - 1<<15) } // wraps around in sums of int32
	any := func() float64 {
		switch r.IntN(400) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*r.IntN(2))
		case 2:
			return 0
		case 3:
			return math.Ldexp(1, -140) // a denormal, or zero
		}
		return r.NormFloat64()
	}
	if dtype.Of[T]() == dtype.I32 {
		any = whole
	}
	at := 0
	for _, ta := range typesOf(operands) {
		for _, tb := range typesOf(operands) {
			for _, to := range typesOf(results) {
				next := any
				if ta.Size() == 1 || ta == dtype.I16 || tb.Size() == 1 || tb == dtype.I16 {
					next = whole
				}
				for range level.Of(1, 4, 12) {
					typedCase[T](t, r, ta, tb, to, r.IntN(14), r.IntN(14), r.IntN(20), 1+r.IntN(3), next)
				}
				if at++; at%level.Of(8, 4, 1) != 0 {
					continue
				}
				typedCase[T](t, r, ta, tb, to, 1+r.IntN(8), plain.NarrowNC+1+r.IntN(9), plain.KC+1+r.IntN(9), 1+r.IntN(3), next)
				typedCase[T](t, r, ta, tb, to, 30+r.IntN(20), 1+r.IntN(9), 300, 1+r.IntN(3), next)
			}
		}
	}
	for range level.Of(1, 1, 3) { // past the blocks of a narrow result, and shared by threads
		for _, to := range typesOf(results) {
			typedCase[T](t, r, dtype.I8, dtype.I16, to, plain.MC+1+r.IntN(9), plain.NC+1+r.IntN(9), 9+r.IntN(9), 3, whole)
		}
	}
}
