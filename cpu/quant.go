package cpu

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// Quant says what the numbers of a quantised matrix stand for: an element x for Scale*(x-Zero),
// as package [quant] has it.
type Quant struct {
	// Scale is one for all elements, or as Axis says one for each row or column. Scales are
	// positive and finite.
	Scale []float32
	// Zero is likewise the zero point, a number of the matrix's own type; none is 0.
	Zero []int32
	Axis QuantAxis
}

// QuantAxis says which elements share a scale and a zero point, where there are several.
type QuantAxis uint8

// The axes.
const (
	QuantPerTensor QuantAxis = iota // all
	QuantPerRow                     // those of a row, as of activations that are quantised as they come
	QuantPerColumn                  // those of a column, as of weights
)

func (x QuantAxis) String() string {
	if int(x) < len(quantAxes) {
		return quantAxes[x]
	}
	return fmt.Sprintf("QuantAxis(%d)", uint8(x))
}

var quantAxes = [...]string{"QuantPerTensor", "QuantPerRow", "QuantPerColumn"}

// QuantError says which scale or zero point a call cannot have. Functions panic with it before
// anything is read or written.
type QuantError struct {
	What  string // the function
	Param string // as in "b.Scale[3]"
	Why   string // what it is, and what it should be
}

func (e QuantError) Error() string { return e.What + ": " + e.Param + " " + e.Why }

// check refuses a q that is not one of a matrix of rows x cols of T.
func (q *Quant) check(what, name string, t dtype.Type, rows, cols int) {
	fail := func(param, format string, args ...any) {
		panic(QuantError{what, name + param, fmt.Sprintf(format, args...)})
	}
	want, of := 1, "all elements"
	switch q.Axis {
	case QuantPerTensor:
	case QuantPerRow:
		want, of = rows, "each row"
	case QuantPerColumn:
		want, of = cols, "each column"
	default:
		fail("Axis", "is %v; want QuantPerTensor, QuantPerRow or QuantPerColumn", q.Axis)
	}
	if len(q.Scale) != want {
		fail("Scale", "has %d elements; want %d, one for %s of a matrix of %d x %d", len(q.Scale), want, of, rows, cols)
	}
	for i, s := range q.Scale {
		if !(s > 0) || math.IsInf(float64(s), 1) {
			fail(fmt.Sprintf("Scale[%d]", i), "is %v; want a positive finite number", s)
		}
	}
	if len(q.Zero) != 0 && len(q.Zero) != want {
		fail("Zero", "has %d elements; want %d, one for %s of a matrix of %d x %d, or none", len(q.Zero), want, of, rows, cols)
	}
	least, greatest := limits(t)
	for i, z := range q.Zero {
		if z < least || z > greatest {
			fail(fmt.Sprintf("Zero[%d]", i), "is %d; want a number of %s, between %d and %d", z, t.Go(), least, greatest)
		}
	}
}

// limits are the least and the greatest number of a type that is quantised to.
func limits(t dtype.Type) (least, greatest int32) {
	switch t {
	case dtype.U8:
		return quant.Limits[uint8]()
	case dtype.I16:
		return quant.Limits[int16]()
	}
	return quant.Limits[int8]()
}
