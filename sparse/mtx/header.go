package mtx

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Format says how entries are stored.
type Format uint8

// Coordinate lists entries with their coordinates; Array lists all values, column by column.
const (
	Coordinate Format = iota
	Array
)

// A Field says what an entry is.
type Field uint8

// The entries of a Pattern have no values and are visited with 1. Unsigned is not in the
// standard, but SciPy writes it. SciPy reads no Integer beyond int64.
const (
	Real Field = iota
	Integer
	Complex
	Pattern
	Unsigned
)

// whole reports whether values are integers.
func (f Field) whole() bool { return f == Integer || f == Unsigned }

// A Symmetry says which entries are stored, and what stands at the mirrored coordinates.
type Symmetry uint8

// All but General store one triangle:
//
//	Symmetric  a(j,i) = a(i,j)
//	Skew       a(j,i) = -a(i,j), without the diagonal, or with zeros on it
//	Hermitian  a(j,i) = conj(a(i,j)), with a real diagonal
const (
	General Symmetry = iota
	Symmetric
	Skew
	Hermitian
)

var (
	formats    = []string{"coordinate", "array"}
	fields     = []string{"real", "integer", "complex", "pattern", "unsigned-integer"}
	symmetries = []string{"general", "symmetric", "skew-symmetric", "hermitian"}
)

func name(names []string, k uint8) string {
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("unknown(%d)", k)
}

// String returns the word of line 1.
func (f Format) String() string { return name(formats, uint8(f)) }

// String returns the word of line 1.
func (f Field) String() string { return name(fields, uint8(f)) }

// String returns the word of line 1.
func (s Symmetry) String() string { return name(symmetries, uint8(s)) }

// A Header is what a Matrix Market file says before its entries. The zero value, with
// Rows, Cols and Entries, is that of a general real matrix in coordinates.
type Header struct {
	Format     Format
	Field      Field
	Symmetry   Symmetry
	Type       string // of a line "%%GraphBLAS type float": the type the values had in memory; "" for none
	Rows, Cols int
	Entries    int      // entries stored in the file, before expansion
	Comments   []string // lines of comment before the size line, without their first '%'
}

// Banner returns line 1 of a file with this header.
func (h Header) Banner() string {
	return fmt.Sprintf("%%%%MatrixMarket matrix %v %v %v", h.Format, h.Field, h.Symmetry)
}

// checkKind returns "" or why Matrix Market has no such combination of words. lenient
// combinations are those that SciPy writes: a skew-symmetric pattern, and hermitian without
// complex.
func (h Header) checkKind(lenient bool) string {
	switch {
	case int(h.Format) >= len(formats) || int(h.Field) >= len(fields) || int(h.Symmetry) >= len(symmetries):
		return fmt.Sprintf("there is no %v %v %v matrix", h.Format, h.Field, h.Symmetry)
	case h.Format == Array && h.Field == Pattern:
		return "a pattern has no values to put into an array; want coordinate pattern, or array with another field"
	case h.Field == Pattern && h.Symmetry != General && h.Symmetry != Symmetric && !lenient:
		return fmt.Sprintf("a pattern has no values that could be %v; want general or symmetric, or Options.Lenient", h.Symmetry)
	case h.Field == Unsigned && h.Symmetry == Skew:
		return "a skew-symmetric matrix has values of both signs; want integer"
	case h.Symmetry == Hermitian && h.Field != Complex && !lenient:
		return fmt.Sprintf("a hermitian matrix is complex, this one is %v; want symmetric, or complex, or Options.Lenient", h.Field)
	}
	return ""
}

// checkSize returns "" or why a matrix of this kind has no such size.
func (h Header) checkSize() string {
	if h.Symmetry != General && h.Rows != h.Cols {
		return fmt.Sprintf("a %v matrix is square, this one has %d rows and %d columns", h.Symmetry, h.Rows, h.Cols)
	}
	return ""
}

// arrayEntries returns how many values an array of this kind and size stores, the
// largest uint64 where they are more.
func (h Header) arrayEntries() uint64 {
	rows, cols := uint64(h.Rows), uint64(h.Cols)
	switch h.Symmetry {
	case Symmetric, Hermitian:
		rows++
	case Skew:
		rows = max(rows, 1) - 1
	}
	hi, n := bits.Mul64(rows, cols)
	if hi != 0 {
		return 1<<64 - 1
	}
	if h.Symmetry != General {
		n /= 2
	}
	return n
}

// checkEntry returns "" or why an entry of this kind cannot be stored at (i, j).
func (h Header) checkEntry(i, j int, re, imag float64) string {
	switch {
	case i != j:
		return ""
	case h.Symmetry == Skew && (re != 0 || imag != 0):
		return "the diagonal of a skew-symmetric matrix is zero; leave the entry out, or want general in line 1"
	case h.Symmetry == Hermitian && imag != 0:
		return "the diagonal of a hermitian matrix is real; want an imaginary part of 0"
	}
	return ""
}

// word finds one of names, in any case.
func word(names []string, b []byte) (uint8, string) {
	for k, n := range names {
		if strings.EqualFold(n, string(b)) {
			return uint8(k), ""
		}
	}
	return 0, quote(b) + " is none of " + strings.Join(names, ", ")
}
