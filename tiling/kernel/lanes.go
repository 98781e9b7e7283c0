package kernel

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
