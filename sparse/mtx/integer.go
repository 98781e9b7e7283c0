package mtx

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// VisitInteger reads the entries of an integer, unsigned or pattern matrix as Read does.
// Values are as they are, also those that float64 does not hold. A value that int64 does
// not hold is an error.
func (r *Reader) VisitInteger(visit func(i, j int, v int64) error) error {
	if reason := r.header.Field.noInteger(); reason != "" {
		return &Error{Name: r.o.Name, Line: 1, Col: 1, Reason: reason}
	}
	r.int64s = true
	return r.VisitWhole(func(i, j int, negative bool, size uint64) error {
		if negative {
			return visit(i, j, -int64(size))
		}
		return visit(i, j, int64(size))
	})
}

// noInteger returns "" or why values of the field are not read as integers.
func (f Field) noInteger() string {
	if f.whole() || f == Pattern {
		return ""
	}
	return fmt.Sprintf("the matrix is %v and was to be read as integers; want Visit or VisitComplex", f)
}

// integer reads the whole number in line from at to the next blank, as the nearest float64.
// One that is not that very number is an error, but for who asked otherwise.
func (r *Reader) integer(line []byte, at int) (v float64, end int, reason string) {
	neg, m, end, reason := scanInteger(line, at)
	switch {
	case reason != "":
		return 0, end, reason
	case neg && m > 0 && r.header.Field == Unsigned:
		return 0, end, quote(line[at:end]) + " is negative in an unsigned-integer matrix; want integer in line 1"
	case r.int64s && (m > 1<<63 || m == 1<<63 && (!neg || r.header.Symmetry == Skew)):
		return 0, end, quote(line[at:end]) + " is an integer that int64 cannot hold; want Read, or the word real in line 1"
	case !r.exact && !r.o.Lenient && m > 1<<53 && bits.Len64(m)-bits.TrailingZeros64(m) > 53:
		return 0, end, quote(line[at:end]) + " is an integer that float64 cannot hold; VisitWhole reads it, the word real in line 1 or Options.Lenient lets it be rounded"
	}
	r.negative, r.size = neg, m
	if v = float64(m); neg {
		v = -v
	}
	return v, end, ""
}

// scanInteger reads the sign and the digits in b from at to the next blank.
func scanInteger(b []byte, at int) (neg bool, m uint64, end int, reason string) {
	i := at
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	m, end, ok := scanUint(b, i)
	tok := token(b, at)
	switch {
	case !ok:
		return false, 0, at + len(tok), quote(tok) + " is not an integer; want digits, or the word real in line 1"
	case m == math.MaxUint64: // or more, or a little less
		var err error
		if m, err = strconv.ParseUint(string(b[i:end]), 10, 64); err != nil {
			return false, 0, end, quote(tok) + " is an integer beyond 2^64; want the word real in line 1"
		}
	}
	return b[at] == '-', m, end, ""
}
