package move

// ISAs are those of the kernels, best first.
func ISAs() []string { return variant.ISAs() }

// Force makes the n-th of them the best, and Go if it is 0.
func Force(n int) { variant.Force(n, variant.ISAs()) }
