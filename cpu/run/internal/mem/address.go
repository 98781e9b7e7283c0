package mem

import "unsafe"

// Addresses are compared as integers here, in fixed.Apart and nowhere else. An integer
// does not move along when the memory it came from does, as a stack may wherever the runtime
// can stop a goroutine. In these functions it cannot: they call nothing, and in a function
// that is nosplit and not inlined no instruction is a safe-point.

// Shares reports whether n bytes at p and m bytes at q have one in common.
//
//go:nosplit
//go:noinline
func Shares(p unsafe.Pointer, n uintptr, q unsafe.Pointer, m uintptr) bool {
	x, y := uintptr(p), uintptr(q)
	return x < y+m && y < x+n
}

// SharesAny reports in one call whether n bytes at p share one with m bytes at q or l
// bytes at r. Small products have no time for two calls.
//
//go:nosplit
//go:noinline
func SharesAny(p unsafe.Pointer, n uintptr, q unsafe.Pointer, m uintptr, r unsafe.Pointer, l uintptr) bool {
	x, y, z := uintptr(p), uintptr(q), uintptr(r)
	return x < y+m && y < x+n || x < z+l && z < x+n
}

// SharesOne reports whether n bytes at p share one with the first m bytes of any of count slices. The
// slices' headers are adjacent, from list on.
//
//go:nosplit
//go:noinline
func SharesOne(p unsafe.Pointer, n uintptr, list unsafe.Pointer, count int, m uintptr) bool {
	for _, x := range unsafe.Slice((*[3]uintptr)(list), count) { // address, length, capacity
		if uintptr(p) < x[0]+m && x[0] < uintptr(p)+n {
			return true
		}
	}
	return false
}

// Distance returns how many bytes lie from p to q; it is negative if q comes first.
//
//go:nosplit
//go:noinline
func Distance(p, q unsafe.Pointer) int { return int(uintptr(q) - uintptr(p)) }

// Misaligned returns how many bytes p lies beyond a multiple of n, a power of two.
//
//go:nosplit
//go:noinline
func Misaligned(p unsafe.Pointer, n int) int { return int(uintptr(p) & uintptr(n-1)) }
