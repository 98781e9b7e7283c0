package kernel

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
	GPUArgA, GPUArgB         = 0, 8
	GPUArgRsA, GPUArgCsA     = 16, 24
	GPUArgRsB, GPUArgCsB     = 32, 40
	GPUArgM, GPUArgN         = 48, 56
	GPUArgK                  = 64
	GPUArgBsA, GPUArgBsB     = 72, 80
	GPUArgTM, GPUArgTN       = 88, 92
	GPUArgAlpha, GPUArgBeta  = 96, 100
	GPUArgSlots, GPUSlotSize = 104, 32
)

// GPUParamBytes returns the size of the block of a kernel with the given number
// of slots and sums of so many bytes. The 8 bytes of alpha and the 8 of beta follow the
// slots.
func GPUParamBytes(slots, sum int) int {
	n := GPUArgSlots + slots*GPUSlotSize
	if sum > 4 {
		n += 2 * sum
	}
	return n
}

// Parameters that follow [GPUParamBytes] in kernels whose CTAs take spans of the steps of
// K of all tiles, and so parts of tiles:
//
//	0   parts          address of places for the sums of parts
//	8   bsparts        from one product of a batch to the next, in bytes
//	16  steps          of BK of a tile (32 bits, as those that follow)
//	20  span           steps of a CTA
//	24  all            steps of all tiles
//
// A CTA has GPUPartsOfCTA places of BM*BN sums each. GPUMostSteps is the most that all
// may be, so that no count of steps takes more than 31 bits.
const (
	GPUArgParts, GPUArgPartsBatch = 0, 8
	GPUArgSteps, GPUArgSpan       = 16, 20
	GPUArgAll                     = 24
	GPUSplitBytes                 = 28
	GPUPartsOfCTA                 = 2
	GPUMostSteps                  = 1 << 30
)

// Parameters that follow [GPUParamBytes] in kernels that do a group of products of any
// shapes in one launch:
//
//	0   records        address of a parameter block for each product, without gaps
//	8   firsts         address of the number of each product's first tile (32 bits each)
//	16  products       how many there are, 1 or more (32 bits)
//
// An address in a record is the distance from the one in the kernel's own block. Nothing
// else of that block is read, nor are the record's strides of a batch.
const (
	GPUArgRecords, GPUArgFirsts = 0, 8
	GPUArgProducts              = 16
	GPUGroupBytes               = 20
	GPURecordAlign              = 8 // of records, and of the size of one
)

// The parameter block of the kernels that join the partial results of a reduction. It
// has partial values, partial indices, the result, the number of results and the number
// of partial values of each. The strides follow: of tiles and of batches of the partial
// values, and of batches of the result.
const (
	GPUJoinValues, GPUJoinIndices   = 0, 8
	GPUJoinOut                      = 16
	GPUJoinCount, GPUJoinParts      = 24, 32
	GPUJoinPartStride, GPUJoinBatch = 40, 48
	GPUJoinOutBatch                 = 56
	GPUJoinBytes                    = 64
	GPUJoinThreads                  = 128
)

// The parameter block of the kernel that copies an operand, lines of elements of any two strides, to
// lines that begin at multiples of 16 bytes. It has the addresses, the number of lines and their
// length, and the strides from line to line, from element to element and from one product of a batch
// to the next. Then come the copy's stride from line to line, with nothing else between products, and
// how many elements of a line a warp copies. A CTA has as many lines as warps.
const (
	GPUPadFrom, GPUPadTo     = 0, 8
	GPUPadLines, GPUPadAlong = 16, 24
	GPUPadLine, GPUPadNext   = 32, 40
	GPUPadBatch, GPUPadPitch = 48, 56
	GPUPadSpan               = 64
	GPUPadBytes              = 72
	GPUPadLinesOfCTA         = 4
	GPUPadThreads            = 32 * GPUPadLinesOfCTA
	GPUPadAlign              = 16 // of the copy's lines
)
