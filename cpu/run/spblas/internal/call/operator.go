package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// Operator is the arithmetic of a product: that of a semiring, or without functions the
// ordinary one.
type Operator[T dtype.Value] struct {
	Zero        T
	Plus, Times func(x, y T) T
	Pattern     bool // values are not read: they are 1
}

// AddRow adds v ⊗ row to sums, for n elements of both, which lie so far apart. It is what all products by
// rows are made of in plain Go.
func (o *Operator[T]) AddRow(sums []T, apart int, v T, row []T, step, n int) {
	switch {
	case n == 0:
	case o.Plus == nil && apart == 1 && step == 1:
		sums := sums[:n]
		for j, x := range row[:n] {
			sums[j] += T(v * x)
		}
	case o.Plus == nil:
		for j := range n {
			sums[j*apart] += T(v * row[j*step])
		}
	case o.Pattern:
		for j := range n {
			sums[j*apart] = o.Plus(sums[j*apart], row[j*step])
		}
	default:
		for j := range n {
			sums[j*apart] = o.Plus(sums[j*apart], o.Times(v, row[j*step]))
		}
	}
}

// Add adds x ⊗ values[t] to the sum in slot slots[t], for all t. It is the one loop in
// which sums are made, whatever a slot is.
func (o *Operator[T]) Add(sums unsafe.Pointer, slots []int32, values []T, x T) {
	values = values[:len(slots)]
	if o.Plus == nil {
		AddScaled(sums, slots, values, x)
		return
	}
	for t, j := range slots {
		sum := Element[T](sums, int(j))
		*sum = o.Plus(*sum, o.Times(x, values[t]))
	}
}

// AddScaled is add of ordinary sums, by fours, as the compiler does not unroll loops.
func AddScaled[T dtype.Value](sums unsafe.Pointer, slots []int32, values []T, x T) {
	n := min(len(slots), len(values))
	s, v := unsafe.Pointer(unsafe.SliceData(slots)), unsafe.Pointer(unsafe.SliceData(values))
	t := 0
	for ; t+4 <= n; t += 4 {
		*Element[T](sums, int(*Element[int32](s, t))) += T(x * *Element[T](v, t))
		*Element[T](sums, int(*Element[int32](s, t+1))) += T(x * *Element[T](v, t+1))
		*Element[T](sums, int(*Element[int32](s, t+2))) += T(x * *Element[T](v, t+2))
		*Element[T](sums, int(*Element[int32](s, t+3))) += T(x * *Element[T](v, t+3))
	}
	for ; t < n; t++ {
		*Element[T](sums, int(*Element[int32](s, t))) += T(x * *Element[T](v, t))
	}
}

// Fill sets n sums to zero, the operator's.
func (o *Operator[T]) Fill(sums unsafe.Pointer, n int) {
	if o.Zero == 0 {
		return // they are 0 already
	}
	all := SliceOf((*T)(sums), n)
	for i := range all {
		all[i] = o.Zero
	}
}

// OperatorOf is the arithmetic of a semiring.
func OperatorOf[T dtype.Value](name string, g semiring.Semiring[T]) Operator[T] {
	if (g.Plus == nil) != (g.Times == nil) {
		check.Call(name).RefuseOption("the semiring %q has only one of Plus and Times; want both, or neither for sums of products", g.Name)
	}
	if g.Plus == nil {
		return Operator[T]{}
	}
	return Operator[T]{Zero: g.Zero, Plus: g.Plus, Times: g.Times}
}

// One returns sum ⊕ x ⊗ y.
func (o *Operator[T]) One(sum, x, y T) T {
	if o.Plus == nil {
		return sum + T(x*y)
	}
	return o.Plus(sum, o.Times(x, y))
}
