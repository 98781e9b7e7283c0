package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// Options are how a call is done. The zero value is right for nearly all.
type Options struct {
	// Scaling makes a product without an epilogue compute alpha*a*b + beta*out, in
	// float32: Scale(alpha, beta). With beta = 0, out is not read; with alpha = 0, neither
	// a nor b is. The zero value is 1 and 0, the product as it is.
	Scaling Scaling
	// Kernel forces the kernel of that name: for tests and measurements. It is an
	// error if the operands do not lie as it wants them, and Pad is not set.
	Kernel string
	// Pad copies a and b where the kernel does not take them as they lie: without Kernel, where only the
	// one for any strides does. It is for tests and measurements: a call does so by itself where that is faster.
	Pad bool
	// Schedule says how CTAs share the product: SplitK(parts) or StreamK(ctas). Operands whose
	// rows and columns are not at multiples of 4 bytes, of float64 of 8, are copied for it.
	Schedule Schedule
	// Gather, if not nil, keeps the call for a launch with others as one batch, or as a group.
	Gather *Gather
}

// Scaling is the factors alpha and beta of a call: 1 and 0 if it is zero.
type Scaling = kernel.Scaling

// Scale returns the factors of out = alpha*a*b + beta*out, for Options.Scaling.
func Scale(alpha, beta float64) Scaling { return kernel.Scale(alpha, beta) }
