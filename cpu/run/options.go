package run

import "github.com/tilesmith/tilesmith/cpu/run/internal/mem"

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
	// B is the call's b of a dense product packed beforehand, as [dense.Set.Pack] does it, or nil.
	B *Packed
}

// Packed is a second operand b in the order in which kernels read it, for products
// that use one b many times, such as the weights of a layer. It is a copy: changing
// b later does not change it. Put it into Options.B of calls with a matrix of the
// same shape; any number of them may use it at once. It belongs to the variant that
// packed it. The result has the same bits as without it. Products with few rows or
// columns read b itself, which is as fast.
type Packed = mem.Packed
