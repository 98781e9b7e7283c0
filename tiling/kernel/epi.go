package kernel

import "unsafe"

// MaxSlots is how many outputs, operands and reductions an epilogue can have in
// all.
const MaxSlots = 12

// Slot is one matrix of an epilogue, positioned at the element for row 0, column 0
// of the call. Element (i, j) is at P + i*Rs + j*Cs, in bytes. A stride of 0 repeats
// the element along that direction.
type Slot struct {
	P      unsafe.Pointer
	Rs, Cs int64
}

// EpiArgs is the argument block of an epilogue kernel, which turns Rows x Cols
// finished sums into outputs. It runs once for each element of out, after the
// last step of k, for any part of it: full tiles, edges, scratch.
//
// Slots hold the outputs first, then the operands in the order of the spec, then
// the partial results of reductions. A reduction of rows has one value for each row, which the call sets; one
// of columns has a value for each column, which each call updates. A reduction to an index has two more
// slots: the indices, which count from the call's first column, and the numbers 0, 1, 2, ... as int32. The Go
// form updates those of rows, too. Assembly takes Cs of an output or a full operand to be the size of its
// element.
//
// It is also the block of one stage of an equation, which has no sums but those that it makes.
// Tile is then rows in L1 for what one pass over a row leaves to the next. A slot's Rs is from
// row to row; along columns elements are adjacent, or there is one, as the equation says. Results
// of reductions along columns are one element a column, which each call updates.
type EpiArgs struct {
	Tile   unsafe.Pointer // the sums, contiguous along columns
	TileLd int64          // bytes between its rows
	// Vectors has room for the partial results of rows before their lanes are joined. Each
	// reduction of rows has a vector of EpiLanes values for each row and EpiLanes more. A
	// reduction to an index has as many int32 after them. One vector for all is at the end. It
	// holds anything.
	Vectors    unsafe.Pointer
	Rows, Cols int64
	Slots      [MaxSlots]Slot

	// Of equations: the size of the whole call, as float32 and float64.
	M32, N32, M64, N64 uint64
	// Block is the number of the block of random words that column 0 of the first row lies at;
	// a row has BlockLd of them. Key and Number say which stream. Lanes is [BlockLanes].
	Block, BlockLd, Key, Number int64
	Lanes                       unsafe.Pointer
	Row                         int64 // the number of the first row
}
