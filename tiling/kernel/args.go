package kernel

import "unsafe"

// Args is the argument block of every CPU kernel: the only thing that crosses
// from Go to assembly. It lives in a worker and is reused, so that a call
// allocates nothing. All strides are in bytes.
//
// A kernel of the Dot form has vectors of partial sums for elements of C: it begins with
// ModeStore and goes on with ModeUpdate. A kernel of the Join form adds up the lanes of
// such vectors at A, in Tiles rows that are RsA apart. There are K times as many vectors
// as a vector has lanes, and N more. It adds to elements of C by Mode. It reads whole
// vectors beyond these, up to as many as a vector has lanes, less one.
//
// A micro-kernel computes Tiles tiles of mr rows, one under another, or of Rows rows where
// one is for several heights. For each of
// the rows i and columns j of a tile
//
//	acc = sum over k < K of A[i*RsA + k*CsA] * B[k*LdB + j*size]
//
// and then stores by Mode. B's and C's rows are contiguous; A may have any
// strides. In a tail kernel the last vector of a row has only N columns: nothing
// beyond them is read or written.
type Args struct {
	A, B, C  unsafe.Pointer
	RsA, CsA int64
	LdB, LdC int64
	K        int64
	Tiles    int64
	N        int64 // columns in the last vector, 1 to its lanes
	Mode     int64
	Alpha    uint64 // the bits of a scalar of the accumulator's type, low bytes first
	Beta     uint64
	// From one tile of a Dot kernel to the next.
	StepA, StepB, StepC int64
	// Next and NextStep say what a kernel of the Panel or the Tail form prefetches into L2
	// while it multiplies. It begins with a line Next bytes behind B. With each k of each
	// tile, or every second k where it does several before a branch, it goes NextStep bytes
	// further. It reads nothing there, so any address will do.
	Next, NextStep int64
	// Kernels for few rows or columns prefetch this much of the big operand while they
	// compute. An Axpy kernel turns to the next row, LdF further, after Span steps of k. A
	// Dot kernel fetches up to three lines, LdF apart, in each step, the next step's Span
	// further, and begins with each tile NextStep further.
	Fetch     unsafe.Pointer
	LdF, Span int64
	// Rows is the rows of a tile, for kernels that do for several heights.
	Rows int64
	// Pair are the factors of a product of pairs of numbers, such as complex ones; see [Pair].
	Pair *Pair
}

// The modes of a micro-kernel's store. Only ModeUpdate and ModeTurnUpdate read C.
const (
	ModeStore  = 0 // C = acc
	ModeScale  = 1 // C = Alpha*acc
	ModeUpdate = 2 // C = Beta*C + Alpha*acc, the product Alpha*acc not rounded
	// ModeTurn and ModeTurnUpdate are ModeScale and ModeUpdate with factors that have an
	// imaginary part; they are of pairs.
	ModeTurn       = ModeTurns | ModeScale
	ModeTurnUpdate = ModeTurns | ModeUpdate
	ModeTurns      = 8
	// ModeStream is ModeStore past the caches, which spares reading lines that are
	// overwritten: for Panel kernels of an ISA that streams. Rows of C begin at multiples
	// of a vector.
	ModeStream = 4
)
