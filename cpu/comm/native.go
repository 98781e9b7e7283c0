package comm

import "reflect"

// Native is what a Transport has that brings collectives of its own, as an MPI library
// does. A Comm uses them only where [Comm.Native] said so. Counts are in bytes and were
// checked; for all else the functions of this package of the same names say what is meant.
type Native interface {
	Barrier() error
	Broadcast(root int, b []byte) error
	AllGatherV(out []byte, counts []int, x []byte) error
	AllToAllV(out []byte, recv []int, x []byte, send []int) error

	// Reduces reports whether AllReduce and ReduceScatter know an operation, which is
	// "sum", "product", "max" or "min", on numbers of a kind, Int8 to Float64. The answer
	// is the same on all ranks.
	Reduces(kind reflect.Kind, op string) bool
	AllReduce(x []byte, kind reflect.Kind, op string) error
	ReduceScatter(out, x []byte, counts []int, kind reflect.Kind, op string) error
}

// Native says whether AllReduce, ReduceScatter, Broadcast, AllGather, AllGatherV,
// AllToAllV and Barrier of this group, and of those split from it later, are the
// transport's own; at first they are not. All ranks say the same. It is an error if the
// transport has none.
//
// They count as calls, not as messages, since nobody knows those. The order of additions
// is the library's, and so are max and min of NaN. An Op that is not one of this package,
// or that the library does not know, goes by messages as ever.
func (c *Comm) Native(on bool) error {
	n, ok := c.t.(Native)
	if on && !ok {
		return c.errorf("Native", "the transport (%T) has no collectives of its own", c.t)
	}
	if c.native = n; !on {
		c.native = nil
	}
	return nil
}

// called counts a call of the transport's own collectives.
func (c *Comm) called(what string, err error) error {
	if err == nil {
		c.now().calls.Add(1)
	}
	return c.wrap(what, err)
}

// reducer is the transport's own reductions if they are wanted and know op.
func reducer[T Number](c *Comm, op Op[T]) Native {
	if c.native != nil && op.known && c.native.Reduces(reflect.TypeFor[T]().Kind(), op.Name) {
		return c.native
	}
	return nil
}

// inBytes is counts of elements of type T.
func inBytes[T Fixed](counts []int) []int {
	b := make([]int, len(counts))
	for r, n := range counts {
		b[r] = n * sizeOf[T]()
	}
	return b
}
