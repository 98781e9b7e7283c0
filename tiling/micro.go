package tiling

import (
	"math"
	"unsafe"
)

// Args is the argument block of every CPU kernel: the only thing that crosses
// from Go to assembly. It lives in a worker and is reused, so that a call
// allocates nothing. All strides are in bytes.
//
// A micro-kernel computes Tiles tiles of mr rows, one under another. For each of
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
}

// The modes of a micro-kernel's store. Only ModeUpdate reads C.
const (
	ModeStore  = 0 // C = acc
	ModeScale  = 1 // C = Alpha*acc
	ModeUpdate = 2 // C = Beta*C + Alpha*acc, the product Alpha*acc not rounded
)

// Field is one field of [Args] for code that writes kernels.
type Field struct {
	Name    string
	Offset  int
	Pointer bool
	Scalar  bool // has the accumulator's type
}

// Fields lists the fields of [Args] in order.
func Fields() []Field {
	var a Args
	return []Field{
		{"a", int(unsafe.Offsetof(a.A)), true, false}, {"b", int(unsafe.Offsetof(a.B)), true, false}, {"c", int(unsafe.Offsetof(a.C)), true, false},
		{"rsa", int(unsafe.Offsetof(a.RsA)), false, false}, {"csa", int(unsafe.Offsetof(a.CsA)), false, false},
		{"ldb", int(unsafe.Offsetof(a.LdB)), false, false}, {"ldc", int(unsafe.Offsetof(a.LdC)), false, false},
		{"k", int(unsafe.Offsetof(a.K)), false, false}, {"tiles", int(unsafe.Offsetof(a.Tiles)), false, false},
		{"n", int(unsafe.Offsetof(a.N)), false, false}, {"mode", int(unsafe.Offsetof(a.Mode)), false, false},
		{"alpha", int(unsafe.Offsetof(a.Alpha)), false, true}, {"beta", int(unsafe.Offsetof(a.Beta)), false, true},
		{"stepa", int(unsafe.Offsetof(a.StepA)), false, false}, {"stepb", int(unsafe.Offsetof(a.StepB)), false, false},
		{"stepc", int(unsafe.Offsetof(a.StepC)), false, false},
	}
}

// Kernel is the type of an assembly stub.
type Kernel func(args *Args)

// Kernels is one ISA's set of kernels for one spec, as generated code lists them: those
// that multiply and those that pack may be another package's, the epilogue is the spec's.
type Kernels struct {
	ISA string
	*MicroKernels
	*Packers
	// Epi turns sums into outputs; nil if the kernel ends in alpha and beta.
	Epi      EpiKernel
	EpiLanes int // of the vectors that its row reductions leave
}

// MicroKernels compute tiles of sums. nr is NV*VL.
type MicroKernels struct {
	MR, NV, VL int
	// First is the number of Full[0][0] in generated code that calls kernels by their
	// numbers: those of Full, a height after another, then those of Tail.
	First int
	// Full[mr-1][nv-1] computes tiles of mr rows and nv whole vectors, and Tail the
	// same with N lanes in the last.
	Full, Tail [][]Kernel
	// Wide[mr-1] and Dot are for products with few rows or columns; see [Wide]
	// and [DotTiles]. They are empty if the operator cannot join partial sums.
	Wide []TileKernel
	Dot  []TileKernel
}

// Packers copy operands into what micro-kernels read.
type Packers struct {
	// PackRows[nv-1] copies K rows of nv vectors, LdB apart at B, to rows LdC apart
	// at C. The last vector has N valid columns and is filled up with zeros.
	PackRows []Kernel
	// PackCols transposes N <= VL columns of B, contiguous along k, LdB apart, into
	// K rows of one vector each, LdC apart at C. Columns beyond N are arbitrary
	// copies of valid ones.
	PackCols Kernel
	// PackRowsA and PackColsA are the same for A, if its elements have another type.
	PackRowsA []Kernel
	PackColsA Kernel
}

// Micro is the shape of a micro-kernel's tile: MR rows of NV vectors.
type Micro struct{ MR, NV int }

// Registers chooses the tile for a machine with regs vector registers: MR*NV
// accumulators, NV registers for a row of B and one for a broadcast element of A.
//
// Fewest loads per multiply, (MR+NV)/(MR*NV), would make the tile square; but a
// wide tile makes both the unit in which n is cut and the traffic of B's panel,
// which streams from L2, larger. See RATIONALE.md, "Which tile".
func Registers(regs int) Micro {
	best, cost := Micro{1, 1}, math.Inf(1)
	for nv := 1; nv <= 3; nv++ {
		mr := (regs - nv - 1) / nv
		if mr < 1 || mr > 14 {
			continue
		}
		// Loads per multiply, and the bytes of B per multiply, 1/MR.
		c := float64(mr+nv)/float64(mr*nv) + 1/float64(mr)
		if c < cost {
			best, cost = Micro{mr, nv}, c
		}
	}
	return best
}
