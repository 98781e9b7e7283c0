package kernel

// Dropout is what kernels read that multiply numbers by a mask of dropout. They compute its
// random words from their places: by Philox 4x32-10, as package gemm/rand says.
//
// The table's VL is the number of 64-bit lanes of a vector, each of which computes a block of
// four words. Of that many blocks, lane 2*i computes block i and lane 2*i+1 block VL/2+i.
type Dropout struct {
	// Counters are the numbers of the blocks that the lanes of the first vector have, as many
	// as a vector has lanes. A kernel goes on from there.
	Counters [8]uint64
	Low      int64     // the third word of every block's counter
	High     int64     // the fourth
	Keys     [20]int64 // the two of each round
	Limit    int64     // 32 bits, twice: a number is kept whose word, with its sign bit turned, is not less, signed
	Scale    uint64    // what a number that is kept is multiplied by
}
