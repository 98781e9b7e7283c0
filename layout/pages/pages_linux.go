package pages

import (
	"os"
	"syscall"
	"unsafe"
)

// small is a page of the system: madvise wants whole ones.
var small = uintptr(os.Getpagesize())

func advise(b []byte) {
	// The bytes of the pages that lie inside b, whole.
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % small
	whole := (uintptr(len(b)) - skip) / small * small
	_ = syscall.Madvise(b[skip:skip+whole], syscall.MADV_HUGEPAGE) // an old kernel says no
}
