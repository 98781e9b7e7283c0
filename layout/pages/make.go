package pages

import "unsafe"

// Make returns n zeros that begin at a large page, in large pages if the system has any. Use it for data that
// is read again and again from one end to the other, because hardware prefetching stops at the end of a page.
// It takes up to two large pages more than n elements. Few elements are an ordinary slice.
func Make[T any](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if size == 0 || n < Some/size {
		return make([]T, n)
	}
	whole := (n*size + Huge - 1) / Huge * Huge
	x := make([]T, (whole+Huge)/size)
	first := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x)))%Huge) / size
	x = x[first : first+whole/size]
	advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), whole))
	return x[:n:n]
}

// Some is the least bytes for which Make takes large pages.
const Some = 256 << 10
