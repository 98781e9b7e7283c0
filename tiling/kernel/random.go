package kernel

import "unsafe"

// RandomArgs is the argument block of kernels that compute random numbers from their
// places: by Philox 4x32-10, as package gemm/rand says. It lives in a pool and is reused.
//
// The entry Drop of a table multiplies numbers by a mask of dropout. The table's VL is the number of 64-bit
// lanes of a vector, each of which computes a block. Of that many blocks, lane 2*i computes block i and lane
// 2*i+1 block VL/2+i. The entry's NV is how many numbers are done at once.
type RandomArgs struct {
	X, Out unsafe.Pointer
	N      int64 // numbers, a multiple of the kernel's NV
	// Counters are the numbers of the blocks that the lanes of the first vector have: uint64, as many
	// as a vector has. A kernel goes on from there.
	Counters unsafe.Pointer
	Low      int64     // the third word of every block's counter
	High     int64     // the fourth
	Keys     [20]int64 // the two of each round
	Limit    int64     // 32 bits, twice: a number is kept whose word, with its sign bit turned, is not less, signed
	Scale    uint64    // what a number that is kept is multiplied by
}
