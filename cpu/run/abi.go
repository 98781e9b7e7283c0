package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// ABI2 is the version of the contract between generated code and this package.
// Every generated file refers to it: if a build says that run.ABI1 or another is undefined,
// the file was made by an older generator, so run go generate again.
const ABI2 = 2

// Args is the argument block of a kernel; generated stubs name it.
type Args = kernel.Args

// Kernels is the set of kernels for one ISA; generated tables are of it.
type Kernels = kernel.Kernels

// MicroKernels and Packers are the parts of Kernels that specs share.
type (
	MicroKernels = kernel.MicroKernels[kernel.Kernel]
	Packers      = kernel.Packers[kernel.Kernel]
)

// Tile is a kernel with the shape of its tile; generated tables are of it.
type Tile = kernel.Tile[kernel.Kernel]

// Kernel is the type of a stub.
type Kernel = kernel.Kernel

// Options change how one call runs. The zero value is what most callers want.
type Options struct {
	// Threads is how many goroutines may work on the call, the caller among them;
	// 0 means [Threads]. The result does not depend on it, bit for bit.
	Threads int
	// Scaled makes the call compute Alpha*a*b + Beta*out, where Alpha and Beta are
	// first rounded to the accumulator's type; otherwise it is 1*a*b + 0*out. With
	// Beta = 0 out is not read. With Alpha = 0 neither a nor b is.
	Scaled      bool
	Alpha, Beta float64
	// ISA forces a variant: "avx512", "avx2" or "go", the portable code. A call that
	// asks for what the machine or the kernel does not have panics with an
	// [ISAError]. "" means the best one, or what TILESMITH_ISA says.
	ISA string
	// B is the call's b packed beforehand, as [Set.Pack] does it, or nil.
	B *Packed
}

// threads returns how many goroutines may work on the call.
func (o *Options) threads() int {
	n := o.Threads
	if n <= 0 {
		n = Threads()
	}
	return min(n, maxThreads)
}
