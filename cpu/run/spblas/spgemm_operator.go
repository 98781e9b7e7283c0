package spblas

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// operator is the arithmetic of a product: that of a semiring, or without functions the
// ordinary one.
type operator[T dtype.Value] struct {
	zero        T
	plus, times func(x, y T) T
}

// add adds x ⊗ values[t] to the sum in slot slots[t], for all t. It is the one loop in
// which sums are made, whatever a slot is.
func (o *operator[T]) add(sums unsafe.Pointer, slots []int32, values []T, x T) {
	values = values[:len(slots)]
	if o.plus == nil {
		addScaled(sums, slots, values, x)
		return
	}
	for t, j := range slots {
		sum := element[T](sums, int(j))
		*sum = o.plus(*sum, o.times(x, values[t]))
	}
}

// addScaled is add of ordinary sums, by fours, as the compiler does not unroll loops.
func addScaled[T dtype.Value](sums unsafe.Pointer, slots []int32, values []T, x T) {
	n := min(len(slots), len(values))
	s, v := unsafe.Pointer(unsafe.SliceData(slots)), unsafe.Pointer(unsafe.SliceData(values))
	t := 0
	for ; t+4 <= n; t += 4 {
		*element[T](sums, int(*element[int32](s, t))) += T(x * *element[T](v, t))
		*element[T](sums, int(*element[int32](s, t+1))) += T(x * *element[T](v, t+1))
		*element[T](sums, int(*element[int32](s, t+2))) += T(x * *element[T](v, t+2))
		*element[T](sums, int(*element[int32](s, t+3))) += T(x * *element[T](v, t+3))
	}
	for ; t < n; t++ {
		*element[T](sums, int(*element[int32](s, t))) += T(x * *element[T](v, t))
	}
}

// fill sets n sums to zero, the operator's.
func (o *operator[T]) fill(sums unsafe.Pointer, n int) {
	if o.zero == 0 {
		return // they are 0 already
	}
	all := sliceOf((*T)(sums), n)
	for i := range all {
		all[i] = o.zero
	}
}
