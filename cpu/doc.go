// Package cpu runs generated kernels on this machine: loops in Go around calls
// into assembly, without cgo.
//
// Start with [MatMul], or give gonum the product of this package:
//
//	blas64.Use(cpu.BLAS64{})
//	blas32.Use(cpu.BLAS32{})
//
// Of symmetric and triangular matrices [Symm], [Syrk], [Syr2k], [Trmm] and [Trsm] read, compute and
// write one [Triangle], with any strides.
//
// A sparse matrix of package sparse is multiplied by [SpMM] and [SpMV], in any format
// or as a sum of parts; [SDDMM] and [GraphAttention] compute at its entries only, and
// [BlockAttention] where a mask of blocks has some. [MulRelations] multiplies by several
// sparse matrices, each with weights of its own.
// A [sparse.Pattern], such as a graph without weights, is multiplied without values, by [SpMM], [SpMV], [SpGEMMOpt],
// [SpMSpVOpt] and [SDDMMPattern]; a triangle of a matrix, a [sparse.Band], where it lies; and a [sparse.Narrow], which stores
// bfloat16 or half precision, by [SpMMOf]. [SpMMBlocks] is for dense blocks, and [Prune] with [MulPruned] for weights of which
// some percent are left.
//
// Operands of other types than float32 and float64, and of two different ones, are multiplied by
// [MatMulOf], and quantised matrices by [QuantMatMul]. Every product has portable code; kernels
// there are of
//
//	operands                   sums     avx2            avxvnni     avx512          avx512bf16   avx512vnni
//	float32                    float32  FMA                         FMA
//	float64                    float64  FMA                         FMA
//	BF16 BF16                  float32  widened, FMA                widened, FMA    VDPBF16PS
//	F16 F16                    float32  widened, FMA                widened, FMA
//	int8, uint8 by any         int32    VPMADDWD        VPDPBUSD    VPMADDWD                     VPDPBUSD
//	  of the two
//	int16 int16, int8 int16,   int32    VPMADDWD        VPDPWSSD    VPMADDWD                     VPDPWSSD
//	  int16 int8
//
// and on tiles of BF16 BF16 by TDPBF16PS on amxbf16, which extends avx512bf16, and of int8 and
// uint8 by TDPBSSD and its like on amxint8, which extends avx512vnni. Where a column is empty
// the variant of the set that it extends is run: avx2 for avxvnni, avx512 for the others.
// Operands are widened when they are packed. All other pairs of [MatMulOf],
// such as uint8 by int16 or float32 by int8, are plain Go on every machine. Of those Options.ISA may be
// "go" only: a call that asks for another is refused with a [run.ISAError] that says so;
// TILESMITH_ISA may name any set that the machine has, and changes nothing.
//
// # Batch invariance
//
// A server that computes requests together wants each to get the bits that it gets alone. On one instruction set:
//
//	operands         a row of the result follows from
//	BF16 or F16      its row of a, and b: by MatMulOf, MatMulBatchOf, products with epilogues, in groups and in equations
//	integers         the same: sums of int32 are exact
//	float32, float64 its row of a, b, and of m no more than whether the product is skinny; this is no promise
//
// Of the first two, of [MatMulOf] and its like, the number of rows, the place of the row, strides, threads and a packed b change no bit, nor do they change a
// reduction over the row. A row of [BlockAttention] and of [GraphAttention] follows from its row of q, its row of the mask, k and v, whatever
// other rows and heads there are, of either type.
//
// A product of float32 or float64 is skinny if m is at most 16 and n*k elements take 256 KiB or more, or if n is at most 16 and m*k elements do,
// where b's, or a's, rows or columns are contiguous. With more rows all have the same bits, for any m. With up to 16 and a b by columns, such as weights that are n x k, they have other
// bits, one set for all m; with a b by rows the bits differ by groups of m as well. A product in a batch is as it is alone. The portable code, "go", adds in the order of
// k always, so that nothing but the row of a and b counts there.
//
// The best variant for the machine is chosen on first use. TILESMITH_ISA forces
// one (avx512, avx2, go, and those above), TILESMITH_THREADS limits the goroutines of a call, and
// GODEBUG=cpu.avx512f=off and its like are honoured.
package cpu
