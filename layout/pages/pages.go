// Package pages requests large pages for arrays of numbers from the system.
package pages

import "unsafe"

// Huge is the size of a large page in bytes. Least is the size of the smallest array
// that large pages are requested for; on average half a page is lost at its ends.
const (
	Huge  = 2 << 20
	Least = 2 * Huge
)

// Advise requests pages of 2 MB instead of 4 KB for memory that nothing was written to yet.
// A matrix of 16 MB then takes 8 entries of a TLB instead of 4096. Caches are indexed by
// physical addresses, so consecutive lines are also consecutive there. It is a wish. Nothing
// happens on systems other than Linux or without such pages, for less than [Least] bytes, or
// with transparent huge pages set to "never".
func Advise[T any](x []T) {
	var z T
	if n := len(x) * int(unsafe.Sizeof(z)); n >= Least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), n))
	}
}
