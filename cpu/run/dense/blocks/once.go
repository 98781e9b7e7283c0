package blocks

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// AtOnce sets args to all of out = a[0]*b[0] + ... if that is right for one call of a kernel of f, and reports whether it
// is. [Begin] does or refuses all else. With it a sum of one pair of blocks would take three times as
// long as the kernel.
func AtOnce[T dtype.Elem, S dtype.Sum](f *Sum, args *kernel.BlocksArgs, out *layout.Matrix[S], a, b *Operand[T]) bool {
	s := blockShape{f.Shape, f.LdA, f.LdC, 1, 0}
	if f.isOpen() {
		s = ask(f, a, b, out.RowStride)
		if !f.sound(s) || !b.panelled(f, s) {
			return false
		}
	} else if a.isSized() || b.isSized() {
		return false
	}
	sizeA, sizeB, sizeC := (s.M-1)*s.lda+s.K, f.sizeB(s), (s.M-1)*s.ldc+s.N
	if out.Rows != s.M || out.Cols != s.N || out.RowStride != s.ldc || out.ColStride != 1 || len(out.Data) < sizeC {
		return false
	}
	n, ok := a.soon(sizeA, &args.A, &args.AtA, &args.NextA, &args.StepA, &args.ScaleA)
	m, well := b.soon(sizeB, &args.B, &args.AtB, &args.NextB, &args.StepB, &args.ScaleB)
	if !ok || !well || n != m || n == 0 || f.Count >= 0 && n != f.Count || int64(n) > f.atOnce(f.Best(), s) {
		return false
	}
	f.open(args, s, int(unsafe.Sizeof(*new(S))))
	args.C, args.Count = unsafe.Pointer(unsafe.SliceData(out.Data)), int64(n)
	bytes := uintptr(sizeC) * unsafe.Sizeof(*new(S))
	return !a.near(args.C, bytes, sizeA) && !b.near(args.C, bytes, sizeB)
}

// soon is count and checked in one, where blocks are given one way and lie in their slices.
func (b *Operand[T]) soon(size int, base, at *unsafe.Pointer, next, step, scale *int64) (n int, ok bool) {
	bytes := int64(unsafe.Sizeof(*new(T)))
	switch {
	case b.List != nil:
		if b.Data != nil || b.At != nil || b.Stride|b.Count != 0 {
			return 0, false
		}
		for i := range b.List {
			if len(b.List[i]) < size {
				return 0, false
			}
		}
		*at, *next, *scale = unsafe.Pointer(unsafe.SliceData(b.List)), int64(unsafe.Sizeof(b.List[0])), 1
		return len(b.List), true
	case len(b.Data) < size:
		return 0, false
	case b.At != nil:
		last := uint(len(b.Data) - size)
		for _, at := range b.At {
			if uint(at) > last {
				return 0, false
			}
		}
		*base, *at, *next, *scale = unsafe.Pointer(unsafe.SliceData(b.Data)), unsafe.Pointer(unsafe.SliceData(b.At)), int64(unsafe.Sizeof(0)), bytes
		return len(b.At), b.Stride|b.Count == 0
	}
	const most = 1<<15 - 1 // so that products fit in an int of any size
	if uint(b.Count) > most || uint(b.Stride) > most && b.Count > 1 || b.Count > 0 && (b.Count-1)*b.Stride > len(b.Data)-size {
		return 0, false
	}
	*base, *at, *step = unsafe.Pointer(unsafe.SliceData(b.Data)), unsafe.Pointer(&nowhere), int64(b.Stride)*bytes
	return b.Count, true
}

// near reports whether one of the blocks, or anything else in their slice, shares memory with n bytes at p.
func (b *Operand[T]) near(p unsafe.Pointer, n uintptr, size int) bool {
	bytes := unsafe.Sizeof(*new(T))
	if b.List != nil {
		return mem.SharesOne(p, n, unsafe.Pointer(unsafe.SliceData(b.List)), len(b.List), uintptr(size)*bytes)
	}
	return mem.Shares(p, n, unsafe.Pointer(unsafe.SliceData(b.Data)), uintptr(len(b.Data))*bytes)
}
