package simd

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
)

// rowsAhead is the log2 of how many rows of B ahead of their use lines are prefetched.
// Rows of a large B lie in different pages, which no hardware prefetcher crosses.
const rowsAhead = 4

// packRows copies k rows of nv vectors; the last vector has n valid columns, the
// rest of it becomes zeros.
func (l *lowering) packRows(b *emit.Builder, from emit.Elem, nv int) {
	v, in := l.vector(), vector.Panel{Vec: emit.Vector(from, l.vl), N: nv, Last: l.first(b, b.Param("n", emit.Int64))}
	src, dst := b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)
	ldb := b.Param("ldb", emit.Int64)
	far, ldc := b.Shl(ldb, b.Int(rowsAhead)), b.Param("ldc", emit.Int64)
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{src, dst}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		row := make([]*emit.Value, nv)
		for j := range row {
			at := in.At(p[0], j)
			row[j] = l.widen(b, from, at, in.Mask(j))
			if at.Off%vector.LineBytes == 0 {
				b.Prefetch(0, emit.Addr{Ptr: p[0], Index: far, Scale: 1, Off: at.Off})
			}
		}
		for j := range row {
			b.Store(row[j], emit.At(p[1], int64(j*v.Bytes())))
		}
		return []*emit.Value{b.AddP(p[0], ldb), b.AddP(p[1], ldc)}
	})
}

// packCols transposes square blocks in registers, as wide as a vector. Rows of the source are columns
// of B. For a column beyond n, column n-1 is read again, whose address is valid; the micro-kernel's
// mask keeps it out of C.
//
// load loads a vector of elements of size bytes, those in mask if it is not nil, as ones of
// the packed type.
func (l *lowering) packCols(b *emit.Builder, size int, load func(a emit.Addr, mask *emit.Value) *emit.Value) {
	src, dst := b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)
	k := b.Param("k", emit.Int64)
	cols := l.cols()
	shift := b.Int(int64(log2(cols)))
	after := b.For(b.Int(0), b.Shr(k, shift), 1, []*emit.Value{src, dst}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		out := l.transpose(b, l.columns(b, load, p[0], nil))
		rc, ldc := p[1], b.Param("ldc", emit.Int64)
		for _, x := range out {
			b.Store(x, emit.At(rc, 0))
			rc = b.AddP(rc, ldc)
		}
		return []*emit.Value{b.AddP(p[0], b.Int(int64(cols*size))), rc}
	})
	// The last rows, fewer than a block has.
	rest := b.And(k, b.Int(int64(cols-1)))
	b.If(b.Cmp("gt", rest, b.Int(0)), func() []*emit.Value {
		out := l.transpose(b, l.columns(b, load, after[0], l.first(b, rest)))
		rc, ldc := after[1], b.Param("ldc", emit.Int64)
		for i, x := range out[:cols-1] {
			b.If(b.Cmp("gt", rest, b.Int(int64(i))), func() []*emit.Value {
				b.Store(x, emit.At(rc, 0))
				return nil
			}, nil)
			if i < cols-2 {
				rc = b.AddP(rc, ldc)
			}
		}
		return nil
	}, nil)
}

// widen loads a vector of elements of type from, those in mask if it is not nil,
// and converts it to the type of packed operands.
func (l *lowering) widen(b *emit.Builder, from emit.Elem, a emit.Addr, mask *emit.Value) *emit.Value {
	x := vector.Load(b, emit.Vector(from, l.vl), mask, a)
	if from != l.elem {
		x = b.Op("cvt", emit.Attr{Name: "rne"}, []emit.Type{l.vector()}, x)[0]
	}
	return x
}

// columns loads one vector along k from each of as many columns as it has elements, and
// prefetches as many further down. So many streams are more than hardware prefetchers follow, and most end
// after some twenty lines.
func (l *lowering) columns(b *emit.Builder, load func(a emit.Addr, mask *emit.Value) *emit.Value, p, mask *emit.Value) []*emit.Value {
	n, ldb, zero := b.Param("n", emit.Int64), b.Param("ldb", emit.Int64), b.Int(0)
	far := b.Shl(ldb, b.Int(int64(log2(l.cols()))))
	in := make([]*emit.Value, l.cols())
	for j := range in {
		in[j] = load(emit.At(p, 0), mask)
		if mask == nil {
			b.Prefetch(1, emit.Addr{Ptr: p, Index: far, Scale: 1})
		}
		if j < l.cols()-1 {
			p = b.AddP(p, b.Select(b.Cmp("gt", n, b.Int(int64(j+1))), ldb, zero))
		}
	}
	return in
}

// transpose returns the transposed of the square block whose rows are in.
func (l *lowering) transpose(b *emit.Builder, in []*emit.Value) []*emit.Value {
	return l.lanes().transpose(b, in, l.parts)
}

// log2 is the logarithm of n, rounded up.
func log2(n int) int { return bits.Len(uint(n - 1)) }
