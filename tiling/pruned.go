package tiling

// The contract of kernels for pruned weights with the loops that call them.
const (
	// PrunedGroup is how many rows with equally many entries have their entries side by
	// side.
	PrunedGroup = 4
	// PrunedPitch is the number of bytes from one row of a slab of B to the next. It is
	// also the widest panel of a kernel: four vectors of AVX-512, eight of AVX2.
	PrunedPitch = 256
	// PrunedRows is the rows of a block, whose sums for a slab stay in L2.
	PrunedRows = 1024
)

// PrunedDepth returns how many columns a block has for a matrix of rows x cols of which
// nnz are entries. The rows of B that 128 columns need, 32 KB, stay in L1. With few
// entries more has to fit between two visits of a row of C, even if L1 does not keep it
// all. With next to no entries, the blocks must not take more than the entries do. rows
// and cols are at least 1.
func PrunedDepth(rows, cols, nnz int) int {
	const deepest = 1 << 22 // columns whose offsets in a slab are less than 2^31
	depth := 512
	switch density := float64(nnz) / float64(rows) / float64(cols); {
	case density >= .08:
		return 128
	case density >= .04:
		return 256
	}
	for depth < deepest && int64((cols+depth-1)/depth)*int64(rows) > 4*int64(nnz) {
		depth *= 2
	}
	return depth
}
