package mpi

import (
	"fmt"
	"reflect"
	"slices"
)

// natives compares the library's collectives with what they must give, for small
// integers, of which sums and products are exact in every order.
func natives(t *transport) error {
	b := content(1000, 3, 3)
	if t.rank != t.size-1 {
		clear(b)
	}
	if err := t.Broadcast(t.size-1, b); err != nil {
		return err
	}
	if err := same(b, content(1000, 3, 3)); err != nil {
		return err
	}
	counts, want := make([]int, t.size), []byte(nil)
	for r := range counts {
		counts[r] = 60 * (r % 3) // some give nothing
		want = append(want, content(counts[r], r, 2)...)
	}
	out := make([]byte, len(want))
	if err := t.AllGatherV(out, counts, content(counts[t.rank], t.rank, 2)); err != nil {
		return err
	}
	if err := same(out, want); err != nil {
		return fmt.Errorf("AllGatherV: %w", err)
	}
	for _, unit := range []int{1, 90} { // below and above the small limit
		send, recv, x, want := make([]int, t.size), make([]int, t.size), []byte(nil), []byte(nil)
		for r := range t.size {
			send[r], recv[r] = unit*((t.rank+2*r)%3), unit*((r+2*t.rank)%3)
			x, want = append(x, content(send[r], t.rank, r)...), append(want, content(recv[r], r, t.rank)...)
		}
		out := make([]byte, len(want))
		if err := t.AllToAllV(out, recv, x, send); err != nil {
			return err
		}
		if err := same(out, want); err != nil {
			return fmt.Errorf("AllToAllV: %w", err)
		}
	}
	return errorsOf(
		reduces[int8](t), reduces[int16](t), reduces[int32](t), reduces[int64](t),
		reduces[uint8](t), reduces[uint16](t), reduces[uint32](t), reduces[uint64](t),
		reduces[float32](t), reduces[float64](t))
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func reduces[T real](t *transport) error {
	kind := reflect.TypeFor[T]().Kind()
	for _, o := range []struct {
		name string
		op   func(a, b T) T
	}{
		{"sum", func(a, b T) T { return a + b }}, {"product", func(a, b T) T { return a * b }},
		{"max", func(a, b T) T { return max(a, b) }}, {"min", func(a, b T) T { return min(a, b) }},
	} {
		name, op := o.name, o.op
		if !t.Reduces(kind, name) {
			if name == "sum" && sizeOf(kind) < 4 && t.lib.abi.saturates {
				continue
			}
			return fmt.Errorf("no %s of %v", name, kind)
		}
		if t.Reduces(kind, "xor") || t.Reduces(reflect.Complex64, name) {
			return fmt.Errorf("what it reduces: %v %s", kind, name)
		}
		const n = 150
		value := func(r, i int) T { return T((r*5 + i) % 3) }
		x, want := make([]T, n), make([]T, n)
		for i := range n {
			x[i], want[i] = value(t.rank, i), value(0, i)
			for r := 1; r < t.size; r++ {
				want[i] = op(want[i], value(r, i))
			}
		}
		counts, mine, at := make([]int, t.size), []T(nil), 0
		for r := range counts {
			k := min(n-at, 40*(r%2)+r)
			if r == t.size-1 {
				k = n - at
			}
			if r == t.rank {
				mine = want[at : at+k]
			}
			counts[r] = k * int(reflect.TypeFor[T]().Size())
			at += k
		}
		out := make([]T, len(mine))
		if err := t.ReduceScatter(bytesOf(out), bytesOf(x), counts, kind, name); err != nil || !slices.Equal(out, mine) {
			return fmt.Errorf("ReduceScatter %v %s: %v, want %v: %v", kind, name, out, mine, err)
		}
		if err := t.AllReduce(bytesOf(x), kind, name); err != nil || !slices.Equal(x, want) {
			return fmt.Errorf("AllReduce %v %s: %v, want %v: %v", kind, name, x, want, err)
		}
	}
	return nil
}
