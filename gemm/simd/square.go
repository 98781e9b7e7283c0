package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// An [armSquare] has two rows and two columns in a vector of sums. A tile has as many such vectors as one
// of rows, and its rows are made of them behind the loop. The loop takes four words of a row of A, two
// steps. Two rows of A are brought together in a copy of them, and two words of B's columns in the packed
// panel, by the kernels of the ZipRows and the Zip form.

// narrowTile is that of arm64's products of narrow elements. With more rows they would take as many cycles for
// a product, those of the multiply-adds, and more text.
var narrowTile = tiling.Micro{MR: 8, NV: 2}

// wordsAtOnce is how many words of a row the loop takes.
const wordsAtOnce = 4

// zipped are the lanes of two vectors in turn, of their first halves or the second ones.
func zipped(lanes, half int) (perm []int) {
	for i := half * lanes / 2; i < (half+1)*lanes/2; i++ {
		perm = append(perm, i, lanes+i)
	}
	return perm
}

// squares sums over k and returns accumulators as product does.
func (l *lowering) squares(b *emit.Builder, op armSquare, t *tile, mr, nv int) []*emit.Value {
	v := l.vector()
	pairs, wide := (mr+1)/2, 2*nv
	elem, _, _ := op.Types()
	long, narrow := emit.Vector(emit.I64, 2), emit.Vector(elem, v.Bytes()/elem.Bytes())
	ra := vector.NewRows(b, t.a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	pb, begin := t.b, make([]*emit.Value, wide)
	if starts(op) {
		for j := range begin {
			head := b.Recast(emit.I64, b.Load(v, emit.At(pb, int64(j/2*v.Bytes()))))
			begin[j] = b.Recast(v.Elem, b.Shuffle([]int{j % 2, j % 2}, head, head))
		}
		pb = b.AddP(pb, ldb)
	} else {
		for j := range begin {
			begin[j] = op.Identity(b, v)
		}
	}
	carried := append([]*emit.Value{pb}, ra.Bases...)
	first := len(carried)
	for range pairs {
		carried = append(carried, begin...)
	}
	sums := len(carried)
	if t.fetch != nil {
		carried = append(carried, t.fetch)
	}
	rounds := b.Shr(l.field(b, "k"), b.Int(2))
	out := b.For(b.Int(0), rounds, 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		pb, rows := x[0], ra.With(x[1:first])
		var cols [wordsAtOnce][]*emit.Value
		for s := range cols {
			for j := range nv {
				cols[s] = append(cols[s], b.Load(narrow, emit.At(pb, int64(j*v.Bytes()))))
			}
			pb = b.AddP(pb, ldb)
		}
		var next []*emit.Value
		for i := range pairs {
			acc := x[first+i*wide:][:wide]
			for half := range 2 {
				var both *emit.Value
				if 2*i+1 < mr {
					both = b.Load(narrow, rows.At(2*i+half, 0))
				} else { // as it lies: twice the row
					last := b.Load(long, rows.At(2*i, 0))
					both = b.Recast(elem, b.Shuffle([]int{half, half}, last, last))
				}
				one := make([]*emit.Value, wide)
				for j := range one {
					one[j] = op.Step(b, acc[j], both, cols[2*half+j%2][j/2])
				}
				acc = one
			}
			next = append(next, acc...)
		}
		moved := []*emit.Value{pb}
		for _, p := range rows.Bases {
			moved = append(moved, b.AddP(p, b.Shl(csa, b.Int(2))))
		}
		next = append(moved, next...)
		if t.fetch != nil {
			next = append(next, l.fetch(b, x[sums], wordsAtOnce, l.fetched(mr, nv)))
		}
		return next
	})
	if t.a = out[1]; t.fetch != nil {
		t.fetch = out[sums]
	}
	var acc []*emit.Value
	for i := range mr {
		for j := range nv {
			left, right := out[first+i/2*wide+2*j], out[first+i/2*wide+2*j+1]
			acc = append(acc, b.Recast(v.Elem, b.Shuffle([]int{i % 2, 2 + i%2}, b.Recast(emit.I64, left), b.Recast(emit.I64, right))))
		}
	}
	return acc
}

// addZips adds the kernels that bring words of B's columns together.
func (l *lowering) addZips(m *Module, f *emit.Family) {
	for nv := 1; nv <= l.tile.NV; nv++ {
		m.Add(kernel.Zip, 1, nv, f.Add(fmt.Sprintf("_zip%d", nv*l.vl), fmt.Sprintf("brings words of %d columns of k pairs of rows together.", nv*l.vl),
			func(b *emit.Builder) { l.zip(b, nv) }))
	}
	m.Add(kernel.ZipRows, 1, 1, f.Add("_ziprows", "brings k pairs of rows together, n times 16 bytes of each.", zipRows))
}

func zipRows(b *emit.Builder) {
	long := emit.Vector(emit.I64, 2)
	ldc, n := b.Param("ldc", emit.Int64), b.Param("n", emit.Int64)
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("c", emit.Ptr)}, func(_ *emit.Value, row []*emit.Value) []*emit.Value {
		lower := b.AddP(row[0], ldc)
		b.For(b.Int(0), n, 1, []*emit.Value{row[0], lower}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			x, y := b.Load(long, emit.At(p[0], 0)), b.Load(long, emit.At(p[1], 0))
			b.Store(b.Shuffle([]int{0, 2}, x, y), emit.At(p[0], 0))
			b.Store(b.Shuffle([]int{1, 3}, x, y), emit.At(p[1], 0))
			size := b.Int(int64(long.Bytes()))
			return []*emit.Value{b.AddP(p[0], size), b.AddP(p[1], size)}
		})
		return []*emit.Value{b.AddP(lower, ldc)}
	})
}

func (l *lowering) zip(b *emit.Builder, nv int) {
	words := emit.Vector(emit.I32, l.vl)
	ldc := b.Param("ldc", emit.Int64)
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("c", emit.Ptr)}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		upper, lower := p[0], b.AddP(p[0], ldc)
		for j := range nv {
			off := int64(j * words.Bytes())
			x, y := b.Load(words, emit.At(upper, off)), b.Load(words, emit.At(lower, off))
			b.Store(b.Shuffle(zipped(l.vl, 0), x, y), emit.At(upper, off))
			b.Store(b.Shuffle(zipped(l.vl, 1), x, y), emit.At(lower, off))
		}
		return []*emit.Value{b.AddP(lower, ldc)}
	})
}
