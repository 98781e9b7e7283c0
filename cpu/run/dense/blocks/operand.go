package blocks

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// An Operand is blocks, matrices of one shape, one operand of a sum of products of pairs of blocks, as
// generated code computes it. They are given in one of three ways:
//
//	{Data: x, At: offsets}         block i begins at x[offsets[i]]
//	{Data: x, Stride: s, Count: n} block i begins at x[i*s], and there are n
//	{List: blocks}                 block i is in a slice of its own, blocks[i]
//
// Blocks may overlap each other and be the same. A kernel whose spec leaves M and K open finds here how many rows and columns
// blocks of A have, and how many elements their rows are apart (0: Cols; rows may overlap). Blocks of B have
// as many rows as those of A have columns. If out has more columns than the kernel's panel, B has Cols
// columns in panels, Ld elements from a block of one to that of the next. Other kernels know, and leave all
// three 0.
type Operand[T dtype.Elem] struct {
	Data          []T
	At            []int
	Stride, Count int
	List          [][]T

	Rows, Cols, Ld int
}

// extent is how blocks of a kernel lie: rows of so many elements, ld apart.
type extent struct{ rows, cols, ld int }

// size is how many elements lie from the first to the last.
func (x extent) size() int { return (x.rows-1)*x.ld + x.cols }

// place is where a kernel finds blocks: the fields of its argument block.
type place struct {
	base, at          unsafe.Pointer
	next, step, scale int64
}

// nowhere is the word that strides have for offsets.
var nowhere int

// count is how many blocks there are. It panics with a [layout.ShapeError] if they are given in two ways.
func (b *Operand[T]) count(name, what string) int {
	switch {
	case b.List != nil && (b.Data != nil || b.At != nil || b.Stride|b.Count != 0):
		check.Call(name).Refuse("%s has a List together with Data, At, Stride or Count; want a List, or Data and At, or Data, Stride and Count", what)
	case b.At != nil && b.Stride|b.Count != 0:
		check.Call(name).Refuse("%s has offsets together with a Stride of %d or a Count of %d; leave these out", what, b.Stride, b.Count)
	case b.List != nil:
		return len(b.List)
	case b.At != nil:
		return len(b.At)
	}
	return b.Count
}

// checked returns where n blocks lie. It panics with a [layout.ShapeError] if one does not lie in its
// slice; no sum overflows, whatever the offsets are.
func (b *Operand[T]) checked(name, what string, x extent, n int) place {
	size := x.size()
	bytes := int64(unsafe.Sizeof(*new(T)))
	if b.List != nil {
		for i := range b.List {
			if len(b.List[i]) < size {
				check.Call(name).Refuse("block %d of %s has %d elements; want %d, for %d rows %d apart", i, what, len(b.List[i]), size, x.rows, x.ld)
			}
		}
		return place{at: unsafe.Pointer(unsafe.SliceData(b.List)), next: int64(unsafe.Sizeof(b.List[0])), scale: 1}
	}
	p := place{base: unsafe.Pointer(unsafe.SliceData(b.Data)), at: unsafe.Pointer(&nowhere), step: int64(b.Stride) * bytes, scale: bytes}
	if b.At == nil {
		check.Call(name).Fits(what, len(b.Data), size, b.Stride, n)
		if n < 2 { // a stride that nobody uses may be anything
			p.step = 0
		}
		return p
	}
	last := len(b.Data) - size
	for i, at := range b.At {
		if at < 0 || at > last {
			b.stray(name, what, i, size)
		}
	}
	p.at, p.next = unsafe.Pointer(unsafe.SliceData(b.At)), int64(unsafe.Sizeof(0))
	return p
}

// stray refuses block i, which does not lie in its slice.
func (b *Operand[T]) stray(name, what string, i, size int) {
	if len(b.Data) < size {
		check.Call(name).Refuse("%s has %d elements, too few for a block of %d", what, len(b.Data), size)
	}
	check.Call(name).Refuse("block %d of %s begins at element %d; want 0 to %d, since %s has %d elements and a block %d", i, what, b.At[i], len(b.Data)-size, what, len(b.Data), size)
}

// block is one of n blocks that have been checked.
func (b *Operand[T]) block(i int, x extent) layout.Matrix[T] {
	m := layout.Matrix[T]{Rows: x.rows, Cols: x.cols, RowStride: x.ld, ColStride: 1}
	switch {
	case b.List != nil:
		m.Data = b.List[i][:x.size()]
	case b.At != nil:
		m.Data = b.Data[b.At[i]:][:x.size()]
	default:
		m.Data = b.Data[i*b.Stride:][:x.size()]
	}
	return m
}

// meets reports whether an out shares memory with one of n blocks that have been checked.
func meetsBlocks[S, T dtype.Elem](out *layout.Matrix[S], b *Operand[T], x extent, n int) bool {
	if b.List == nil && !mem.Touch(out.Data, b.Data) {
		return false
	}
	for i := range n {
		if m := b.block(i, x); mem.Touch(out.Data, m.Data) && mem.Overlaps(*out, m) {
			return true
		}
	}
	return false
}

// wordAt is where block i of a kernel's argument block begins.
func wordAt(base, at unsafe.Pointer, next, step, scale int64, i int) unsafe.Pointer {
	word := unsafe.Add(at, i*int(next))
	if base == nil { // the first word of a slice
		return *(*unsafe.Pointer)(word)
	}
	return unsafe.Add(base, i*int(step)+int(scale)**(*int)(word))
}
