package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SmallMixed is [Set.Small] for a product of narrow types by a packed b. s has these operands
// and sums, and the results are the sums. It returns the kernels that the numbers of c belong
// to, which are those of another package if the product shares them. It returns nil if the
// product takes the ordinary way, which adds in the same order.
func SmallMixed[Acc dtype.AnySum, A, B dtype.Elem](c *Small, s *Set[Acc], opt *run.Options, out *layout.Matrix[Acc], a *layout.Matrix[A], b *layout.Matrix[B]) *kernel.Kernels {
	size, sizeA, sizeB := int(unsafe.Sizeof(*new(Acc))), int(unsafe.Sizeof(*new(A))), int(unsafe.Sizeof(*new(B)))
	pre := opt.B
	if pre == nil || pre.Owner != unsafe.Pointer(s) || opt.Scaling.On() || opt.NoWrap && pre.Wraps {
		return nil
	}
	if mem.SharesAny(unsafe.Pointer(unsafe.SliceData(out.Data)), uintptr(len(out.Data)*size), unsafe.Pointer(unsafe.SliceData(a.Data)), uintptr(len(a.Data)*sizeA),
		unsafe.Pointer(unsafe.SliceData(b.Data)), uintptr(len(b.Data)*sizeB)) {
		return nil
	}
	kern, m, n, k := pre.Kern, out.Rows, out.Cols, a.Cols
	if best := s.choice.Best(); opt.ISA == "" && uint(best-1) < uint(len(s.Variants)) {
		if kern != s.Variants[best-1] {
			return nil
		}
	} else if kern != choose.Known(&s.choice, s.Variants, isaOf, opt.ISA) {
		return nil
	}
	if kern == nil || kern.AtOnce > 1 || pre.Size != size {
		return nil
	}
	// Limits are powers of two, and so are depths: bits tell, and a negative number has the
	// highest.
	depth := max(1, kern.Depth)
	if uint((m-1)|(n-1)|(k-1)) >= smallSide || m*n*k >= work.Threaded ||
		uint(out.RowStride|a.RowStride|b.RowStride|b.ColStride|opt.Threads) >= smallStride ||
		(a.Rows^m)|(b.Rows^k)|(b.Cols^n)|(pre.K^k)|(pre.N^n)|(out.ColStride^1)|(a.ColStride^1)|(k&(depth-1)) != 0 ||
		out.RowStride < n || !within(out) || !within(a) || !within(b) || pre.Of != mem.PlaceOf(b) {
		return nil
	}
	steps := k >> (depth >> 1) // depths are 1, 2 and 4
	args := &c.Args
	args.A, args.C = unsafe.Pointer(unsafe.SliceData(a.Data)), unsafe.Pointer(unsafe.SliceData(out.Data))
	args.RsA, args.CsA, args.LdC, args.K = int64(a.RowStride*sizeA), int64(size), int64(out.RowStride*size), int64(steps)
	args.Mode, args.Alpha = kernel.ModeStore, uint64(kern.Flip)
	if depth*sizeA != size || kern.FlipCopy {
		c.copyA(kern, m, steps, depth*sizeA, size)
	}
	c.overPacked(pre, splitFew(m, kern.MR), n, steps, size)
	return kern
}

// copyA copies m rows of so many steps, of from bytes each, to what the kernels read: steps
// of size bytes.
func (c *Small) copyA(kern *kernel.Kernels, m, steps, from, size int) {
	if c.w == nil {
		c.w = workers.Get()
	}
	w, args, packers := c.w, &c.Args, packersA(kern)
	vl := kern.VL
	ld, strip := (steps+vl-1)/vl*vl*size, kern.NV*vl
	w.abuf.Grow(m * ld)
	w.pack.K = int64(m)
	for x := 0; x < steps; x += strip {
		packRows(&w.pack, copiers(packers), vl, unsafe.Add(args.A, x*from), int(args.RsA), unsafe.Add(w.abuf.P, x*size), ld, min(strip, steps-x))
	}
	w.pack.B, w.pack.C = nil, nil
	if kern.FlipCopy {
		for i := range m {
			flipWords(unsafe.Add(w.abuf.P, i*ld), steps, kern.Flip)
		}
	}
	args.A, args.RsA = w.abuf.P, int64(ld)
}

// A small product is one block of k.
const _ = uint(min(tiling.KCMax, 2*tiling.KCTiles) - smallSide)
