// Package pages requests large pages for arrays of numbers from the system.
package pages

import "unsafe"

// Huge is the bytes of a large page, and Least what an array has to have for one to be
// asked for: where it begins and ends there is room for half a page on average.
const (
	Huge  = 2 << 20
	Least = 2 * Huge
)

// Advise asks that memory which nothing was written to yet be mapped in pages of 2 MB
// instead of 4 KB: a matrix of 16 MB then takes 8 entries of a TLB instead of 4096, and
// lines that follow each other do so in the caches, too, which are indexed by physical
// addresses. It is a wish: a system that has no such pages, or is not Linux, does nothing,
// and so does Advise for less than [Least] bytes. With transparent huge pages set to
// "never" nothing changes either.
func Advise[T any](x []T) {
	var z T
	if n := len(x) * int(unsafe.Sizeof(z)); n >= Least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), n))
	}
}
