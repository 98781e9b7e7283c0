package kernel

// RowKernels is one ISA's kernels for a matrix in compressed rows.
type RowKernels[K any] struct {
	ISA string `kernel:"text"`
	VL  int
	// Full[nv-1] computes rows of nv whole vectors, and Tail those with N lanes in the
	// last. Both read no index beyond those of their rows. FullFetch and TailFetch fetch
	// rows of B early, by Ahead.
	Full, Tail           []K
	FullFetch, TailFetch []K
	// Vec[0] computes rows of one column; elements of B are adjacent, those of C LdC
	// apart.
	Vec []K
}
