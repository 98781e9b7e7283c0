package sparse

import (
	"errors"
	"fmt"
	"math"
)

// MaxDim is the largest number of rows or columns: 134 million, whose row pointers
// take half a gigabyte.
const MaxDim = 1 << 27

// MaxSlots is the largest number of values a matrix stores, padding included:
// positions are int32. On 32-bit systems it is what a slice can hold.
//
// Formats with a parameter ([format.ELL], [format.DELL], [format.SELL], [format.BSR], [format.DBSR] and [format.SRBCRS]) store at
// most 1<<20 values, or 1024 for each row and entry if that is more. A parameter comes
// from a user or a file, and must not turn a few entries into gigabytes of padding. More
// is refused with [ErrSize].
const MaxSlots = min(math.MaxInt32, math.MaxInt/16)

// The kinds of errors, for errors.Is. Every error of this package is an [*Error] that
// wraps one of them.
var (
	ErrSize     = errors.New("size out of range")           // rows, columns or slots: negative, beyond MaxDim or MaxSlots, or out of proportion
	ErrLength   = errors.New("lengths do not fit together") // of two slices, or of a slice and a size
	ErrPointers = errors.New("bad pointers")                // not from 0, or backward, or beyond the end
	ErrIndex    = errors.New("index out of range")          // of a row or a column
	ErrShape    = errors.New("shapes differ")               // of two operands, or a dense matrix that fails its Check
	ErrFormat   = errors.New("format does not take this matrix")
	ErrValue    = errors.New("the type cannot hold the value")
	ErrNil      = errors.New("argument is nil") // a reader, a writer, a graph or a matrix from elsewhere
)

// Error says where something is wrong, what it is, and what would be right.
type Error struct {
	Kind  error  // one of the Err values of this package
	Where string // the function, format or operand
	What  string // what is wrong, with the numbers
	Right string // what would be right; may be empty
}

func (e *Error) Error() string {
	s := e.Where + ": " + e.What
	if e.Right != "" {
		s += "; " + e.Right
	}
	return s
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Errorf returns an [*Error], of which what is formatted and right is not.
func Errorf(kind error, where, right, what string, args ...any) error {
	return &Error{kind, where, fmt.Sprintf(what, args...), right}
}

// CheckSize refuses a number of rows or columns that is negative or beyond [MaxDim].
func CheckSize(where string, rows, cols int) error {
	if rows < 0 || cols < 0 || rows > MaxDim || cols > MaxDim {
		return Errorf(ErrSize, where, fmt.Sprintf("sizes are from 0 to %d", MaxDim), "size %d x %d", rows, cols)
	}
	return nil
}
