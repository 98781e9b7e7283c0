package blocks

import (
	"cmp"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// blockShape is how blocks of a call lie: their shape, and how many elements rows of A and of out are apart.
type blockShape struct {
	tiling.Shape // N columns are all of out
	lda, ldc     int
	panels       int // of out's columns
	panel        int // elements from a block of B to that of the next panel
}

// isOpen reports whether calls say how many rows and k blocks have.
func (f *Sum) isOpen() bool { return f.Shape.M == 0 }

// since says where a shape comes from.
func (f *Sum) since() string {
	if f.isOpen() {
		return "as a and out say"
	}
	return "as it was generated for"
}

// size is how many elements a block of B takes, together with those of the other
// panels.
func (f *Sum) sizeB(s blockShape) int {
	p := f.pairs()
	return (s.K/p-1)*f.LdB*p + f.Shape.N*p + (s.panels-1)*s.panel
}

// isSized reports whether a shape is given.
func (b *Operand[T]) isSized() bool { return b.Rows|b.Cols|b.Ld != 0 }

// ask is the shape that blocks of A give, which nobody has checked.
func ask[T dtype.Elem](f *Sum, a, b *Operand[T], ldc int) blockShape {
	n := cmp.Or(b.Cols, f.Shape.N)
	return blockShape{tiling.Shape{M: a.Rows, N: n, K: a.Cols}, cmp.Or(a.Ld, a.Cols), ldc, n / f.Shape.N, b.Ld}
}

// panelled reports whether panels of b are whole, and more than one lie at a distance in a slice.
func (b *Operand[T]) panelled(f *Sum, s blockShape) bool {
	return b.Rows == 0 && s.N > 0 && s.N%f.Shape.N == 0 && (s.panels == 1 || b.List == nil && b.Ld > 0 && s.panels <= most/b.Ld)
}

// most is how many elements there are in memory, of any type.
const most = math.MaxInt / 32

// shapeOf is the shape of a call's blocks. It panics with a [layout.ShapeError] if that is given and known, or neither, or if it is none.
func shapeOf[T dtype.Elem](f *Sum, name string, a, b *Operand[T], ldc int) blockShape {
	switch {
	case !f.isOpen() && b.isSized():
		check.Call(name).Refuse("b has Rows, Cols or Ld; leave them out, since it was generated for blocks of %d x %d", f.Shape.K, f.Shape.N)
	case !f.isOpen() && a.isSized():
		check.Call(name).Refuse("a has Rows, Cols or Ld; leave them out, since it was generated for blocks of %d x %d", f.Shape.M, f.Shape.K)
	case !f.isOpen():
		return blockShape{f.Shape, f.LdA, f.LdC, 1, 0}
	}
	s := ask(f, a, b, ldc)
	switch {
	case s.M < 1 || s.K < 1:
		check.Call(name).Refuse("blocks of a are %d x %d; want at least 1 x 1", s.M, s.K)
	case s.K%f.pairs() != 0:
		check.Call(name).Refuse("blocks of a have %d columns, and two are multiplied at once; fill them up with zeros to an even number", s.K)
	case s.K > f.mostCols():
		check.Call(name).Refuse("blocks of a have %d columns; want at most %d, in more of them", s.K, f.mostCols())
	case s.lda < 1 || !apart(s.M, s.lda, s.K):
		check.Call(name).Refuse("rows of a are %d elements apart; want 1 or more, and less than puts %d rows outside of all memory", s.lda, s.M)
	case !b.panelled(f, s):
		check.Call(name).Refuse("b has %d rows of %d columns in panels %d elements apart; want 0 rows, and 0 or a whole number of %d columns, and more than those in one slice, at a distance", b.Rows, b.Cols, b.Ld, f.Shape.N)
	}
	return s
}

// sound reports whether shapeOf would return s, and out's rows are as far apart.
func (f *Sum) sound(s blockShape) bool {
	return s.M > 0 && s.K > 0 && s.K%f.pairs() == 0 && s.K <= f.mostCols() && s.lda > 0 && apart(s.M, s.lda, s.K) && s.ldc >= s.N && apart(s.M, s.ldc, s.N)
}

// apart reports whether so many rows fit in memory, of elements of any type.
func apart(rows, ld, cols int) bool {
	return cols <= most && (ld <= mostApart && rows <= mostApart || rows-1 <= (most-cols)/ld)
}

// mostApart is a distance, and a number of rows, whose product is known to be small enough.
const mostApart = 1 << 13

// mostCols is how many columns blocks of A have at most, so that one of them takes some 100 us.
func (f *Sum) mostCols() int {
	const rows = 16 // about what a tile has
	return tiling.FixedWork / (rows * f.Shape.N)
}

// fitting is the number of a variant, or of the next one where it multiplies whole tiles and blocks have other rows.
func (f *Sum) fitting(variant int, s blockShape) int {
	const cols = 32 // of a tile of bf16
	if f.isOpen() && f.tiled(variant) && s.K > cols && s.K%cols != 0 {
		for variant++; variant <= len(f.ISAs) && !run.HasISA(f.ISAs[variant-1]); variant++ {
		}
	}
	return variant
}

// tiled reports whether a variant multiplies whole tiles.
func (f *Sum) tiled(variant int) bool {
	return variant <= len(f.ISAs) && strings.HasPrefix(f.ISAs[variant-1], "amx")
}

// height is how many rows a tile of a variant has.
func (f *Sum) height(variant int) int {
	if variant <= len(f.Heights) {
		return f.Heights[variant-1]
	}
	return 16
}

// open says to a kernel what the shape is.
func (f *Sum) open(args *kernel.BlocksArgs, s blockShape, size int) {
	if f.isOpen() {
		args.Rows, args.K = int64(s.M), int64(s.K/f.pairs())
		args.Panels, args.Panel = int64(s.panels), int64(s.panel*f.A.Size())
		args.RSA, args.LDC = int64(s.lda*f.A.Size()), int64(s.ldc*size)
	}
}

// shapeOfCall is what open said, of the rows of one call.
func (f *Sum) shapeOfCall(args *kernel.BlocksArgs, sizeA, sizeC int) blockShape {
	if !f.isOpen() {
		return blockShape{f.Shape, f.LdA, f.LdC, 1, 0}
	}
	return blockShape{tiling.Shape{M: int(args.Rows - args.Row), N: f.Shape.N, K: int(args.K) * f.pairs()}, int(args.RSA) / sizeA, int(args.LDC) / sizeC, int(args.Panels), int(args.Panel) / sizeA}
}

// atOnce is how many blocks one call does for all rows.
func (f *Sum) atOnce(variant int, s blockShape) int64 {
	switch {
	case !f.isOpen():
		return f.most(variant, s)
	case f.fitting(variant, s) != variant:
		return 0
	}
	return f.work(variant) / (int64(s.M) * int64(s.N*s.K))
}

// work is how many multiply-adds one call of a variant does at most.
func (f *Sum) work(variant int) int64 {
	if f.tiled(variant) {
		return tilesWork * tiling.FixedWork
	}
	return tiling.FixedWork
}

// byRows has calls do some rows each, of all blocks, if these are open.
func (r *Run) byRows(f *Sum, s blockShape) {
	if !f.isOpen() {
		return
	}
	h := int64(f.height(r.Variant))
	r.all, r.rows = r.args, h*max(1, f.work(r.Variant)/(h*int64(s.N*s.K)*min(r.args.Count, r.call)))
	r.args.Rows = min(r.rows, r.all.Rows)
}

// below goes on to the next rows, if there are any.
func (r *Run) below() bool {
	row := r.args.Rows
	if r.rows == 0 || row >= r.all.Rows {
		return false
	}
	r.args = r.all
	r.args.Row, r.args.Rows = row, min(row+r.rows, r.all.Rows)
	return true
}
