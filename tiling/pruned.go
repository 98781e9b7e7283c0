package tiling

// The contract of kernels for pruned weights with the loops that call them.
const (
	// PrunedGroup is how many rows with equally many entries have their entries side by
	// side.
	PrunedGroup = 4
	// PrunedPitch is the bytes from one row of a slab of B to the next, and the widest
	// panel of a kernel: four vectors of AVX-512, eight of AVX2.
	PrunedPitch = 256
)
