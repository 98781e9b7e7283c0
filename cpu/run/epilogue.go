package run

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// EpiArgs is the argument block of an epilogue kernel; generated code names it.
type EpiArgs = kernel.EpiArgs

// fusion is the epilogue of one call.
type fusion struct {
	on         bool
	portable   kernel.EpiKernel
	asm        kernel.EpiKernel // nil if a stride keeps assembly from being used
	n          int
	slots      [kernel.MaxSlots]kernel.Slot
	scalars    [kernel.MaxSlots]uint64
	contiguous bool // outputs and full operands are so along columns

	reduces        [kernel.MaxSlots]reduction
	reduced        int
	width, m, cols int // of partial results: values a row, and the product's shape
}

// Epilogue collects the outputs and operands of one call, in the order of the
// kernel's slots: outputs, then operands. The functions that add to it check
// lengths and panic with a [layout.ShapeError] that has the parameter's name.
type Epilogue struct {
	fusion
	name       string
	rows, cols int // of the product
	spans      [kernel.MaxSlots]memory
}

// memory is what a matrix spans.
type memory struct {
	name    string
	p       unsafe.Pointer
	size    uintptr // bytes
	m       operand
	written bool
	full    bool
}

// NewEpilogue begins the epilogue of a call of the kernel called name whose result
// is rows x cols.
func NewEpilogue(name string, rows, cols int) Epilogue {
	return Epilogue{name: name, rows: rows, cols: cols, fusion: fusion{on: true, contiguous: true}}
}

func (e *Epilogue) add(s kernel.Slot, u memory) {
	e.slots[e.n], e.spans[e.n] = s, u
	e.n++
}

// Out adds an output.
func Out[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T]) { addMatrix(e, name, x, true) }

// Full adds an operand with an element for each of the result's.
func Full[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T]) { addMatrix(e, name, x, false) }

func addMatrix[T dtype.Elem](e *Epilogue, name string, x layout.Matrix[T], written bool) {
	if x.Rows != e.rows || x.Cols != e.cols {
		panic(layout.ShapeError{What: e.name, Why: fmt.Sprintf("%s is %d x %d, the product is %d x %d", name, x.Rows, x.Cols, e.rows, e.cols)})
	}
	err := x.Check(name)
	if written {
		err = x.CheckOut(name)
	}
	if err != nil {
		panic(layout.ShapeError{What: e.name, Why: err.Error()})
	}
	if x.Rows == 0 || x.Cols == 0 {
		e.add(kernel.Slot{}, memory{})
		return
	}
	u := memoryOf(name, x)
	u.written, u.full = written, true
	e.contiguous = e.contiguous && (x.ColStride == 1 || x.Cols == 1)
	e.add(kernel.Slot{P: u.m.p, Rs: int64(u.m.rs), Cs: int64(u.m.cs)}, u)
}

// memoryOf returns where the elements of a matrix that passed its check lie.
func memoryOf[T dtype.Elem](name string, x layout.Matrix[T]) memory {
	if x.Rows == 0 || x.Cols == 0 {
		return memory{name: name}
	}
	o := operandOf(x)
	return memory{name: name, p: o.p, size: uintptr((x.Rows-1)*o.rs+(x.Cols-1)*o.cs) + unsafe.Sizeof(x.Data[0]), m: o}
}

// PerRow adds an operand with an element for each row.
func PerRow[T dtype.Elem](e *Epilogue, name string, x []T) {
	addVector(e, name, x, e.rows, "rows", 1, 0)
}

// PerColumn adds an operand with an element for each column.
func PerColumn[T dtype.Elem](e *Epilogue, name string, x []T) {
	addVector(e, name, x, e.cols, "columns", 0, 1)
}

func addVector[T dtype.Elem](e *Epilogue, name string, x []T, want int, what string, rs, cs int64) {
	if len(x) != want {
		panic(layout.ShapeError{What: e.name, Why: fmt.Sprintf("%s has %d elements, the product has %d %s", name, len(x), want, what)})
	}
	if len(x) == 0 {
		e.add(kernel.Slot{}, memory{})
		return
	}
	size := int64(unsafe.Sizeof(x[0]))
	p := unsafe.Pointer(unsafe.SliceData(x))
	e.add(kernel.Slot{P: p, Rs: rs * size, Cs: cs * size}, memory{name: name, p: p, size: uintptr(want) * uintptr(size)})
}

// Scalar adds an operand with one element.
func Scalar[T dtype.Elem](e *Epilogue, x T) {
	*(*T)(unsafe.Pointer(&e.scalars[e.n])) = x // Gemm gives its slot an address
	e.add(kernel.Slot{}, memory{})
}

// checkOverlap refuses an output that shares memory with an operand or another
// output, unless it is the very same matrix as a full operand.
func (e *Epilogue) checkOverlap(a, b memory) {
	for i := range e.n {
		x := &e.spans[i]
		if !x.written {
			continue
		}
		e.apart(x, &a)
		e.apart(x, &b)
		for k := range e.n {
			if y := &e.spans[k]; y.written || !y.full || x.m != y.m {
				e.apart(x, y)
			}
		}
	}
}

func (e *Epilogue) apart(x, y *memory) {
	if x != y && x.size > 0 && y.size > 0 && shares(x.p, x.size, y.p, y.size) {
		panic(layout.ShapeError{What: e.name, Why: x.name + " shares memory with " + y.name + "; an output may only be the very same matrix as a full operand"})
	}
}

// run calls the epilogue for rows x cols sums, which belong to element (i, j) on and
// to one panel and tile.
func (f *fusion) run(args *kernel.EpiArgs, sums operand, i, j, rows, cols, panel, tile int) {
	args.Tile, args.TileLd, args.Rows, args.Cols = sums.p, int64(sums.rs), int64(rows), int64(cols)
	for s := range f.n {
		x := &f.slots[s]
		args.Slots[s] = kernel.Slot{P: unsafe.Add(x.P, i*int(x.Rs)+j*int(x.Cs)), Rs: x.Rs, Cs: x.Cs}
	}
	f.place(args, i, j, panel, tile)
	if f.asm != nil {
		f.asm(args)
	} else {
		f.portable(args)
	}
}

// Sum returns the sum at (i, j) of an epilogue's call. With Load and Store it is
// what generated Go epilogues are made of.
func Sum[T dtype.Elem](e *EpiArgs, i, j int) T {
	var z T
	return *(*T)(unsafe.Add(e.Tile, i*int(e.TileLd)+j*int(unsafe.Sizeof(z))))
}

// Load returns the element of a slot that belongs to (i, j).
func Load[T dtype.Elem](e *EpiArgs, slot, i, j int) T {
	s := &e.Slots[slot]
	return *(*T)(unsafe.Add(s.P, i*int(s.Rs)+j*int(s.Cs)))
}

// Store sets the element of a slot at (i, j).
func Store[T dtype.Elem](e *EpiArgs, slot, i, j int, x T) {
	s := &e.Slots[slot]
	*(*T)(unsafe.Add(s.P, i*int(s.Rs)+j*int(s.Cs))) = x
}
