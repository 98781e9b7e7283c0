// Package guard has memory for operands of kernels under test, with an inaccessible page on either side and canaries
// in the gaps: start with [New].
package guard

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Memory is memory for one operand, with an inaccessible page on either side:
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
// A Memory holds one slice at a time: Left, Right and At end the life of the last.
type Memory[T dtype.Elem] struct {
	mem    []byte // the whole mapping, guard pages included
	all    []T    // what may be touched
	lo, hi int    // all[lo:hi] may be handed out; the rest is room for canaries

	off, n   int // the slice handed out
	from, to int // where canaries were painted
}

// Margin is how many canaries stand on either side of a slice: four of the
// longest vectors.
const Margin = 64

// New returns a Memory that can hold slices of at least n elements.
func New[T dtype.Elem](n int) (*Memory[T], error) {
	var z T
	size := int(unsafe.Sizeof(z))
	mem, inner, err := mapPages(n * size)
	if err != nil {
		return nil, fmt.Errorf("guard: pages for %d elements: %w", n, err)
	}
	g := &Memory[T]{mem: mem, all: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(inner))), len(inner)/size)}
	g.hi = len(g.all)
	if !Pages {
		g.lo, g.hi = Margin, g.hi-Margin
	}
	return g, nil
}

// Cap is the number of elements that the Memory can hold.
func (g *Memory[T]) Cap() int { return g.hi - g.lo }

// Left returns n elements that begin at the inaccessible page.
func (g *Memory[T]) Left(n int) []T { return g.At(0, n) }

// Right returns n elements that end at the inaccessible page.
func (g *Memory[T]) Right(n int) []T { return g.At(g.Cap()-n, n) }

// At returns n elements that begin off elements after the start. They hold
// canaries, which are signalling NaNs where the type has some.
func (g *Memory[T]) At(off, n int) []T {
	g.off, g.n = g.lo+off, n
	g.from, g.to = max(0, g.off-Margin), min(len(g.all), g.off+n+Margin)
	Paint(g.all[g.from:g.to])
	return g.all[g.off : g.off+n : g.off+n]
}

// Check returns an error if a canary next to the slice was overwritten.
func (g *Memory[T]) Check() error {
	if i := Unpainted(g.all[g.from:g.off]); i >= 0 {
		return fmt.Errorf("wrote %v to %d elements before the start", g.all[g.from+i], g.off-g.from-i)
	}
	if i := Unpainted(g.all[g.off+g.n : g.to]); i >= 0 {
		return fmt.Errorf("wrote %v to %d elements past the end", g.all[g.off+g.n+i], i+1)
	}
	return nil
}

// Where says how far addr is outside the slice, or returns "" if it is not in
// the Memory's pages.
func (g *Memory[T]) Where(addr uintptr) string {
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
func (g *Memory[T]) Close() error {
	mem := g.mem
	*g = Memory[T]{}
	return unmapPages(mem)
}
