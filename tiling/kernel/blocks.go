package kernel

import "unsafe"

// BlocksArgs is the argument block of a kernel that sums the products of Count pairs of
// blocks into one tile of C. Block i of A begins
//
//	A + i*StepA + Scale*word i
//
// bytes on, and those of B likewise: words are of 64 bits, NextA bytes apart from AtA on. So
// offsets in elements are words with the size of one as scale, strides are one word of 0 that
// is read again and again, and addresses are words with a scale of 1 where A is nil: the
// first words of slices, as they lie in a slice of them.
type BlocksArgs struct {
	C, A, B        unsafe.Pointer
	AtA, AtB       unsafe.Pointer
	NextA, NextB   int64
	StepA, StepB   int64
	ScaleA, ScaleB int64
	Count          int64
	Mode           int64 // ModeStore, ModeScale or ModeUpdate
	Alpha, Beta    uint64
}
