package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Epilogue is the [epilogue.Epilogue] of a sampled product. Outputs and operands have
// one element for each entry of the sparse matrix, like a matrix of one row. Operands
// may also have one for each of its rows or columns.
type Epilogue struct {
	epi    epilogue.Epilogue
	m, n   int // of the sparse matrix
	gather [kernel.MaxSlots]gathered
}

// gathered is an operand with an element for each row or column.
type gathered struct {
	of   gatherOf
	p    unsafe.Pointer
	size int
}

type gatherOf uint8

const (
	notGathered gatherOf = iota
	ofRows
	ofColumns
)

// NewEpilogue begins the epilogue of a call of the kernel called name for a
// matrix of rows x cols with so many entries.
func NewEpilogue(name string, rows, cols, entries int) Epilogue {
	return Epilogue{epi: epilogue.New(name, 1, entries), m: rows, n: cols}
}

// EntryOut adds an output.
func EntryOut[T dtype.Elem](e *Epilogue, name string, x []T) {
	e.long(name, len(x), e.epi.Cols, "entries")
	epilogue.Out(&e.epi, name, layout.RowMajor(x, 1, len(x)))
}

// PerEntry adds an operand with one element for each entry.
func PerEntry[T dtype.Elem](e *Epilogue, name string, x []T) {
	e.long(name, len(x), e.epi.Cols, "entries")
	epilogue.Full(&e.epi, name, layout.RowMajor(x, 1, len(x)))
}

// EntryRow adds an operand with one element for each row of the sparse matrix.
func EntryRow[T dtype.Elem](e *Epilogue, name string, x []T) {
	e.long(name, len(x), e.m, "rows")
	addGathered(e, name, x, ofRows)
}

// EntryColumn adds an operand with one element for each column of the sparse matrix.
func EntryColumn[T dtype.Elem](e *Epilogue, name string, x []T) {
	e.long(name, len(x), e.n, "columns")
	addGathered(e, name, x, ofColumns)
}

// EntryScalar adds an operand with one element.
func EntryScalar[T dtype.Elem](e *Epilogue, x T) { epilogue.Scalar(&e.epi, x) }

func (e *Epilogue) long(name string, have, want int, what string) {
	if have != want {
		check.Call(e.epi.Name).Refuse("%s has %d elements, s has %d %s", name, have, want, what)
	}
}

func addGathered[T dtype.Elem](e *Epilogue, name string, x []T, of gatherOf) {
	var z T
	p := unsafe.Pointer(unsafe.SliceData(x))
	e.gather[e.epi.N] = gathered{of, p, int(unsafe.Sizeof(z))}
	u := epi.Memory{Name: name, P: p, Size: uintptr(len(x)) * unsafe.Sizeof(z)}
	e.epi.Add(kernel.Slot{}, u)
}
