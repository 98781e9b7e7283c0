package fixed

import "github.com/tilesmith/tilesmith/tiling/kernel"

// Apart reports whether the out of one product, of so many bytes, shares no memory
// with its a and b.
//
//go:nosplit
//go:noinline
func Apart(args *kernel.FixedArgs, out, a, b uintptr) bool {
	// x and y meet if y-x, as a number that wraps around, is more than -len(y) and less
	// than len(x).
	at := uintptr(args.Out)
	return uintptr(args.A)-at+(a-1) >= out+a-1 && uintptr(args.B)-at+(b-1) >= out+b-1
}
