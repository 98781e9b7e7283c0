package epilogue

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Epilogue collects the outputs and operands of one call, in the order of the
// kernel's slots: outputs, then operands. The functions that add to it check
// lengths and panic with a [layout.ShapeError] that has the parameter's name.
type Epilogue = epi.Epilogue

// New begins the epilogue of a call of the kernel called name whose result
// is rows x cols.
func New(name string, rows, cols int) Epilogue {
	return epi.New(name, rows, cols)
}

// Shape says which shape the matrices that are added next have, and their rows and columns, of an equation
// with products. Messages then have no product to name.
func Shape(e *Epilogue, rows, cols int) { e.Rows, e.Cols, e.Shaped = rows, cols, true }

// Out adds an output.
func Out[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T]) { epi.AddMatrix(e, name, x, true) }

// Unstored stands for a result that is only reduced.
func Unstored(e *Epilogue) { e.Add(kernel.Slot{}, epi.Memory{}) }

// Full adds an operand with an element for each of the result's.
func Full[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T]) {
	epi.AddMatrix(e, name, x, false)
}

// Bits adds an operand with a bit for each of the result's elements. Its rows are bytes, with
// the first column in the lowest bit of the first.
func Bits(e *Epilogue, name string, x layout.Matrix[uint8]) { epi.AddBits(e, name, x, false) }

// OutBits adds an output of bits.
func OutBits(e *Epilogue, name string, x layout.Matrix[uint8]) { epi.AddBits(e, name, x, true) }

// PerRow adds an operand with an element for each row.
func PerRow[T dtype.Elem](e *Epilogue, name string, x []T) {
	epi.AddVector(e, name, x, e.Rows, "rows", 1, 0)
}

// PerColumn adds an operand with an element for each column.
func PerColumn[T dtype.Elem](e *Epilogue, name string, x []T) {
	epi.AddVector(e, name, x, e.Cols, "columns", 0, 1)
}

// Scalar adds an operand with one element.
func Scalar[T dtype.Elem](e *Epilogue, x T) {
	epi.AddScalar(e, x)
}

// OutPerRow adds an output with an element for each row.
func OutPerRow[T dtype.Elem](e *Epilogue, name string, x []T) {
	epi.AddResult(e, name, x, e.Rows, "rows", 1, 0)
}

// OutPerColumn adds an output with an element for each column.
func OutPerColumn[T dtype.Elem](e *Epilogue, name string, x []T) {
	epi.AddResult(e, name, x, e.Cols, "columns", 0, 1)
}

// OutScalar adds an output with one element. It panics with a [layout.ShapeError] if x is nil.
func OutScalar[T dtype.Elem](e *Epilogue, name string, x *T) {
	if x == nil {
		panic(layout.ShapeError{What: e.Name, Why: name + " is nil; want a pointer to where the result goes"})
	}
	epi.AddResult(e, name, unsafe.Slice(x, 1), 1, "scalar", 0, 0)
}

// ZeroA adds the zero point of a, which the epilogue sees as what it takes from the sums of
// each column.
func ZeroA[T int8 | uint8 | int16](e *Epilogue, x T) { e.AddZero(&e.Fusion.ZeroA, int32(x)) }

// ZeroB adds the zero point of b, which the epilogue sees as what it takes from the sums of
// each row.
func ZeroB[T int8 | uint8 | int16](e *Epilogue, x T) { e.AddZero(&e.Fusion.ZeroB, int32(x)) }

// Sum returns the sum at (i, j) of an epilogue's call. With Load and Store it is
// what generated Go epilogues are made of.
func Sum[T dtype.Elem](e *kernel.EpiArgs, i, j int) T {
	var z T
	return *(*T)(unsafe.Add(e.Tile, i*int(e.TileLd)+j*int(unsafe.Sizeof(z))))
}

// Load returns the element of a slot that belongs to (i, j).
func Load[T dtype.Elem](e *kernel.EpiArgs, slot, i, j int) T {
	s := &e.Slots[slot]
	return *(*T)(unsafe.Add(s.P, i*int(s.Rs)+j*int(s.Cs)))
}

// Store sets the element of a slot at (i, j).
func Store[T dtype.Elem](e *kernel.EpiArgs, slot, i, j int, x T) {
	s := &e.Slots[slot]
	*(*T)(unsafe.Add(s.P, i*int(s.Rs)+j*int(s.Cs))) = x
}
