package kernel

// BlockKernels is one ISA's kernels for matrices of dense blocks: Full[mr-1][nv-1] and
// Tail[mr-1][nv-1], in which the last vector has N columns, for tiles of mr rows and nv
// vectors, and Pack[nv-1] to copy panels of B.
type BlockKernels[K any] struct {
	ISA        string `kernel:"text"`
	MR, NV, VL int
	Full, Tail [][]K
	Pack       []K
}
