package spblas

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// tile is one product of dense blocks that lie in a cache. Operators use it that gather
// rows, or blocks, and multiply them by the micro-kernels of dense products. C's rows are
// contiguous, and so are B's.
type tile struct {
	a        mem.Operand
	b, c     unsafe.Pointer
	ldb, ldc int // bytes
	m, n, k  int
	alpha    uint64
	mode     int64  // ModeStore and ModeScale overwrite C, ModeUpdate adds Alpha times the product to Beta times C
	beta     uint64 // 1, so that it is the factor of what a deep product adds up
}

// multiply calls the kernels. Elements have so many bytes.
func (t *tile) multiply(kern *kernel.Kernels, args *kernel.Args, size int) {
	rows, cols := mem.SplitUp(t.m, kern.MR), panelsOf(t.n, kern.VL, kern.NV)
	args.RsA, args.CsA, args.LdB, args.LdC = int64(t.a.RS), int64(t.a.CS), int64(t.ldb), int64(t.ldc)
	args.Alpha, args.Beta, args.Next, args.NextStep = t.alpha, t.beta, 0, 0
	for q := range cols.Count {
		col, nv, last := cols.panel(q)
		form := kernel.Panel
		if last < kern.VL {
			form = kernel.Tail
		}
		args.N, args.Mode = int64(last), t.mode
		for k := 0; k < t.k; k += tiling.KCMax {
			args.K = int64(min(tiling.KCMax, t.k-k))
			args.A, args.B, args.C = t.a.At(0, k), unsafe.Add(t.b, k*t.ldb+col*size), unsafe.Add(t.c, col*size)
			args.Tiles = int64(rows.Tall)
			kern.Tile(form, rows.Size, nv)(args)
			if low := rows.Count - rows.Tall; low > 0 {
				down := rows.Tall * rows.Size
				args.A, args.C, args.Tiles = t.a.At(down, k), unsafe.Add(args.C, down*t.ldc), int64(low)
				kern.Tile(form, rows.Size-1, nv)(args)
			}
			args.Mode = kernel.ModeUpdate
		}
	}
	args.A, args.B, args.C = nil, nil, nil
}

// multiplyPanels is multiply by n columns from col on of a B in panels. Each panel is so many columns
// wide and all of k deep, and they lie one after another at b.
func (t *tile) multiplyPanels(kern *kernel.Kernels, args *kernel.Args, size int, b unsafe.Pointer, panel, col, n int) {
	c := t.c
	t.ldb = panel * size
	for end := col + n; col < end; col += t.n {
		p, off := col/panel, col%panel
		t.n = min(panel-off, end-col)
		t.b = unsafe.Add(b, (p*panel*t.k+off)*size)
		t.multiply(kern, args, size)
		t.c = unsafe.Add(t.c, t.n*size)
	}
	t.c = c
}

// addSeen adds to C the products that seen says count, in Go. A factor of 0 would make
// NaN of an infinite element that must not count.
func addSeen[T dtype.Float](t *tile, seen func(i, k int) bool) {
	alpha := *(*T)(unsafe.Pointer(&t.alpha))
	for i := range t.m {
		sums := sliceOf((*T)(unsafe.Add(t.c, i*t.ldc)), t.n)
		for k := range t.k {
			if !seen(i, k) {
				continue
			}
			x := T(alpha * *(*T)(t.a.At(i, k)))
			for j, y := range sliceOf((*T)(unsafe.Add(t.b, k*t.ldb)), t.n) {
				sums[j] += T(x * y)
			}
		}
	}
}
