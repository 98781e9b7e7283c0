package run

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// A small product takes less time than it takes to plan it. What every call checks
// and decides is here done once more, for shapes and strides so small that nothing
// can overflow, nothing needs a second thread, and one k-block is all. Whatever is
// unusual takes the ordinary way, which also says what is wrong. The sums are added
// in the same order there.
const (
	smallSide   = 512     // rows and columns, at most
	smallStride = 1 << 30 // elements
)

// small computes alpha*a*b + beta*out if it is small and all is well, and reports
// whether it did.
func (s *Set[T]) small(opt *Options, out, a, b *layout.Matrix[T]) bool {
	m, n, k := out.Rows, out.Cols, a.Cols
	if uint(m-1) >= smallSide || uint(n-1) >= smallSide || uint(k-1) >= smallSide || m*n*k >= threadedWork ||
		a.Rows != m || b.Rows != k || b.Cols != n || opt.B != nil || s.Shape != (Shape{}) ||
		out.ColStride != 1 || out.RowStride < n || b.ColStride != 1 && b.RowStride != 1 {
		return false
	}
	var z T
	size := int(unsafe.Sizeof(z))
	if m*k*size > smallOperand || k*n*size > smallOperand || !within(out) || !within(a) || !within(b) ||
		touch(out.Data, a.Data) || touch(out.Data, b.Data) {
		return false
	}
	kern := s.pick(opt.ISA)
	if kern == nil {
		return false
	}
	var block Args
	args := hide(&block)
	if opt.Scaled {
		alpha, beta := T(opt.Alpha), T(opt.Beta)
		if alpha == 0 {
			return false
		}
		args.Alpha, args.Beta = bitsOf(alpha), bitsOf(beta)
		switch {
		case beta != 0:
			args.Mode = tiling.ModeUpdate
		case alpha != 1:
			args.Mode = tiling.ModeScale
		}
	}
	args.RsA, args.CsA, args.LdC, args.K = int64(a.RowStride*size), int64(a.ColStride*size), int64(out.RowStride*size), int64(k)
	args.A, args.B, args.C = unsafe.Pointer(unsafe.SliceData(a.Data)), unsafe.Pointer(unsafe.SliceData(b.Data)), unsafe.Pointer(unsafe.SliceData(out.Data))
	if b.ColStride == 1 {
		args.LdB = int64(b.RowStride * size)
		multiplySmall(args, kern, size, m, n)
		return true
	}
	w := workers.get()
	w.pack.B, w.pack.LdB = args.B, int64(b.ColStride*size)
	args.B, args.LdB = packSmall(w, kern, size, n, k)
	multiplySmall(args, kern, size, m, n)
	workers.put(w)
	return true
}

// hide returns p where the compiler cannot follow it. Kernels are called through a
// table, so that their argument blocks would move to the heap; but none keeps its
// block, and one on the stack costs a small product less than getting a worker does.
// Where the stack moves, what is returned moves along: it is a pointer like any other.
// But x is not, so nothing may move the stack while only x holds the address: a check of
// the conversion, which -race brings, is a call that may.
//
//go:nocheckptr
func hide(p *Args) *Args {
	x := uintptr(unsafe.Pointer(p))
	return *(**Args)(unsafe.Pointer(&x))
}

// multiplySmall runs the micro-kernels for an m x n product whose operands, depth and
// scalars are in args; the rows of b and out are contiguous.
func multiplySmall(args *Args, kern *Kernels, size, m, n int) {
	vl, a, b, c := kern.VL, args.A, args.B, args.C
	rows, panels := splitFew(m, kern.MR), splitFew((n+vl-1)/vl, kern.NV)
	for p, col := 0, 0; p < panels.count; p++ {
		nv := panels.size
		if p >= panels.tall {
			nv--
		}
		cols := min(nv*vl, n-col)
		table := kern.Full
		if args.N = int64(cols - (nv-1)*vl); int(args.N) < vl {
			table = kern.Tail
		}
		args.A, args.B, args.C = a, unsafe.Add(b, col*size), unsafe.Add(c, col*size)
		args.Tiles = int64(rows.tall)
		table[rows.size-1][nv-1](args)
		if rest := rows.count - rows.tall; rest > 0 {
			first := rows.tall * rows.size
			args.A, args.C = unsafe.Add(a, first*int(args.RsA)), unsafe.Add(args.C, first*int(args.LdC))
			args.Tiles = int64(rest)
			table[rows.size-2][nv-1](args)
		}
		col += nv * vl
	}
}

// packSmall transposes the k x n matrix at w.pack into the worker's memory, and returns
// where it lies and how far apart its rows are.
func packSmall(w *worker, kern *Kernels, size, n, k int) (unsafe.Pointer, int64) {
	vl, pack := kern.VL, &w.pack
	ld := (n + vl - 1) / vl * vl * size
	w.abuf.grow(k * ld)
	b := pack.B
	pack.K, pack.LdC = int64(k), int64(ld)
	for c := 0; c < n; c += vl {
		pack.B, pack.C, pack.N = unsafe.Add(b, c*int(pack.LdB)), unsafe.Add(w.abuf.p, c*size), int64(min(vl, n-c))
		kern.PackCols(pack)
	}
	pack.B, pack.C = nil, nil
	return w.abuf.p, int64(ld)
}

// splitFew is splitUp with a short way for what needs no cut.
func splitFew(n, most int) split {
	if n <= most {
		return split{1, n, 1}
	}
	return splitUp(n, most)
}

// within reports whether a matrix of at most smallSide rows and columns lies inside
// its slice.
func within[T dtype.Float](x *layout.Matrix[T]) bool {
	return uint(x.RowStride) < smallStride && uint(x.ColStride) < smallStride &&
		int64(x.Rows-1)*int64(x.RowStride)+int64(x.Cols-1)*int64(x.ColStride) < int64(len(x.Data))
}
