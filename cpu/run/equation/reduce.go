package equation

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// bytes is the room for a partial result of n columns, or one: whole lines.
func (r *Reduction) bytes(n int) int {
	if r.Scalar {
		n = 1
	}
	return roundUp(n*r.Type.Size(), mem.Line)
}

// fill begins a partial result.
func fill(p unsafe.Pointer, r Reduction, n int) {
	if r.Scalar {
		n = 1
	}
	switch r.Type {
	case dtype.I32:
		begin(unsafe.Slice((*int32)(p), n), r.Op)
	case dtype.F32:
		begin(unsafe.Slice((*float32)(p), n), r.Op)
	default:
		begin(unsafe.Slice((*float64)(p), n), r.Op)
	}
}

func begin[T dtype.Sum](x []T, op reduce.Op) {
	var zero T
	switch p := any(&zero).(type) {
	case *int32: // of a minimum alone
		*p = math.MaxInt32
	case *float32:
		*p = float32(op.Identity())
	case *float64:
		*p = op.Identity()
	}
	for i := range x {
		x[i] = zero
	}
}

// join takes the partial results of all blocks together, in their order.
func (c *call) join() {
	at := 0
	for _, r := range c.at.Reduces {
		join(c.slots[r.Slot].P, unsafe.Add(c.parts.P, at), c.part, c.blocks, r, c.n)
		at += r.bytes(c.n)
	}
}

// join takes blocks partial results, step bytes apart, together to n results at dst, or one.
func join(dst, parts unsafe.Pointer, step, blocks int, r Reduction, n int) {
	if r.Scalar {
		n = 1
	}
	switch r.Type {
	case dtype.I32:
		joinOf[int32](dst, parts, step, blocks, r.Op, n)
	case dtype.F32:
		joinOf[float32](dst, parts, step, blocks, r.Op, n)
	default:
		joinOf[float64](dst, parts, step, blocks, r.Op, n)
	}
}

func joinOf[T dtype.Sum](dst, parts unsafe.Pointer, step, blocks int, op reduce.Op, n int) {
	if n == 0 {
		return
	}
	sum := unsafe.Slice((*T)(dst), n) // of results that there is one of for each column, or one
	begin(sum, op)
	for b := range blocks {
		part := unsafe.Slice((*T)(unsafe.Add(parts, b*step)), n)
		switch op {
		case Sum:
			for i, x := range part {
				sum[i] += x
			}
		case Prod:
			for i, x := range part {
				sum[i] *= x
			}
		case Max:
			for i, x := range part {
				sum[i] = max(sum[i], x)
			}
		case Min:
			for i, x := range part {
				sum[i] = min(sum[i], x)
			}
		}
	}
}
