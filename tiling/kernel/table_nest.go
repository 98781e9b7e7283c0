package kernel

// NestKernels is one ISA's kernels for formats, by the loops that they are.
type NestKernels[K any] struct {
	ISA  string `kernel:"text"`
	VL   int
	Sets []NestSet[K]
}

// NestSet is the kernels of one kind of loops: Full[nv-1] for nv whole vectors of
// columns, Tail with N lanes in the last.
type NestSet[K any] struct {
	Loops      string `kernel:"text"` // as format.Loops spells them
	Full, Tail []K
}
