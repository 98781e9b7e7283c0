package mpi

import "unsafe"

// A kind is a type of MPI, and how many of it a message has.
type kind struct {
	count  int64
	handle uintptr
	made   [2]uintptr // types to give back
}

// block is the length of the type that long messages are made of.
const block = 1 << 30

// typeOf describes n bytes in a count that the library takes. It is a count of bytes,
// or, if there are too many for an int of C, one type for all of the message. Each side
// does it for itself. To MPI a message is a sequence of bytes either way, and it may be
// shorter than what its receiver has room for (MPI 3.1, section 3.3.1).
func (l *library) typeOf(n int) (kind, error) {
	k := kind{count: int64(n), handle: l.abi.bytes}
	if int64(n) <= l.limit {
		return k, nil
	}
	unit := min(block, l.limit)
	if err := l.do(mpiTypeContiguous, uintptr(unit), l.abi.bytes, uintptr(unsafe.Pointer(&k.made[0]))); err != nil {
		return k, err
	}
	counts := [2]int32{int32(int64(n) / unit), int32(int64(n) % unit)}
	begins := [2]int64{0, int64(counts[0]) * unit}
	types := l.list(k.made[0], l.abi.bytes)
	if err := l.do(mpiTypeCreateStruct, 2, uintptr(unsafe.Pointer(&counts)), uintptr(unsafe.Pointer(&begins)), uintptr(types), uintptr(unsafe.Pointer(&k.made[1]))); err != nil {
		k.free(l)
		return k, err
	}
	if err := l.do(mpiTypeCommit, uintptr(unsafe.Pointer(&k.made[1]))); err != nil {
		k.free(l)
		return k, err
	}
	k.count, k.handle = 1, k.made[1]
	return k, nil
}

// free gives the types back; the library keeps them as long as a message needs them.
func (k *kind) free(l *library) {
	for i := range k.made {
		if k.made[i] != 0 {
			l.do(mpiTypeFree, uintptr(unsafe.Pointer(&k.made[i])))
			k.made[i] = 0
		}
	}
}

// list is a list of two handles.
func (l *library) list(a, b uintptr) unsafe.Pointer {
	if l.abi.narrow {
		return unsafe.Pointer(&[2]uint32{uint32(a), uint32(b)})
	}
	return unsafe.Pointer(&[2]uintptr{a, b})
}
