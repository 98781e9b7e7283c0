package kernel

import "unsafe"

// NestAxes is how many axes a format may have for which kernels are generated.
const NestAxes = 4

// NestArgs is the argument block of a kernel for a matrix in some format. In tables the operation is the loops, as
// format.Loops spells them; each has the Panel and the Tail form. The block has the
// arrays of its axes, outermost first, and what [SparseArgs] has. The kernel does
// positions From to To-1 of the outermost axis, or rows where that axis is not the
// outermost loop. Every coordinate it makes is checked against Rows and Cols where
// the format may go beyond them.
type NestArgs struct {
	Levels              [NestAxes]NestLevel
	Values, Mask, Order unsafe.Pointer
	B, C                unsafe.Pointer
	LdB, LdC            int64
	From, To            int64
	N                   int64
	Rows, Cols          int64
	// Ahead is the distance, in positions of axis j, from the present one to the index whose
	// row of B is prefetched. Last is the last position.
	Ahead, Last int64
	Mode        int64
	Alpha, Beta uint64
}

// NestLevel is what one axis owns.
type NestLevel struct {
	Pointers, Indices unsafe.Pointer // int32
	Size              int64
}
