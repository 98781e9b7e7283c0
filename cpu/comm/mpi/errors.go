package mpi

import (
	"fmt"
	"strings"
	"unsafe"
)

// Error is what a function of the library returned.
type Error struct {
	Call  string // "MPI_Send"
	Code  int    // what it returned
	Class int    // the kind of error that this is, a number of the library's header
	Text  string // the library's words
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.Text) }

func (l *library) fault(f entry, code int32) *Error {
	text := make([]byte, 8192) // MPI_MAX_ERROR_STRING is 1024 or less
	var n, class int32
	fault := &Error{Call: names[f], Code: int(code), Text: fmt.Sprintf("error %d", code)}
	if l.try(nil, mpiErrorString, uintptr(uint32(code)), uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n))) == 0 && n > 0 {
		// MPICH says on a line for each function where it went wrong.
		fault.Text = strings.ReplaceAll(strings.TrimSpace(string(text[:min(int(n), len(text))])), "\n", "; ")
	}
	if l.try(nil, mpiErrorClass, uintptr(uint32(code)), uintptr(unsafe.Pointer(&class))) == 0 {
		fault.Class = int(class)
	}
	return fault
}
