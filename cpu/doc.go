// Package cpu multiplies dense and sparse matrices on this machine, with loops in Go
// around generated kernels in assembly, without cgo.
//
// Start with [MatMul], or make gonum use this package:
//
//	blas64.Use(cpu.BLAS64{})
//	blas32.Use(cpu.BLAS32{})
//
// [Symm], [Syrk], [Syr2k], [Trmm] and [Trsm] multiply and solve with symmetric and triangular
// matrices. They read, compute and write one [Triangle], with any strides.
//
// # Sparse matrices
//
// [SpMM] and [SpMV] multiply a sparse matrix in any format, or a sum of parts, by a dense one.
// [SDDMM] and [GraphAttention] compute only at its entries, [BlockAttention] only at the blocks
// of a mask. [MulRelations] multiplies by several sparse matrices, each with its own weights.
//
// [SpMM], [SpMV], [SpGEMMOpt], [SpMSpVOpt] and [SDDMMPattern] also take a [sparse.Pattern], such
// as a graph without weights. A [sparse.Band], a triangle of a matrix, is multiplied in place.
// [SpMMOf] takes a [sparse.Narrow], which stores bfloat16 or half precision. [SpMMBlocks] is for
// dense blocks, and [Prune] with [MulPruned] for weights of which a few per cent are left.
//
// # Types
//
// [MatMulOf] multiplies operands of other types than float32 and float64, and of two different
// types. [QuantMatMul] multiplies quantised matrices. Every product has portable code. These have
// kernels:
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
// On AMX tiles, amxbf16 multiplies BF16 by TDPBF16PS and extends avx512bf16; amxint8 multiplies
// int8 and uint8 by TDPBSSD and the like and extends avx512vnni. If a column is empty, the set that
// it extends runs: avx2 for avxvnni, avx512 for the others. On arm64, neon does all of these by FMLA,
// and by SMULL where sums are int32; neonbf16 multiplies BF16 by BFMMLA, neondot bytes by SDOT and
// UDOT, and neoni8mm by SMMLA and UMMLA. Operands are widened when they are
// packed, or as kernels load a large packed b.
//
// All other pairs of [MatMulOf], such as uint8 by int16 or float32 by int8, are plain Go on every
// machine. For those Options.ISA must be empty or "go"; any other set is refused with a
// [run.ISAError]. TILESMITH_ISA may name any set that the machine has, and changes nothing there.
//
// # Batch invariance
//
// A server that computes requests together wants each to get the bits that it gets alone. On one
// instruction set:
//
//	operands         a row of the result follows from
//	BF16 or F16      its row of a, and b: by MatMulOf, MatMulBatchOf, products with epilogues, in groups and in equations
//	integers         the same: sums of int32 are exact
//	float32, float64 its row of a, b, and of m no more than whether the product is skinny; this is no promise
//
// In the first two lines these change no bit: the number of rows, the position of the row,
// strides, threads and a packed b. That includes a reduction over the row. A row of
// [BlockAttention] and [GraphAttention] follows from its row of q, its row of the mask, k and
// v, for either type. Other rows and heads do not matter.
//
// A product of float32 or float64 is skinny in two cases: m is at most 16 and b's n*k elements
// take 256 KiB or more, or n is at most 16 and a's m*k elements do. The rows or columns of that
// operand must be contiguous. With more than 16 rows all rows have the same bits, for any m. With
// up to 16 rows and a b by columns, such as n x k weights, they have other bits, one set for all
// m. With a b by rows the bits also differ by groups of m. A product in a batch has the bits that
// it has alone. The portable code, "go", always adds in the order of k, in blocks of 256 which it then
// adds, so only the row of a and b count there.
//
// # Environment
//
// The first use chooses the best variant for the machine. TILESMITH_ISA forces one (avx512, avx2,
// go, and those above), TILESMITH_THREADS limits the goroutines of a call, and settings such as
// GODEBUG=cpu.avx512f=off are honoured.
package cpu
