package check

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Call is the call whose arguments are checked: the name that its errors have. It is a name
// and not a closure over one, so that a call that is right allocates nothing.
type Call string

// Refuse panics with a [layout.ShapeError].
func (c Call) Refuse(format string, args ...any) {
	panic(layout.ShapeError{What: string(c), Why: fmt.Sprintf(format, args...)})
}

// RefuseOption panics with a [run.OptionError].
func (c Call) RefuseOption(format string, args ...any) {
	panic(run.OptionError{What: string(c), Why: fmt.Sprintf(format, args...)})
}

// Overlap is what is wrong where a result shares memory with an operand.
const Overlap = "out shares memory with an operand; copy the operand first"

// Fits refuses count matrices of size elements, stride apart, that do not lie in so many
// elements; the arithmetic cannot overflow.
func (c Call) Fits(what string, have, size, stride, count int) {
	switch {
	case count < 0:
		c.Refuse("a batch of %d products; want 0 or more", count)
	case stride < 0:
		c.Refuse("%s has the stride %d; matrices of a batch go upwards", what, stride)
	case count == 0:
	case have < size || count > 1 && stride > 0 && (have-size)/stride < count-1:
		c.Refuse("%s has %d elements, too few for %d matrices of %d elements, %d apart", what, have, count, size, stride)
	}
}

// Error refuses what an error says of a matrix, if there is one.
func (c Call) Error(err error) {
	if err != nil {
		panic(layout.ShapeError{What: string(c), Why: err.Error()})
	}
}

// Unscaled refuses alpha and beta, which the call does not have for the reason why.
func (c Call) Unscaled(opt *run.Options, why string) {
	if opt.Scaling.On() {
		panic(run.OptionError{What: string(c), Why: why})
	}
}

// Fused is why a product with an epilogue has no factors.
const Fused = "alpha and beta belong to products without an epilogue; make them operands of the function"

// Unpacked refuses a packed b, which the call does not have for the reason why.
func (c Call) Unpacked(opt *run.Options, why string) {
	if opt.B != nil {
		panic(run.OptionError{What: string(c), Why: why})
	}
}

// Read refuses an operand that does not fit in its slice.
func Read[T dtype.Any](c Call, name string, m *layout.Matrix[T]) { c.Error(m.Check(name)) }

// Written refuses a result that does not fit, or of which two elements share a place.
func Written[T dtype.Any](c Call, name string, m *layout.Matrix[T]) { c.Error(m.CheckOut(name)) }

// Apart refuses a result that shares memory with an operand. Both passed their checks.
func Apart[X, Y dtype.Any](c Call, result string, out *layout.Matrix[X], operand string, x *layout.Matrix[Y]) {
	if Meet(out, x) {
		c.Refuse("%s shares memory with %s; copy it first", result, operand)
	}
}

// Beside is [Read] of an operand and [Apart].
func Beside[X, Y dtype.Any](c Call, result string, out *layout.Matrix[X], operand string, x *layout.Matrix[Y]) {
	Read(c, operand, x)
	Apart(c, result, out, operand, x)
}

// Meet reports whether two matrices that passed their checks share memory.
func Meet[X, Y dtype.Any](x *layout.Matrix[X], y *layout.Matrix[Y]) bool {
	return mem.Touch(x.Data, y.Data) && mem.Overlaps(*x, *y)
}
