//go:build !linux && !darwin

package guard

import "unsafe"

// Pages reports whether a [Memory] has inaccessible pages on this system.
const Pages = false

// mapPages allocates n bytes and room for canaries on both sides. All of it is
// accessible.
func mapPages(n int) (mem, inner []byte, err error) {
	words := make([]uint64, (n+7)/8+2*Margin) // 8-byte aligned
	mem = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	return mem, mem, nil
}

func unmapPages([]byte) error { return nil }
