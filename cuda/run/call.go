package run

import (
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// Call is one call of a generated function. Operands are handed over in the order
// of the set's slots, each kind by itself: outputs, operands, reductions. The first
// mistake is kept, and [Call.Launch] returns it.
type Call struct {
	set    *Set
	stream cuda.Stream
	opt    Options
	err    error

	a, b    operand
	have    [2]bool // a and b
	slots   [kernel.MaxSlots]operand
	bits    [kernel.MaxSlots]uint64 // of scalars
	given   [kernel.MaxSlots]bool
	m, n, k int
	count   int  // of products
	number  int  // of the problem in a group
	unread  bool // a and b, of a problem in a group
	full    bool // there is no memory for copies of a and b
	block   [param.Slots + kernel.MaxSlots*param.SlotSize + 16 + max(param.SplitBytes, param.GroupBytes)]byte
	joins   [param.JoinBytes]byte
	pads    [param.PadBytes]byte
}

var calls = sync.Pool{New: func() any { return new(Call) }}

// Begin begins a call of set on a stream.
func Begin(set *Set, s cuda.Stream, opt Options) *Call {
	c := calls.Get().(*Call)
	*c = Call{set: set, stream: s, opt: opt}
	if s == nil {
		c.err = fmt.Errorf("%s: the stream is nil; make one with NewStream of a device", set.Name)
	}
	if len(set.Slots) == 0 || len(set.Slots) > kernel.MaxSlots {
		c.fail("%d outputs, operands and reductions, want 1 to %d; generate the code again", len(set.Slots), kernel.MaxSlots)
	}
	if err := opt.Schedule.check(); err != nil {
		c.fail("%w", err)
	}
	if opt.Scaling.Turns() {
		c.fail("Options.Scaling is %v, and elements are real; want factors without imaginary parts", opt.Scaling.String())
	}
	if opt.Scaling.On() && !set.Plain {
		c.fail("Options.Scaling is for products without an epilogue; scale in the epilogue's function")
	}
	if opt.Scaling.On() && set.Acc.Integer() {
		c.fail("Options.Scaling is for floating point, and the sums are %v; give the spec an epilogue that scales them", set.Acc)
	}
	return c
}

func (c *Call) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: "+format, append([]any{c.set.Name}, args...)...)
	}
}

// A and B hand over the factors: m x k and k x n.
func A[T dtype.Elem](c *Call, m cuda.Matrix[T]) { ABatch(c, Batch[T]{Matrix: m}) }

// B is described with [A].
func B[T dtype.Elem](c *Call, m cuda.Matrix[T]) { BBatch(c, Batch[T]{Matrix: m}) }

// ABatch and BBatch are A and B for a batch.
func ABatch[T dtype.Elem](c *Call, m Batch[T]) { factor(c, 0, "a", c.set.A, m) }

// BBatch is described with [ABatch].
func BBatch[T dtype.Elem](c *Call, m Batch[T]) { factor(c, 1, "b", c.set.B, m) }

func factor[T dtype.Elem](c *Call, i int, name string, want dtype.Type, m Batch[T]) {
	if c.err != nil {
		return
	}
	o, err := newOperand(c, name, want, m, false)
	c.have[i], c.err = true, err
	if i == 0 {
		c.a = o
	} else {
		c.b = o
	}
}

// Out hands over an output: out itself first, then the further ones in order.
func Out[T dtype.Elem](c *Call, m cuda.Matrix[T]) { OutBatch(c, Batch[T]{Matrix: m}) }

// OutBatch is Out for a batch.
func OutBatch[T dtype.Elem](c *Call, m Batch[T]) { matrix(c, Output, m) }

// FullOf hands over the next operand with an element for each of out's.
func FullOf[T dtype.Elem](c *Call, m cuda.Matrix[T]) { FullBatch(c, Batch[T]{Matrix: m}) }

// FullBatch is FullOf for a batch.
func FullBatch[T dtype.Elem](c *Call, m Batch[T]) { matrix(c, Full, m) }

func matrix[T dtype.Elem](c *Call, k Kind, m Batch[T]) {
	if s := c.next(k); c.err == nil {
		slot := &c.set.Slots[s]
		c.slots[s], c.err = newOperand(c, slot.Name, slot.Type, m, k == Output)
	}
}

// PerRow hands over the next operand with an element for each row. It has m elements,
// or m for each product of a batch, one product's after the other's.
func PerRow[T dtype.Elem](c *Call, x cuda.Slice[T]) { vector(c, Row, x) }

// PerColumn is PerRow for columns.
func PerColumn[T dtype.Elem](c *Call, x cuda.Slice[T]) { vector(c, Column, x) }

// Reduced hands over the place for the next reduction's result: an element for each
// row or column, of every product of a batch.
func Reduced[T dtype.Elem](c *Call, x cuda.Slice[T]) { vector(c, Partial, x) }

func vector[T dtype.Elem](c *Call, k Kind, x cuda.Slice[T]) {
	s := c.next(k)
	if c.err != nil {
		return
	}
	slot := &c.set.Slots[s]
	want := slot.Type
	if slot.Reduce == Indices {
		want = dtype.I32
	}
	// A vector is one line; which way it runs is settled when the shape is known.
	m := cuda.Matrix[T]{Data: x, Rows: 1, Cols: x.Len(), RowStride: x.Len(), ColStride: 1}
	c.slots[s], c.err = newOperand(c, slot.Name, want, Batch[T]{Matrix: m}, k == Partial)
}

// One hands over the next operand that is one number.
func One[T dtype.Elem](c *Call, x T) {
	s := c.next(Scalar)
	if c.err != nil {
		return
	}
	if t := dtype.Of[T](); t != c.set.Slots[s].Type {
		c.fail("%s is a %v, the kernel's is a %v", c.set.Slots[s].Name, t, c.set.Slots[s].Type)
	}
	c.bits[s] = bitsOf(x)
}

// next returns the next slot of a kind that nothing was handed over for.
func (c *Call) next(k Kind) int {
	if c.err != nil {
		return 0
	}
	for s := range c.set.Slots {
		if c.set.Slots[s].Kind == k && !c.given[s] {
			c.given[s] = true
			return s
		}
	}
	c.fail("too many operands; the code was generated for another version of the spec")
	return 0
}
