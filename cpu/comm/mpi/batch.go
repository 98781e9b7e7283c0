package mpi

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// A batch is the memory of a call of Some: lists as the library wants them.
type batch struct {
	which    []int // of the caller's requests, those that are in the lists
	handles  []uintptr
	narrow   []int32 // handles, where they are ints
	count    int32
	indices  []int32
	statuses []int32
	faulty   bool // the call returned an error
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// ask is MPI_Testsome or MPI_Waitsome. It returns how many are done now. An error comes
// with them if it is none of theirs.
func (a *batch) ask(l *library, wait bool) (int, error) {
	n := len(a.handles)
	a.indices = slices.Grow(a.indices[:0], n)[:n]
	a.statuses = slices.Grow(a.statuses[:0], n*l.abi.status.words)[:n*l.abi.status.words]
	clear(a.statuses)
	list := unsafe.Pointer(&a.handles[0])
	if l.abi.narrow {
		a.narrow = a.narrow[:0]
		for _, h := range a.handles {
			a.narrow = append(a.narrow, int32(uint32(h)))
		}
		list = unsafe.Pointer(&a.narrow[0])
	}
	f, until := mpiTestsome, (*int32)(nil)
	if wait && l.asks {
		until = &a.count
	} else if wait {
		f = mpiWaitsome
	}
	a.count = 0
	code := l.try(until, f, uintptr(n), uintptr(list), uintptr(unsafe.Pointer(&a.count)), uintptr(unsafe.Pointer(&a.indices[0])), uintptr(unsafe.Pointer(&a.statuses[0])))
	if a.count < 0 || int(a.count) > n {
		return 0, fmt.Errorf("mpi: %s counts %d of %d requests", names[f], a.count, n)
	}
	a.faulty = code != 0
	if code != 0 && !a.explained(l.abi) {
		return int(a.count), l.fault(f, code)
	}
	return int(a.count), nil
}

// explained reports whether an error of the call is that of a request, whose status
// says so.
func (a *batch) explained(abi *abi) bool {
	for i := range int(a.count) {
		if a.statuses[i*abi.status.words+abi.status.fault] != 0 {
			return true
		}
	}
	return false
}

// status returns what the library says of the i-th that is done, and its error. Only if
// the call had one, a status says which.
func (a *batch) status(abi *abi, i int) (*status, int32) {
	s := new(status)
	copy(s.words[:], a.statuses[i*abi.status.words:][:abi.status.words])
	if !a.faulty {
		return s, 0
	}
	return s, s.words[abi.status.fault]
}
