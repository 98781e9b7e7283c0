package dense

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A small product takes less time than it takes to plan it. It repeats the checks and
// decisions of every call for small shapes and strides. There nothing can overflow,
// nothing needs a second thread, and there is one k-block. Anything unusual takes the
// ordinary way, which also says what is wrong. The sums are added in the same order
// there.
const (
	smallSide   = 512     // rows and columns, at most
	smallStride = 1 << 30 // elements
)

// Small is a small product that has been checked, on its way through its kernels.
// Generated code keeps it on the stack and calls the kernels by their names, in a
// switch over [Small.Next]. Calls through a table would move it to the heap. If no such
// switch is at hand, it lives in a worker.
//
// It is small itself, and few of its fields are written if one call of a kernel is all. A
// core then starts the next product while the last one's sums are still being added, as
// far as its queues allow. Zeros are stored through the queue in which the sums wait.
type Small struct {
	Args kernel.Args // of the kernel that Next named

	w           *worker // whose memory holds the transposed b, or the words of a; nil if both are read in place
	number      uint16  // of the first kernel, for which Args is ready from the start
	next, calls uint16

	// The rest is for those after the first.
	lower        bool // the tiles that are one row lower come next
	size         uint8
	wide         uint16 // bytes of a column of a packed panel; 0 if b is read where it lies
	n            uint16
	rows, panels few
	panel        uint16 // of the kernel that was named last: the one after all panels are columns for half a vector
	col, cols    uint16 // where that begins, and what it has
	kern         *kernel.Kernels
}

// few is a mem.Split in few bytes.
type few struct{ count, size, tall uint16 }

// Small prepares c, which is zero, for alpha*a*b + beta*out if that is small and all is
// well, and reports whether it did. If so, the caller calls the kernel that c.Next names
// while c.More says so, and then c.Done.
func (s *Set[T]) Small(c *Small, opt *run.Options, out, a, b *layout.Matrix[T]) bool {
	return s.small(c, nil, opt, out, a, b) != nil
}

// small is Small with a worker for what has to be packed; nil takes one of the pool. It
// returns the kernels, nil where Small reports false.
func (s *Set[T]) small(c *Small, w *worker, opt *run.Options, out, a, b *layout.Matrix[T]) *kernel.Kernels {
	size := int(unsafe.Sizeof(*new(T)))
	// First, since after a call nothing is in registers.
	if mem.SharesAny(unsafe.Pointer(unsafe.SliceData(out.Data)), uintptr(len(out.Data)*size), unsafe.Pointer(unsafe.SliceData(a.Data)), uintptr(len(a.Data)*size),
		unsafe.Pointer(unsafe.SliceData(b.Data)), uintptr(len(b.Data)*size)) {
		return nil
	}
	m, n, k := out.Rows, out.Cols, a.Cols
	// All tests are one test: limits are powers of two, so bits tell. A negative number,
	// which the number of threads must not be either, has the highest bit.
	if uint((m-1)|(n-1)|(k-1)) >= smallSide || m*n*k >= work.Threaded || max(m, n)*k > smallOperand/size ||
		uint(out.RowStride|a.RowStride|a.ColStride|b.RowStride|b.ColStride|opt.Threads) >= smallStride ||
		(a.Rows^m)|(b.Rows^k)|(b.Cols^n)|(out.ColStride^1)|s.Shape.M|s.Shape.N|s.Shape.K|int(s.A) != 0 || // s.A is 0 where operands are of T
		out.RowStride < n || b.ColStride != 1 && b.RowStride != 1 ||
		!within(out) || !within(a) || !within(b) {
		return nil
	}
	var kern *kernel.Kernels
	if best := s.choice.Best(); opt.ISA == "" && uint(best-1) < uint(len(s.Variants)) {
		kern = s.Variants[best-1]
	} else if kern = choose.Known(&s.choice, s.Variants, isaOf, opt.ISA); kern == nil {
		return nil
	}
	pre := opt.B
	if pre != nil && (pre.Owner != unsafe.Pointer(s) || pre.Kern != kern || pre.K != k || pre.N != n || pre.Of != mem.PlaceOf(b)) {
		return nil
	}
	args := &c.Args
	args.Mode = kernel.ModeStore
	if opt.Scaling.Turns() && !kern.Paired() {
		return nil
	}
	if opt.Scaling.On() {
		alpha, beta, mode := kernel.FactorsOf[T](&opt.Scaling)
		if alpha == 0 || s.Semiring != nil {
			return nil
		}
		args.Alpha, args.Beta, args.Mode = mem.BitsOf(alpha), mem.BitsOf(beta), mode
	}
	if kern.Paired() {
		if w == nil || s.Semiring != nil {
			return nil
		}
		alpha, beta, _ := kernel.FactorsOf[T](&opt.Scaling)
		p := pairingOf(complexNumbers, opt.Conj, alpha, beta)
		args.Mode, args.Pair = p.set(&w.pair, size, false), &w.pair
	}
	args.RsA, args.CsA, args.LdC, args.K = int64(a.RowStride*size), int64(a.ColStride*size), int64(out.RowStride*size), int64(k)
	args.A, args.B, args.C = unsafe.Pointer(unsafe.SliceData(a.Data)), unsafe.Pointer(unsafe.SliceData(b.Data)), unsafe.Pointer(unsafe.SliceData(out.Data))
	rows := splitFew(m, kern.MR)
	if pre != nil {
		c.overPacked(pre, rows, n, k, size)
		return kern
	}
	var panels few
	half := uint16(0)
	if args.LdB = int64(b.RowStride * size); b.ColStride != 1 {
		args.LdB = int64(b.ColStride * size)
	}
	if b.ColStride != 1 && (n|k)%kern.VL == 0 && readsColumns(kern, rows) {
		count := uint16(n / kern.VL)
		panels = few{count, byColumns, count}
	} else {
		vecs := (n + kern.VL - 1) >> (uint(bits.TrailingZeros(uint(kern.VL))) % bits.UintSize) // lanes are a power of two
		if 2*(vecs*kern.VL-n) >= kern.VL && kern.HasHalf() {
			half = 1
		}
		panels = splitFew(vecs-int(half), kern.NV)
		if b.ColStride != 1 {
			if w == nil {
				w = workers.Get()
				c.w = w
			}
			w.pack.B, w.pack.LdB = args.B, args.LdB
			args.B, args.LdB = packSmall(w, kern, size, n, k)
		}
	}
	c.over(kern, rows, panels, half, n, size, 0)
	return kern
}

// over makes c ready for the kernels of so many tiles and panels, and of half a vector
// more if half is 1.
func (c *Small) over(kern *kernel.Kernels, rows, panels few, half uint16, n, size, wide int) {
	lower := rows.count > rows.tall
	if c.calls = panels.count + half; lower {
		c.calls *= 2
	}
	if c.calls > 1 {
		c.kern, c.size, c.wide, c.n = kern, uint8(size), uint16(wide), uint16(n)
		c.rows, c.panels, c.panel, c.col, c.lower = rows, panels, 0, 0, lower
	}
	c.begin(kern, rows.size, panels.size, rows.tall, uint16(n))
}

// overPacked is over for a b that is packed, of so many steps of k: panels lie one after
// another.
func (c *Small) overPacked(pre *run.Packed, rows few, n, steps, size int) {
	kern, vecs := pre.Kern, &pre.Vecs
	panels := few{uint16(vecs.Count), uint16(vecs.Size), uint16(vecs.Tall)}
	c.Args.B, c.Args.LdB = pre.Buf.P, int64(vecs.Size*kern.VL*size)
	c.over(kern, rows, panels, 0, n, size, (steps+kern.Head)*size)
}

// byColumns stands for the number of vectors of a panel where kernels are of the Columns
// form: theirs is one.
const byColumns = math.MaxUint16

// begin makes the kernel ready for the tiles of a panel that begins so many columns
// before the last. The panel has nv vectors, or half of one if nv is 0.
func (c *Small) begin(kern *kernel.Kernels, mr, nv, tiles, before uint16) {
	all, last := kern.MR*kern.NV, int(before)
	number := kern.First + int(mr) - 1
	switch nv {
	case 0:
		number += 2 * all
	case byColumns:
		number += 2*all + 2 // there are MR for half a vector, and then those for MR-1 and for MR rows
		before = uint16(kern.VL)
	default:
		number = kern.First + (int(mr)-1)*kern.NV + int(nv) - 1
		if full := int(nv) * kern.VL; last >= full {
			last, before = kern.VL, uint16(full)
		} else if last -= full - kern.VL; last < kern.VL {
			number += all
		}
	}
	c.number, c.cols, c.Args.N, c.Args.Tiles = uint16(number), before, int64(last), int64(tiles)
}

// readsColumns reports whether there are kernels that read b's columns as they lie, and
// whether for these rows that is better than a transposed copy.
func readsColumns(kern *kernel.Kernels, rows few) bool {
	least := int(rows.size)
	if rows.count > rows.tall {
		least--
	}
	return int(rows.count)*kern.VL <= columnLanes && least >= kern.MR-1 && kern.HasColumns()
}

// columnLanes is how many tiles, one under another, shuffle b's columns again before a copy
// is better, times the lanes of a vector. The more lanes, the more shuffles there are for a
// sum.
const columnLanes = 48

// More reports whether there is another kernel to call.
func (c *Small) More() bool { return c.next < c.calls }

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
// kernel. Numbers go from Kernels.First up: all of Panel, a height after another, then
// all of Tail, then the heights of Half, then those of Columns.
func (c *Small) Next() int {
	if c.next++; c.next == 1 {
		return int(c.number)
	}
	return c.another()
}

// another is Next after the first kernel.
func (c *Small) another() int {
	kern, args := c.kern, &c.Args
	down := int(c.rows.tall) * int(c.rows.size)
	if c.lower { // beneath those of full height
		c.lower = false
		args.A, args.C = unsafe.Add(args.A, down*int(args.RsA)), unsafe.Add(args.C, down*int(args.LdC))
		args.Tiles = int64(c.rows.count - c.rows.tall)
		if nv := c.vectors(); 0 < nv && nv < byColumns {
			return int(c.number) - kern.NV
		}
		return int(c.number) - 1
	}
	if c.lower = c.rows.count > c.rows.tall; c.lower { // back up
		args.A, args.C = unsafe.Add(args.A, -down*int(args.RsA)), unsafe.Add(args.C, -down*int(args.LdC))
	}
	right := int(c.cols) * int(c.size)
	args.C = unsafe.Add(args.C, right)
	switch {
	case c.wide > 0:
		right = int(c.cols) * int(c.wide)
	case c.panels.size == byColumns:
		right = int(c.cols) * int(args.LdB)
	}
	args.B = unsafe.Add(args.B, right)
	c.panel++
	c.col += c.cols
	nv := c.vectors()
	if c.wide > 0 {
		args.LdB = int64(nv) * int64(kern.VL) * int64(c.size)
	}
	c.begin(kern, c.rows.size, nv, c.rows.tall, c.n-c.col)
	return int(c.number)
}

// vectors is how many vectors a row of the panel has, 0 for half a one, or byColumns.
func (c *Small) vectors() uint16 {
	switch {
	case c.panel < c.panels.tall:
		return c.panels.size
	case c.panel < c.panels.count:
		return c.panels.size - 1
	}
	return 0
}

// smallOn computes the product if it is small, on the worker, and reports whether it
// did. It is for callers that have a table of kernels and not their names.
func (s *Set[T]) smallOn(w *worker, opt *run.Options, out, a, b *layout.Matrix[T]) bool {
	c := &w.small
	c.next = 0
	kern := s.small(c, w, opt, out, a, b)
	if kern == nil {
		return false
	}
	for c.More() {
		kern.Entries[c.Next()-kern.First].F(&c.Args)
	}
	c.Done()
	c.Args.A, c.Args.B, c.Args.C = nil, nil, nil // do not keep the caller's memory alive
	return true
}

// packSmall transposes the k x n matrix at w.pack into the worker's memory, and returns
// where it lies and how far apart its rows are.
func packSmall(w *worker, kern *kernel.Kernels, size, n, k int) (unsafe.Pointer, int64) {
	vl, pack := kern.VL, &w.pack
	ld := (n + vl - 1) / vl * vl * size
	w.abuf.Grow(k * ld)
	b, columns := pack.B, kern.Pack.Entries[kern.Pack.NV].F // the entry behind the Panel form; a search would take 3 ns
	pack.K, pack.LdC = int64(k), int64(ld)
	for c := 0; c < n; c += vl {
		pack.B, pack.C, pack.N = unsafe.Add(b, c*int(pack.LdB)), unsafe.Add(w.abuf.P, c*size), int64(min(vl, n-c))
		columns(pack)
	}
	pack.B, pack.C = nil, nil
	return w.abuf.P, int64(ld)
}

// splitFew is mem.SplitUp for numbers so small that dividing them takes little time. It has
// short ways for what needs no cut and for what needs no division.
func splitFew(n, most int) few {
	m, top := uint32(n), uint32(most)
	if m <= top {
		count := uint16(min(m, 1))
		return few{count, uint16(m), count}
	}
	count := divided(m+top-1, top)
	size := divided(m+count-1, count)
	return few{uint16(count), uint16(size), uint16(m - count*(size-1))}
}

// divided is x / y. A product starts after two of these, one after the other, and a division
// takes as long as some tens of multiply-adds.
func divided(x, y uint32) uint32 {
	if y < uint32(len(inverses)) && x < 1<<10 {
		return x * inverses[y] >> 16
	}
	return x / y
}

// inverses are 1<<16 over their numbers, rounded up. Rounding adds less than x over 1<<16 to x
// over y, and so less than x over y lacks to the next whole number.
var inverses = [17]uint32{1: 1 << 16, 2: 1 << 15, 3: 1<<16/3 + 1, 4: 1 << 14, 5: 1<<16/5 + 1, 6: 1<<16/6 + 1, 7: 1<<16/7 + 1, 8: 1 << 13,
	9: 1<<16/9 + 1, 10: 1<<16/10 + 1, 11: 1<<16/11 + 1, 12: 1<<16/12 + 1, 13: 1<<16/13 + 1, 14: 1<<16/14 + 1, 15: 1<<16/15 + 1, 16: 1 << 12}

// within reports whether a matrix lies inside its slice that has at most smallSide rows
// and columns and strides below smallStride.
func within[T dtype.Elem](x *layout.Matrix[T]) bool {
	return int64(x.Rows-1)*int64(x.RowStride)+int64(x.Cols-1)*int64(x.ColStride) < int64(len(x.Data))
}
