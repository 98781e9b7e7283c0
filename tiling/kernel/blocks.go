package kernel

import "unsafe"

// BlocksArgs is the argument block of a kernel that sums the products of Count pairs of
// blocks into one tile of C. Block i of A begins
//
//	A + i*StepA + Scale*word i
//
// bytes on, and those of B likewise: words are of 64 bits, NextA bytes apart from AtA on. So
// offsets in elements are words with the size of an element as scale. Strides are one word of
// 0 that is read again and again. Addresses are words with a scale of 1 and a nil A: the
// first words of slice headers, as they lie in a slice of slices.
//
// If calls give the shape of blocks, rows of A and of C from Row to Rows are for the
// call.
type BlocksArgs struct {
	C, A, B        unsafe.Pointer
	AtA, AtB       unsafe.Pointer
	NextA, NextB   int64
	StepA, StepB   int64
	ScaleA, ScaleB int64
	Count          int64
	Mode           int64 // ModeStore, ModeScale or ModeUpdate
	Alpha, Beta    uint64

	Row, Rows int64
	K         int64 // steps of a block: elements of a row of A, or pairs of them
	RSA, LDC  int64 // bytes from a row of A, and of C, to the next

	Panels, Panel int64 // of columns, side by side in C; and bytes from a block of B to that of the next one
}
