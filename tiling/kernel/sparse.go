package kernel

import "unsafe"

// SparseArgs is the argument block of every CPU kernel with a sparse operand: what
// [Args] is to dense ones. It lives in a worker and is reused. All strides and
// distances are in bytes. Pointers and indices are int32 in memory. Offsets into dense
// operands have 64 bits, so B may be larger than 4 GiB.
//
// A row kernel computes Rows rows, for each of which, with k from Pointers[r] to
// Pointers[r+1]-1 and j over the columns of its panel,
//
//	acc[j] = sum over k of Values[k] * B[Indices[k]*LdB + j*size]
//
// and stores it by Mode to row r of C, or row Map[r]. Rows of B and C are
// contiguous. In a tail kernel the last vector has only N columns: nothing beyond
// them is read or written. Pointers is that of the call's first row, Indices and
// Values those of entry 0.
//
// Tables of rows have these: Panel and Tail read no index beyond those of their rows, Fetch and FetchTail fetch rows of
// B early, by Ahead. The one of the Columns form is for rows of one column: elements of B are adjacent, those of C LdC
// apart. Tables of sampled products have kernels for a panel of nv vectors of features, of which the last has N in tails.
// Fetch and FetchTail begin the sums, and so do Panel and Tail without fetching, for narrow panels whose B is in a
// cache anyway; they may be missing. More and MoreTail go on with the sums. Join sums K whole groups of vectors at A, then
// N more, to values at C by Mode. Weigh does the same times Values.
//
// The Panel and the Tail form of attention over the entries of a matrix sum rows of V; Shift, Exp and Fence
// are its other operations. Those of attention over dense blocks are Step, which goes on with the softmax of
// rows by some more columns, and Back, the gradient of weights and scores. For pruned weights the Copy form
// copies K rows of B times Alpha to rows Stride bytes apart, and for dense blocks it packs B. The operations
// f32 and f64 convert values of a narrower type; they read Values, C and N, which may be 0.
//
// Kernels for a matrix in any other format are made of its axes. In their tables the operation is the loops, as
// format.Loops spells them; each has the Panel and the Tail form. They read Levels instead of Pointers and Indices,
// and do positions From to To-1 of the outermost axis, or rows where that axis is not the outermost loop. Every
// coordinate that they make is checked against Rows and Limit where the format may go beyond them. Here Ahead is the
// distance, in positions of the axis of columns, from the present one to the index whose row of B is fetched, at most
// that of position Last.
type SparseArgs struct {
	Pointers, Indices, Values unsafe.Pointer
	B, C                      unsafe.Pointer
	LdB, LdC                  int64
	Rows                      int64
	N                         int64 // columns in the last vector, 1 to its lanes
	// Ahead is how far behind an index the one is whose row of B is fetched early.
	// Indices[k] + Ahead has to be readable for every k of the call: 0 always is.
	Ahead       int64
	Mode        int64
	Alpha, Beta uint64 // the bits of a scalar of the accumulator's type, low bytes first

	A   unsafe.Pointer // a second dense operand, of sampled products
	LdA int64
	K   int64 // depth of a dense product, or how many of something there are

	// For formats other than compressed rows.
	Map    unsafe.Pointer // int32: position r is row Map[r] of C, or none if that is -1
	Mask   unsafe.Pointer // a bit a slot, in words of 64
	Stride int64          // slots from one entry of a row to the next
	Width  int64          // entries in a row, or positions in a slice
	Limit  int64          // columns, or rows, of the matrix
	From   int64          // of the call's first row

	To, Last int64
	Levels   [NestAxes]NestLevel // the arrays of a format's axes, outermost first
}

// NestAxes is how many axes a format may have for which kernels are generated.
const NestAxes = 4

// NestLevel is what one axis owns.
type NestLevel struct {
	Pointers, Indices unsafe.Pointer // int32
	Size              int64
}

// The modes of a sparse kernel's store are those of a dense one, and this. ModeStream is
// for kernels that fetch early and have full vectors.
const (
	// ModeMean stores Alpha*acc divided by the number of entries of the row, and
	// Alpha*acc where that is 0.
	ModeMean = 3
)
