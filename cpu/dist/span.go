package dist

import "fmt"

// A Span is the indices from Lo up to Hi, which is not among them.
type Span struct{ Lo, Hi int }

// Upto returns the indices from 0 up to n.
func Upto(n int) Span { return Span{0, n} }

// Len returns how many indices there are.
func (s Span) Len() int { return s.Hi - s.Lo }

// Part returns part i of s cut into n. It begins ceil(i*Len/n) after Lo. So lengths differ by
// one at most, and a cut into n*k cuts the parts of a cut into n. mesh.Dim cuts in the same
// way. If there are more parts than indices, some are empty.
func (s Span) Part(i, n int) Span {
	return Span{s.Lo + spanCut(s.Len(), n, i), s.Lo + spanCut(s.Len(), n, i+1)}
}

// spanCut returns ceil(i*size/n), whose product may be too large for an int.
func spanCut(size, n, i int) int {
	q, r := size/n, size%n
	return i*q + int((uint64(i)*uint64(r)+uint64(n)-1)/uint64(n))
}

// Meet returns what s and x have in common.
func (s Span) Meet(x Span) Span {
	lo := max(s.Lo, x.Lo)
	return Span{lo, max(lo, min(s.Hi, x.Hi))}
}

// A Rect is a part of a matrix, such as a rank has. It has so many rows and columns
// from the global row and column at which they begin.
type Rect struct{ Rows, Cols Span }

// Elems returns the number of its elements.
func (b Rect) Elems() int64 { return int64(b.Rows.Len()) * int64(b.Cols.Len()) }

// Meet returns what b and x have in common.
func (b Rect) Meet(x Rect) Rect { return Rect{b.Rows.Meet(x.Rows), b.Cols.Meet(x.Cols)} }

// String returns "rows 0:4, columns 2:5".
func (b Rect) String() string {
	return fmt.Sprintf("rows %d:%d, columns %d:%d", b.Rows.Lo, b.Rows.Hi, b.Cols.Lo, b.Cols.Hi)
}
