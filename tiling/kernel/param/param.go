// Package param has the parameter blocks of GPU kernels: what gemm/gpu writes kernels for and
// cuda/run fills. [Bytes] is the size of that of a product.
package param

// The parameter block of every GPU product kernel: what gemm/gpu writes kernels for and
// cuda/run fills. Strides are in bytes. Offsets are those of PTX parameters, each
// aligned to its size.
//
//	0   a, b           addresses
//	16  rsa, csa       from row to row and from column to column of a (M x K)
//	32  rsb, csb       the same of b (K x N)
//	48  m, n, k
//	72  bsa, bsb       from one product of a batch to the next
//	88  tm, tn         tiles along M and N (32 bits)
//	96  alpha, beta    (f32)
//	104 slots          outputs, then operands, then reductions, 32 bytes each
//	    alpha, beta    (f64) if the sums are of f64
//
// A slot is an address or, for an operand that is one number, its bits; then the
// strides along rows, columns and the batch. A reduction writes one partial value
// for each tile along the direction that it reduces. Element i of tile t is at address
// + t*row stride + 4*i. One to an index has a second slot for the indices, int32.
const (
	A, B            = 0, 8
	RsA, CsA        = 16, 24
	RsB, CsB        = 32, 40
	M, N            = 48, 56
	K               = 64
	BsA, BsB        = 72, 80
	TM, TN          = 88, 92
	Alpha, Beta     = 96, 100
	Slots, SlotSize = 104, 32
)

// Bytes returns the size of the block of a kernel with the given number
// of slots and sums of so many bytes. The 8 bytes of alpha and the 8 of beta follow the
// slots.
func Bytes(slots, sum int) int {
	n := Slots + slots*SlotSize
	if sum > 4 {
		n += 2 * sum
	}
	return n
}

// Parameters that follow [Bytes] in kernels whose CTAs take spans of the steps of
// K of all tiles, and so parts of tiles:
//
//	0   parts          address of places for the sums of parts
//	8   bsparts        from one product of a batch to the next, in bytes
//	16  steps          of BK of a tile (32 bits, as those that follow)
//	20  span           steps of a CTA
//	24  all            steps of all tiles
//
// A CTA has PartsOfCTA places of BM*BN sums each. MostSteps is the most that all
// may be, so that no count of steps takes more than 31 bits.
const (
	Parts, PartsBatch = 0, 8
	Steps, Span       = 16, 20
	All               = 24
	SplitBytes        = 28
	PartsOfCTA        = 2
	MostSteps         = 1 << 30
)

// Parameters that follow [Bytes] in kernels that do a group of products of any
// shapes in one launch:
//
//	0   records        address of a parameter block for each product, without gaps
//	8   firsts         address of the number of each product's first tile (32 bits each)
//	16  products       how many there are, 1 or more (32 bits)
//
// An address in a record is the distance from the one in the kernel's own block. Nothing
// else of that block is read, nor are the record's strides of a batch.
const (
	Records, Firsts = 0, 8
	Products        = 16
	GroupBytes      = 20
	RecordAlign     = 8 // of records, and of the size of one
)

// The parameter block of the kernels that join the partial results of a reduction. It
// has partial values, partial indices, the result, the number of results and the number
// of partial values of each. The strides follow: of tiles and of batches of the partial
// values, and of batches of the result.
const (
	JoinValues, JoinIndices   = 0, 8
	JoinOut                   = 16
	JoinCount, JoinParts      = 24, 32
	JoinPartStride, JoinBatch = 40, 48
	JoinOutBatch              = 56
	JoinBytes                 = 64
	JoinThreads               = 128
)

// The parameter block of the kernel that copies an operand, lines of elements of any two strides, to
// lines that begin at multiples of 16 bytes. It has the addresses, the number of lines and their
// length, and the strides from line to line, from element to element and from one product of a batch
// to the next. Then come the copy's stride from line to line, with nothing else between products, and
// how many elements of a line a warp copies. A CTA has as many lines as warps.
const (
	PadFrom, PadTo     = 0, 8
	PadLines, PadAlong = 16, 24
	PadLine, PadNext   = 32, 40
	PadBatch, PadPitch = 48, 56
	PadSpan            = 64
	PadBytes           = 72
	PadLinesOfCTA      = 4
	PadThreads         = 32 * PadLinesOfCTA
	PadAlign           = 16 // of the copy's lines
)
