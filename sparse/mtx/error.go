package mtx

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrLimit is in the chain of errors that a larger limit of Options would avoid.
	ErrLimit = errors.New("limit of mtx.Options")

	// ErrComplex is in the chain of the error of a complex file that is read as real.
	ErrComplex = errors.New("complex matrix read as real")
)

// An Error says what is wrong in a file, where, and what would be right. Text of
// the file is quoted in it, so it is safe to print.
type Error struct {
	Name      string // Options.Name, "" for none
	Line, Col int    // in bytes, from 1; Line is 0 for NPY, which has no lines
	Part      string // of an NPZ: the array, as in "data.npy", or "archive"; else ""
	Offset    int64  // of the byte, from 0; NPY and NPZ only
	Reason    string // one sentence
	Err       error  // ErrLimit, ErrComplex or the error of the reader; often nil
}

// Error returns "name:line:col: reason".
func (e *Error) Error() string {
	switch {
	case e.Part != "":
		return e.inPart()
	case e.Line == 0 && e.Name == "":
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason)
	case e.Line == 0:
		return fmt.Sprintf("%s: byte %d: %s", e.Name, e.Offset, e.Reason)
	case e.Name == "":
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Reason)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Reason)
}

// inPart is Error for an array of an NPZ.
func (e *Error) inPart() string {
	s := e.Part + ": " + e.Reason
	if e.Offset > 0 {
		s = fmt.Sprintf("%s: byte %d: %s", e.Part, e.Offset, e.Reason)
	}
	if e.Name != "" {
		s = e.Name + ": " + s
	}
	return s
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// readError makes the reason of a failed read, which err caused.
func readError(err error) string {
	if errors.Is(err, ErrLimit) {
		return err.Error()
	}
	return "the text cannot be read on: " + err.Error()
}

// quote returns a printable form of text of the file, short enough for a sentence.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.QuoteToASCII(string(b[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(b))
}
