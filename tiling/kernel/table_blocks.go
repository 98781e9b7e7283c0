package kernel

// BlockKernels is one ISA's kernels for matrices of dense blocks. Full[mr-1][nv-1] and
// Tail[mr-1][nv-1] are for tiles of mr rows and nv vectors; Tail has N columns in the
// last vector. Pack[nv-1] copies panels of B.
type BlockKernels[K any] struct {
	ISA        string `kernel:"text"`
	MR, NV, VL int
	Full, Tail [][]K
	Pack       []K
}
