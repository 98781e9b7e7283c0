package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
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

// Small is a small product that has been checked, on its way through its kernels.
// Generated code keeps it on the stack and calls the kernels by their names, in a
// switch over [Small.Next]: called through a table they would move it to the heap.
// Where no such switch is at hand, it lives in a worker.
type Small struct {
	Args run.Args // of the kernel that Next named

	kern         *run.Kernels
	w            *worker // whose memory holds the transposed b; nil if b is read in place
	a, b, c      unsafe.Pointer
	size, n      int
	rows, panels mem.Split
	panel, col   int  // the next one, and where it begins
	lower        bool // the tiles that are one row lower come next
	half         bool // after the panels come columns for half a vector
	number       int  // of the kernel that was named last
	step         int  // to the number of the one that is a row lower
}

// Small prepares c for alpha*a*b + beta*out if that is small and all is well, and
// reports whether it did. If so, the caller calls the kernel that c.Next names while
// c.More says so, and then c.Done.
func (s *Set[T]) Small(c *Small, opt *run.Options, out, a, b *layout.Matrix[T]) bool {
	return s.small(c, nil, opt, out, a, b)
}

// small is Small with a worker for what has to be packed; nil takes one of the pool.
func (s *Set[T]) small(c *Small, w *worker, opt *run.Options, out, a, b *layout.Matrix[T]) bool {
	m, n, k := out.Rows, out.Cols, a.Cols
	if uint(m-1) >= smallSide || uint(n-1) >= smallSide || uint(k-1) >= smallSide || m*n*k >= work.Threaded ||
		a.Rows != m || b.Rows != k || b.Cols != n || opt.B != nil || s.Shape != (Shape{}) ||
		out.ColStride != 1 || out.RowStride < n || b.ColStride != 1 && b.RowStride != 1 {
		return false
	}
	var z T
	size := int(unsafe.Sizeof(z))
	if m*k*size > smallOperand || k*n*size > smallOperand || !within(out) || !within(a) || !within(b) ||
		mem.SharesAny(unsafe.Pointer(unsafe.SliceData(out.Data)), uintptr(len(out.Data)*size), unsafe.Pointer(unsafe.SliceData(a.Data)), uintptr(len(a.Data)*size),
			unsafe.Pointer(unsafe.SliceData(b.Data)), uintptr(len(b.Data)*size)) {
		return false
	}
	kern := s.pick(opt.ISA)
	if kern == nil {
		return false
	}
	args := &c.Args
	args.Mode = kernel.ModeStore
	if opt.Scaled {
		alpha, beta := T(opt.Alpha), T(opt.Beta)
		if alpha == 0 || s.Semiring != nil {
			return false
		}
		args.Alpha, args.Beta = mem.BitsOf(alpha), mem.BitsOf(beta)
		switch {
		case beta != 0:
			args.Mode = kernel.ModeUpdate
		case alpha != 1:
			args.Mode = kernel.ModeScale
		}
	}
	args.RsA, args.CsA, args.LdC, args.K = int64(a.RowStride*size), int64(a.ColStride*size), int64(out.RowStride*size), int64(k)
	c.kern, c.size, c.n, c.panel, c.col, c.lower, c.w = kern, size, n, 0, 0, false, nil
	c.rows = splitFew(m, kern.MR)
	vecs := (n + kern.VL - 1) / kern.VL
	if c.half = 2*(vecs*kern.VL-n) >= kern.VL && kern.HasHalf(); c.half {
		vecs--
	}
	c.panels = splitFew(vecs, kern.NV)
	c.a, c.b, c.c = unsafe.Pointer(unsafe.SliceData(a.Data)), unsafe.Pointer(unsafe.SliceData(b.Data)), unsafe.Pointer(unsafe.SliceData(out.Data))
	if b.ColStride == 1 {
		args.LdB = int64(b.RowStride * size)
		return true
	}
	if w == nil {
		w = workers.Get()
		c.w = w
	}
	w.pack.B, w.pack.LdB = c.b, int64(b.ColStride*size)
	c.b, args.LdB = packSmall(w, kern, size, n, k)
	return true
}

// More reports whether there is another kernel to call.
func (c *Small) More() bool { return c.lower || c.panel < c.panels.Count || c.half }

// Done ends the product.
func (c *Small) Done() {
	if c.w != nil {
		c.giveBack()
	}
}

func (c *Small) giveBack() {
	workers.Put(c.w)
	c.w = nil
}

// Next sets c.Args for the next call of a kernel and returns the number of the
// kernel. Numbers go from Kernels.First up: all of Full, a height after another, then
// all of Tail, then the heights of Half.
func (c *Small) Next() int {
	kern, args := c.kern, &c.Args
	if c.lower { // beneath those of full height, which C still points to
		c.lower = false
		first := c.rows.Tall * c.rows.Size
		args.A, args.C = unsafe.Add(c.a, first*int(args.RsA)), unsafe.Add(args.C, first*int(args.LdC))
		args.Tiles = int64(c.rows.Count - c.rows.Tall)
		c.number -= c.step
		return c.number
	}
	cols := c.n - c.col
	if c.panel < c.panels.Count {
		nv := c.panels.Size
		if c.panel >= c.panels.Tall {
			nv--
		}
		cols = min(nv*kern.VL, cols)
		c.number, c.step = kern.First+(c.rows.Size-1)*kern.NV+nv-1, kern.NV
		if args.N = int64(cols - (nv-1)*kern.VL); int(args.N) < kern.VL {
			c.number += kern.MR * kern.NV
		}
		c.panel++
	} else {
		c.number, c.step = kern.First+2*kern.MR*kern.NV+c.rows.Size-1, 1
		args.N, c.half = int64(cols), false
	}
	args.A, args.B, args.C = c.a, unsafe.Add(c.b, c.col*c.size), unsafe.Add(c.c, c.col*c.size)
	args.Tiles = int64(c.rows.Tall)
	c.lower = c.rows.Count > c.rows.Tall
	c.col += cols
	return c.number
}

// smallOn computes the product if it is small, on the worker, and reports whether it
// did: the way of whoever has a table of kernels and not their names.
func (s *Set[T]) smallOn(w *worker, opt *run.Options, out, a, b *layout.Matrix[T]) bool {
	c := &w.small
	if !s.small(c, w, opt, out, a, b) {
		return false
	}
	kern := c.kern
	for c.More() {
		kern.Tiles[c.Next()-kern.First].F(&c.Args)
	}
	c.Done()
	c.a, c.b, c.c = nil, nil, nil // do not keep the caller's memory alive
	c.Args.A, c.Args.B, c.Args.C = nil, nil, nil
	return true
}

// packSmall transposes the k x n matrix at w.pack into the worker's memory, and returns
// where it lies and how far apart its rows are.
func packSmall(w *worker, kern *run.Kernels, size, n, k int) (unsafe.Pointer, int64) {
	vl, pack := kern.VL, &w.pack
	ld := (n + vl - 1) / vl * vl * size
	w.abuf.Grow(k * ld)
	b := pack.B
	pack.K, pack.LdC = int64(k), int64(ld)
	for c := 0; c < n; c += vl {
		pack.B, pack.C, pack.N = unsafe.Add(b, c*int(pack.LdB)), unsafe.Add(w.abuf.P, c*size), int64(min(vl, n-c))
		kern.PackCols(pack)
	}
	pack.B, pack.C = nil, nil
	return w.abuf.P, int64(ld)
}

// splitFew is splitUp with a short way for what needs no cut.
func splitFew(n, most int) mem.Split {
	if n <= most {
		count := min(n, 1)
		return mem.Split{Count: count, Size: n, Tall: count}
	}
	return mem.SplitUp(n, most)
}

// within reports whether a matrix of at most smallSide rows and columns lies inside
// its slice.
func within[T dtype.Float](x *layout.Matrix[T]) bool {
	return uint(x.RowStride) < smallStride && uint(x.ColStride) < smallStride &&
		int64(x.Rows-1)*int64(x.RowStride)+int64(x.Cols-1)*int64(x.ColStride) < int64(len(x.Data))
}
