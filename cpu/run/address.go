package run

import "unsafe"

// Addresses are compared as integers here and nowhere else. An integer does not move
// along when the memory it came from does, as that of a stack may wherever the runtime
// can stop a goroutine. In these functions it cannot: they call nothing, and in a
// function that is nosplit and not inlined no instruction is a safe-point.

// shares reports whether n bytes at p and m bytes at q have one in common.
//
//go:nosplit
//go:noinline
func shares(p unsafe.Pointer, n uintptr, q unsafe.Pointer, m uintptr) bool {
	x, y := uintptr(p), uintptr(q)
	return x < y+m && y < x+n
}

// sharesAny reports whether n bytes at p share one with m bytes at q or l bytes at r, in
// one call: small products have no time for two.
//
//go:nosplit
//go:noinline
func sharesAny(p unsafe.Pointer, n uintptr, q unsafe.Pointer, m uintptr, r unsafe.Pointer, l uintptr) bool {
	x, y, z := uintptr(p), uintptr(q), uintptr(r)
	return x < y+m && y < x+n || x < z+l && z < x+n
}

// distance returns how many bytes lie from p to q; it is negative if q comes first.
//
//go:nosplit
//go:noinline
func distance(p, q unsafe.Pointer) int { return int(uintptr(q) - uintptr(p)) }

// misaligned returns how many bytes p lies beyond a multiple of n, a power of two.
//
//go:nosplit
//go:noinline
func misaligned(p unsafe.Pointer, n uintptr) int { return int(uintptr(p) & (n - 1)) }

// Apart reports whether the out of one product, of so many bytes, shares no memory
// with its a and b.
//
//go:nosplit
//go:noinline
func Apart(args *FixedArgs, out, a, b uintptr) bool {
	// x and y meet if y-x, as a number that wraps around, is more than -len(y) and less
	// than len(x).
	at := uintptr(args.Out)
	return uintptr(args.A)-at+(a-1) >= out+a-1 && uintptr(args.B)-at+(b-1) >= out+b-1
}
