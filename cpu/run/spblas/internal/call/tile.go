package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// DenseFor returns the dense kernels of an instruction set.
func DenseFor(all []*kernel.Kernels, isa string) *kernel.Kernels {
	for _, k := range all {
		if k.ISA == isa {
			return k
		}
	}
	panic("tilesmith: no dense kernels for " + isa + "; this is a bug of the run time")
}

// Tile is one product of dense blocks that lie in a cache. Operators use it that gather
// rows, or blocks, and multiply them by the micro-kernels of dense products. C's rows are
// contiguous, and so are B's.
type Tile struct {
	A        mem.Operand
	B, C     unsafe.Pointer
	LdB, LdC int // bytes
	M, N, K  int
	Alpha    uint64
	Mode     int64  // ModeStore and ModeScale overwrite C, ModeUpdate adds Alpha times the product to Beta times C
	Beta     uint64 // 1, so that it is the factor of what a deep product adds up
}

// Multiply calls the kernels. Elements have so many bytes.
func (t *Tile) Multiply(kern *kernel.Kernels, args *kernel.Args, size int) {
	rows, cols := mem.SplitUp(t.M, kern.MR), PanelsOf(t.N, kern.VL, kern.NV)
	args.RsA, args.CsA, args.LdB, args.LdC = int64(t.A.RS), int64(t.A.CS), int64(t.LdB), int64(t.LdC)
	args.Alpha, args.Beta, args.Next, args.NextStep = t.Alpha, t.Beta, 0, 0
	for q := range cols.Count {
		col, nv, last := cols.Panel(q)
		form := kernel.Panel
		if last < kern.VL {
			form = kernel.Tail
		}
		args.N, args.Mode = int64(last), t.Mode
		for k := 0; k < t.K; k += tiling.KCMax {
			args.K = int64(min(tiling.KCMax, t.K-k))
			args.A, args.B, args.C = t.A.At(0, k), unsafe.Add(t.B, k*t.LdB+col*size), unsafe.Add(t.C, col*size)
			args.Tiles = int64(rows.Tall)
			kern.Tile(form, rows.Size, nv)(args)
			if low := rows.Count - rows.Tall; low > 0 {
				down := rows.Tall * rows.Size
				args.A, args.C, args.Tiles = t.A.At(down, k), unsafe.Add(args.C, down*t.LdC), int64(low)
				kern.Tile(form, rows.Size-1, nv)(args)
			}
			args.Mode = kernel.ModeUpdate
		}
	}
	args.A, args.B, args.C = nil, nil, nil
}

// MultiplyPanels is multiply by n columns from col on of a B in panels. Each panel is so many columns
// wide and all of k deep, and they lie one after another at b.
func (t *Tile) MultiplyPanels(kern *kernel.Kernels, args *kernel.Args, size int, b unsafe.Pointer, panel, col, n int) {
	c := t.C
	t.LdB = panel * size
	for end := col + n; col < end; col += t.N {
		p, off := col/panel, col%panel
		t.N = min(panel-off, end-col)
		t.B = unsafe.Add(b, (p*panel*t.K+off)*size)
		t.Multiply(kern, args, size)
		t.C = unsafe.Add(t.C, t.N*size)
	}
	t.C = c
}

// Product is Multiply, or the same in Go if there are no kernels.
func Product[T dtype.Float](t *Tile, kern *kernel.Kernels, args *kernel.Args) {
	if kern != nil {
		t.Multiply(kern, args, dtype.Of[T]().Size())
		return
	}
	if t.Mode == kernel.ModeStore {
		for i := range t.M {
			clear(SliceOf((*T)(unsafe.Add(t.C, i*t.LdC)), t.N))
		}
	}
	AddSeen[T](t, func(int, int) bool { return true })
}

// AddSeen adds to C the products that seen says count, in Go. A factor of 0 would make
// NaN of an infinite element that must not count.
func AddSeen[T dtype.Float](t *Tile, seen func(i, k int) bool) {
	var op Operator[T]
	alpha := *(*T)(unsafe.Pointer(&t.Alpha))
	for i := range t.M {
		sums := SliceOf((*T)(unsafe.Add(t.C, i*t.LdC)), t.N)
		for k := range t.K {
			if !seen(i, k) {
				continue
			}
			op.AddRow(sums, 1, T(alpha**(*T)(t.A.At(i, k))), SliceOf((*T)(unsafe.Add(t.B, k*t.LdB)), t.N), 1, t.N)
		}
	}
}
