package kernel

import "unsafe"

// EquationArgs is the argument block of one stage of an equation. It has Rows rows of Cols
// columns each, from the place that Slots are positioned at. A slot's Rs is from row to row;
// along columns elements are adjacent, or there is one, as the equation says. Results of
// reductions along columns are one element a column, which each call updates.
type EquationArgs struct {
	Rows, Cols int64
	// Temps are rows in L1 for what one pass over a row leaves to the next, TempLd bytes apart.
	Temps  unsafe.Pointer
	TempLd int64
	// The size of the whole call, as float32 and float64.
	M32, N32, M64, N64 uint64
	// Block is the number of the block of random words that column 0 of the first row lies at;
	// a row has BlockLd of them. Key and Number say which stream. Lanes is [BlockLanes].
	Block, BlockLd, Key, Number int64
	Lanes                       unsafe.Pointer
	Slots                       [MaxSlots]Slot
	Row                         int64 // the number of the first row
}

// BlockLanes says which block of four random words a lane of vectors computes, from offset
// BlockLanesAt on. After the words of four lanes are transposed, in each 128 bits apart,
// four vectors hold words in the order of their places.
//
//	4 lanes   0 1 2 3
//	8         0 2 4 6   1 3 5 7
//	16        0 4 8 12  1 5 9 13  2 6 10 14  3 7 11 15
//
// The numbers of 16 lanes follow, at LaneNumbersAt.
var BlockLanes = [44]int32{0, 1, 2, 3, 0, 2, 4, 6, 1, 3, 5, 7, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// LaneNumbersAt is where 0, 1, 2, ... begin, in bytes.
const LaneNumbersAt = 4 * 28

// BlockLanesAt is where those for so many lanes begin, in bytes.
func BlockLanesAt(lanes int) int { return 4 * (lanes - 4) }
