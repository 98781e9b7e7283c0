package comm

import (
	"fmt"
	"reflect"
)

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

// Native says whether this group, and those split from it later, use the transport's
// own AllReduce, ReduceScatter, Broadcast, AllGather, AllGatherV, AllToAllV and
// Barrier. At first they do not. All ranks call it and say the same; it is an error on
// all if they do not, or if the transport has none.
//
// They count as calls, not as messages, since nobody knows those. The arguments that ranks
// must give alike are compared before the library is called, as ever; a library does not
// compare them. That takes a message to the next rank, and waiting for that of the rank
// before. The order of additions is the library's, and so are max and min of NaN. An Op that
// is not one of this package, or that the library does not know, goes by messages as ever.
func (c *Comm) Native(on bool) error {
	before := c.native
	err := c.setNative(on)
	now := c.native
	c.native = nil // ranks may differ in it
	if err := Agree(c, err, NewFact("Native", on)); err != nil {
		c.native = before
		return c.wrap("Native", err)
	}
	c.native = now
	return nil
}

func (c *Comm) setNative(on bool) error {
	n, ok := c.t.(Native)
	if on && !ok {
		return fmt.Errorf("the transport (%T) has no collectives of its own", c.t)
	}
	if c.native = n; !on {
		c.native = nil
	}
	return nil
}

// called counts f, a call of the transport's own collectives, which comes when the ranks
// have been compared: no library looks for what differs.
func (c *Comm) called(f func() error) error {
	if err := c.hear(); err != nil {
		return err
	}
	err := f()
	if err == nil {
		c.now().calls.Add(1)
	}
	return err
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
