package kernel

// A table lists kernels: K is a function at run time, and a string, its name, where
// kernels are lowered and printed.

// Kernels is one ISA's set of kernels for one spec, as generated code lists them: those
// that multiply and those that pack may be another package's, the epilogue is the spec's.
type Kernels struct {
	ISA string
	*MicroKernels[Kernel]
	*Packers[Kernel]
	// Epi turns sums into outputs; nil if the kernel ends in alpha and beta.
	Epi      EpiKernel
	EpiLanes int // of the vectors that its row reductions leave
}

// MicroKernels compute tiles of sums. nr is NV*VL.
type MicroKernels[K any] struct {
	MR, NV, VL int
	// First is the number of Full[0][0] in generated code that calls kernels by their
	// numbers: those of Full, a height after another, then those of Tail.
	First int
	// Full[mr-1][nv-1] computes tiles of mr rows and nv whole vectors, and Tail the
	// same with N lanes in the last.
	Full, Tail [][]K
	// Wide[mr-1] and Dot are for products with few rows or columns; see tiling.Wide and
	// tiling.DotTiles. They are empty if the operator cannot join partial sums.
	Wide []Tile[K]
	Dot  []Tile[K]
}

// A Tile is a kernel with the shape of its tile. Of a Wide kernel NV counts vectors, of a
// Dot kernel columns.
type Tile[K any] struct {
	MR, NV int
	F      K
}

// Packers copy operands into what micro-kernels read.
type Packers[K any] struct {
	// PackRows[nv-1] copies K rows of nv vectors, LdB apart at B, to rows LdC apart
	// at C. The last vector has N valid columns and is filled up with zeros.
	PackRows []K
	// PackCols transposes N <= VL columns of B, contiguous along k, LdB apart, into
	// K rows of one vector each, LdC apart at C. Columns beyond N are arbitrary
	// copies of valid ones.
	PackCols K
	// PackRowsA and PackColsA are the same for A, if its elements have another type.
	PackRowsA []K
	PackColsA K
}

// Dots returns the dot kernels for a small side of s: the one with the most of the
// long side, and the one with a single row or column of it. The small side is the
// tile's columns if columns is set, else its rows.
func (k *MicroKernels[K]) Dots(s int, columns bool) (long, one *Tile[K]) {
	most := 0
	for i := range k.Dot {
		d := &k.Dot[i]
		small, other := d.MR, d.NV
		if columns {
			small, other = other, small
		}
		if small != s {
			continue
		}
		if other == 1 {
			one = d
		}
		if other > most {
			long, most = d, other
		}
	}
	return long, one
}

// DotMost is the largest small side that the dot kernels are made for.
func (k *MicroKernels[K]) DotMost() int {
	for s := 1; ; s++ {
		if long, _ := k.Dots(s, true); long == nil || s > 1 && long.MR == 1 {
			return s - 1
		}
	}
}
