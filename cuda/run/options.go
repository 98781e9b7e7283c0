package run

// Options are how a call is done. The zero value is right for nearly all.
type Options struct {
	// Scaled makes a product without an epilogue compute Alpha*a*b + Beta*out, in
	// float32. With Beta = 0, out is not read; with Alpha = 0, neither a nor b is.
	Scaled      bool
	Alpha, Beta float64
	// Kernel forces the kernel of that name: for tests and measurements. It is an
	// error if the operands do not lie as it wants them.
	Kernel string
}
