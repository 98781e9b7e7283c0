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
// Formats with a parameter ([ELL], [DELL], [SELL], [BSR], [DBSR] and [SRBCRS]) store at
// most 1<<20 values, or 1024 for each row and entry if that is more. A parameter comes
// from a user or a file, and must not turn a few entries into gigabytes of padding. More
// is refused with [ErrSize].
const MaxSlots = min(math.MaxInt32, math.MaxInt/16)

// The slots of a format with a parameter: what is free, and what a row or an entry
// allows. An entry makes 1024 in the largest blocks that are of use, 32 x 32.
const (
	freeSlots    = 1 << 20
	slotsPerUnit = 1024
)

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

// fail spells the common case: what is formatted, right is not.
func fail(kind error, where, right, what string, args ...any) error {
	return &Error{kind, where, fmt.Sprintf(what, args...), right}
}

func checkSize(where string, rows, cols int) error {
	if rows < 0 || cols < 0 || rows > MaxDim || cols > MaxDim {
		return fail(ErrSize, where, fmt.Sprintf("sizes are from 0 to %d", MaxDim), "size %d x %d", rows, cols)
	}
	return nil
}

// slots returns the product of the factors, none negative, or an error if it is more
// than MaxSlots.
func slots(where string, factors ...int) (int, error) {
	p := int64(1)
	for _, f := range factors {
		if f == 0 {
			return 0, nil
		}
	}
	for _, f := range factors {
		if p > MaxSlots/int64(f) { // the clone keeps factors on the stack
			return 0, fail(ErrSize, where, fmt.Sprintf("at most %d fit; use csr", MaxSlots), "%v make too many slots", product(clone(factors)))
		}
		p *= int64(f)
	}
	return int(p), nil
}

// most returns how many slots a format with a parameter may have for s.
func (s Structure) most() int64 {
	return min(max(freeSlots, slotsPerUnit*(int64(s.m)+int64(s.nnz))), MaxSlots)
}

// slots is the function slots for a format with a parameter.
func (s Structure) slots(where string, factors ...int) (int, error) {
	p, err := slots(where, factors...)
	if err == nil && int64(p) > s.most() {
		return 0, fail(ErrSize, where, fmt.Sprintf("at most %d, or %d for each row and entry; use csr", freeSlots, slotsPerUnit),
			"%v slots for %d rows and %d entries", product(clone(factors)), s.m, s.nnz)
	}
	return p, err
}

// product prints factors as "3 x 4 x 4".
type product []int

func (p product) String() string {
	s := ""
	for i, f := range p {
		if i > 0 {
			s += " x "
		}
		s += fmt.Sprint(f)
	}
	return s
}
