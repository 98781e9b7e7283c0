package format

import "slices"

// Axis is one loop of a format, over the positions below one position of its parent.
// Two bits say what it owns, and so how the loop runs at position p of the parent:
//
//	Variable Sparse  owns               positions                       example
//	no       no      nothing            p*Size .. p*Size+Size-1         rows of CSR
//	yes      no      pointers           Pointers[p] .. Pointers[p+1]-1  columns of ragged
//	no       yes     indices            p*Size .. p*Size+Size-1         columns of ELL
//	yes      yes     pointers, indices  Pointers[p] .. Pointers[p+1]-1  columns of CSR
//
// The coordinate of a position on a sparse axis is Indices[position]; -1 says that
// nothing is stored there. On other axes it is the position's count within the parent.
//
// Names say what a coordinate means. i and j are the row and the column; io and ii make
// the row io*Size(ii)+ii; jo and ji make the column alike; d is a diagonal, column
// minus row. Any other name only counts positions.
type Axis struct {
	Name             string
	Size             int // 0: known at run time, see Level.Size
	Variable, Sparse bool
	Parent           string // the axis whose positions it divides; "": the one before, of the first the whole matrix
}

// Level is what one axis owns for one matrix.
type Level struct {
	Size     int     // of an axis that is not variable: positions per position of the parent
	Pointers []int32 // of a variable axis, one more than the parent has positions
	Indices  []int32 // of a sparse axis, one a position
}

// Arrays is the structure of one matrix in one format.
//
// The columns of each row ascend in the order of the slots. Nothing else has to ascend.
// The indices of a sparse outer axis may come in any order and come back, as rows do
// that [DELL] cuts. [Packed.Repeats] reports that. SpMM adds up what belongs together;
// the kernels of blocks, SpMMBlocks of package cpu, want block rows that ascend.
type Arrays struct {
	Slots  int      // values stored, padding included
	Levels []Level  // one an axis, in the same order
	Mask   []uint64 // bit K: slot K holds an entry; nil: all do whose indices are not -1
	Order  []int32  // of formats that move rows: position i holds row Order[i], or none if that is -1; nil: row i
}

func (a Arrays) clone() Arrays {
	a.Levels = slices.Clone(a.Levels)
	for i, l := range a.Levels {
		a.Levels[i].Pointers, a.Levels[i].Indices = slices.Clone(l.Pointers), slices.Clone(l.Indices)
	}
	a.Mask, a.Order = slices.Clone(a.Mask), slices.Clone(a.Order)
	return a
}

// bytes is what the arrays take.
func (a Arrays) bytes() int64 {
	n := 8*int64(len(a.Mask)) + 4*int64(len(a.Order))
	for _, l := range a.Levels {
		n += 4 * int64(len(l.Pointers)+len(l.Indices))
	}
	return n
}
