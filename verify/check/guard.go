package check

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Guard is memory for one operand, with an inaccessible page on either side:
//
//	inaccessible |          accessible           | inaccessible
//	    page     |Left(n)        At         Right(n)|     page
//
// A read or write beyond the end of Right or before the start of Left is a fault. It
// stops the program, or panics in its goroutine under [runtime/debug.SetPanicOnFault].
// Free memory near the slice is filled with canaries, which Check examines. If [Pages]
// is false there are only canaries. They find a stray write, and a stray read only if
// it reaches the result.
//
// A Guard holds one slice at a time: Left, Right and At end the life of the last.
type Guard[T dtype.Elem] struct {
	mem    []byte // the whole mapping, guard pages included
	all    []T    // what may be touched
	lo, hi int    // all[lo:hi] may be handed out; the rest is room for canaries

	off, n   int // the slice handed out
	from, to int // where canaries were painted
}

// margin is how many canaries stand on either side of a slice: four of the
// longest vectors.
const margin = 64

// NewGuard returns a Guard that can hold slices of at least n elements.
func NewGuard[T dtype.Elem](n int) (*Guard[T], error) {
	var z T
	size := int(unsafe.Sizeof(z))
	mem, inner, err := mapPages(n * size)
	if err != nil {
		return nil, fmt.Errorf("check: guard pages for %d elements: %w", n, err)
	}
	g := &Guard[T]{mem: mem, all: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(inner))), len(inner)/size)}
	g.hi = len(g.all)
	if !Pages {
		g.lo, g.hi = margin, g.hi-margin
	}
	return g, nil
}

// Cap is the number of elements that the Guard can hold.
func (g *Guard[T]) Cap() int { return g.hi - g.lo }

// Left returns n elements that begin at the inaccessible page.
func (g *Guard[T]) Left(n int) []T { return g.At(0, n) }

// Right returns n elements that end at the inaccessible page.
func (g *Guard[T]) Right(n int) []T { return g.At(g.Cap()-n, n) }

// At returns n elements that begin off elements after the start. They hold
// canaries, which are signalling NaNs where the type has some.
func (g *Guard[T]) At(off, n int) []T {
	g.off, g.n = g.lo+off, n
	g.from, g.to = max(0, g.off-margin), min(len(g.all), g.off+n+margin)
	paint(g.all[g.from:g.to])
	return g.all[g.off : g.off+n : g.off+n]
}

// Check returns an error if a canary next to the slice was overwritten.
func (g *Guard[T]) Check() error {
	if i := unpainted(g.all[g.from:g.off]); i >= 0 {
		return fmt.Errorf("wrote %v to %d elements before the start", g.all[g.from+i], g.off-g.from-i)
	}
	if i := unpainted(g.all[g.off+g.n : g.to]); i >= 0 {
		return fmt.Errorf("wrote %v to %d elements past the end", g.all[g.off+g.n+i], i+1)
	}
	return nil
}

// where says how far addr is outside the slice, or returns "" if it is not in
// the Guard's pages.
func (g *Guard[T]) where(addr uintptr) string {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(g.mem)))
	if len(g.all) == 0 || addr < base || addr >= base+uintptr(len(g.mem)) {
		return ""
	}
	size := int(unsafe.Sizeof(g.all[0]))
	start := uintptr(unsafe.Pointer(&g.all[0])) + uintptr(g.off*size)
	if addr < start {
		return fmt.Sprintf("%d bytes before the start", start-addr)
	}
	return fmt.Sprintf("%d bytes past the end", addr-start-uintptr(g.n*size))
}

// Close returns the memory to the system. The slices must not be used any more.
func (g *Guard[T]) Close() error {
	mem := g.mem
	*g = Guard[T]{}
	return unmapPages(mem)
}

// A position is where in a Guard an operand lies.
type position uint8

const (
	middle position = iota // surrounded by canaries, at some odd alignment
	left
	right
)

func (p position) String() string { return [...]string{"middle", "left", "right"}[p] }

// put writes the dense row-major vals into g as a matrix with layout l. Between its
// elements there are canaries.
func (g *Guard[T]) put(vals []T, rows, cols int, l arrangement, at position, shift int) (layout.Matrix[T], error) {
	rs, cs := l.Strides(rows, cols)
	n := extent(rows, cols, rs, cs)
	if need := n + 4*margin; g.Cap() < need {
		if g.mem != nil {
			if err := g.Close(); err != nil {
				return layout.Matrix[T]{}, err
			}
		}
		bigger, err := NewGuard[T](2 * need)
		if err != nil {
			return layout.Matrix[T]{}, err
		}
		*g = *bigger
	}
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	switch at {
	case left:
		m.Data = g.Left(n)
	case right:
		m.Data = g.Right(n)
	default:
		m.Data = g.At(margin+shift%margin, n)
	}
	for i := range rows {
		row := vals[i*cols:][:cols]
		for j, v := range row {
			m.Data[i*rs+j*cs] = v
		}
	}
	return m, nil
}

// take copies the elements of m, which put made, into dst and returns an error if
// anything between or around them has changed.
func (g *Guard[T]) take(dst []T, m layout.Matrix[T]) error {
	for i := range m.Rows {
		row := dst[i*m.Cols:][:m.Cols]
		for j := range row {
			row[j] = m.Data[i*m.RowStride+j*m.ColStride]
		}
	}
	canary := canaryOf[T]()
	for i := range m.Rows { // not in the loop above: a stride of 0 shares elements
		for j := range m.Cols {
			m.Data[i*m.RowStride+j*m.ColStride] = canary[0]
		}
	}
	if err := g.Check(); err != nil {
		return err
	}
	if i := unpainted(m.Data); i >= 0 {
		return fmt.Errorf("wrote %v between the elements, at Data[%d]", m.Data[i], i)
	}
	return nil
}
