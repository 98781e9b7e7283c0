package kernel

import "unsafe"

// FixedArgs is the argument block of a kernel for one shape: Count products of dense
// row-major matrices, those of one operand so many bytes apart.
type FixedArgs struct {
	Out, A, B                   unsafe.Pointer
	Count                       int64 // at least 1
	OutStride, AStride, BStride int64
}
