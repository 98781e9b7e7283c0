package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Moves are the kernels that move elements of Size bytes, 1, 2, 4 or 8, whatever their type.
// They transpose matrices and interleave rows.
type Moves struct{ Size int }

// Lower returns the kernels for one target.
func (s Moves) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	e, ok := map[int]emit.Elem{1: emit.I8, 2: emit.I16, 4: emit.F32, 8: emit.F64}[s.Size]
	if !ok {
		return nil, k, fmt.Errorf("gemm: kernels move elements of 1, 2, 4 or 8 bytes, not %d", s.Size)
	}
	k.ISA = t.Name
	f := &emit.Family{Of: "gemm", Suffix: fmt.Sprintf("_%d_%s", 8*s.Size, t.Name), Args: vector.BlockArgs[kernel.VectorArgs](e)}
	add := func(what, does string, mr, nv int, body func(b *emit.Builder)) {
		k.AddOp(what, mr, nv, f.Add(strings.ToLower(what), does, body))
	}
	square := squareOf(t, e)
	add("Transpose", "transposes squares.", square.vl, square.vl, square.transposeAll)
	if s.Size < 4 {
		strands, step := 4/s.Size, min(32, t.Bits/8)/s.Size
		add("Weave", "writes the elements of each column of some rows beside one another.", strands, step, func(b *emit.Builder) { weave(b, lanes{e, step}, strands) })
		add("Unravel", "writes elements that lie beside one another to rows.", strands, step, func(b *emit.Builder) { unravel(b, e, t.Lanes(emit.I32), strands) })
	}
	for _, built := range f.Funcs {
		built.Spills = s.Size == 1 // a square of bytes has as many rows as AVX2 registers, and none is left for their shuffles
	}
	return f.Funcs, k, f.Err
}

// squareOf is the vectors that are the rows of a square. They are as wide as possible, which is whole lines
// for AVX-512. For narrow elements they have 128 bits, whose squares find registers.
func squareOf(t emit.Target, e emit.Elem) lanes {
	if e.Bytes() < 4 {
		return lanes{e, 16 / e.Bytes()}
	}
	return lanes{e, t.Lanes(e)}
}

// transposeAll goes over squares, along rows of out first. If a square is not as wide as a line, the squares
// that are written together still make one. Both matrices are walked across many rows, which no hardware
// prefetcher follows. So it prefetches two lines further along the rows of out, and as many rows of a down.
func (l lanes) transposeAll(b *emit.Builder) {
	v := emit.Vector(l.elem, l.vl)
	lda, ldout, width := b.Param("lda", emit.Int64), b.Param("ldout", emit.Int64), b.Int(int64(v.Bytes()))
	right := b.Mul(ldout, b.Int(int64(l.vl)))
	far := b.Mul(lda, b.Int(int64(2*vector.LineBytes/l.elem.Bytes())))
	b.For(b.Int(0), b.Param("n", emit.Int64), int64(l.vl), []*emit.Value{b.Param("a", emit.Ptr), b.Param("out", emit.Ptr)}, func(_ *emit.Value, col []*emit.Value) []*emit.Value {
		b.For(b.Int(0), b.Param("tiles", emit.Int64), 1, []*emit.Value{col[0], col[1]}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			in, from, to := make([]*emit.Value, l.vl), p[0], p[1]
			for i := range in {
				in[i] = b.Load(v, emit.At(from, 0))
				b.Prefetch(0, emit.Addr{Ptr: from, Index: far, Scale: 1})
				from = b.AddP(from, lda)
			}
			for _, x := range l.transpose(b, in, 1) {
				b.Store(x, emit.At(to, 0))
				b.Prefetch(0, emit.At(to, 2*vector.LineBytes))
				to = b.AddP(to, ldout)
			}
			return []*emit.Value{from, b.AddP(p[1], width)}
		})
		return []*emit.Value{b.AddP(col[0], width), b.AddP(col[1], right)}
	})
}

// eachRow calls body for every tile, of strands rows, of the matrix called many, and the row of the other that is
// made of it, and for every step columns. body gets the places of the strands, and of their interleaved row.
func eachRow(b *emit.Builder, e emit.Elem, many, one string, strands, step int, body func(apart []*emit.Value, woven *emit.Value, j *emit.Value)) {
	ld := b.Param("ld"+many, emit.Int64)
	b.For(b.Int(0), b.Param("tiles", emit.Int64), 1, []*emit.Value{b.Param(many, emit.Ptr), b.Param(one, emit.Ptr)}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		rows, next := make([]*emit.Value, strands), p[0]
		for i := range rows {
			rows[i], next = next, b.AddP(next, ld)
		}
		b.For(b.Int(0), b.Param("n", emit.Int64), int64(step), []*emit.Value{p[1]}, func(j *emit.Value, woven []*emit.Value) []*emit.Value {
			body(rows, woven[0], j)
			return []*emit.Value{b.AddP(woven[0], b.Int(int64(step*strands*e.Bytes())))}
		})
		return []*emit.Value{next, b.AddP(p[1], b.Param("ld"+one, emit.Int64))}
	})
}

// weave interleaves within 128-bit blocks, as a transposition of few rows does, and then the two blocks of
// each vector. The first blocks of all go before the second.
func weave(b *emit.Builder, l lanes, strands int) {
	v := emit.Vector(l.elem, l.vl)
	eachRow(b, l.elem, "a", "out", strands, l.vl, func(apart []*emit.Value, woven, j *emit.Value) {
		in := make([]*emit.Value, strands)
		for i, p := range apart {
			in[i] = b.Load(v, emit.Addr{Ptr: p, Index: j, Scale: int64(l.elem.Bytes())})
		}
		x, at := l.blockTranspose(b, in, 1), int64(0)
		if v.Bytes() == blockBytes {
			for i := range x {
				b.Store(x[i], emit.At(woven, int64(i*blockBytes)))
			}
			return
		}
		for block := range 2 {
			for i := 0; i < strands; i += 2 {
				b.Store(b.Shuffle(l.blocks(block), x[i], x[i+1]), emit.At(woven, at))
				at += int64(v.Bytes())
			}
		}
	})
}

// unravel takes 32 bits, a column's, in a lane each, and cuts the strands out.
func unravel(b *emit.Builder, e emit.Elem, n, strands int) {
	v := emit.Vector(emit.I32, n)
	eachRow(b, e, "out", "a", strands, n, func(apart []*emit.Value, woven, j *emit.Value) {
		x := b.Load(v, emit.At(woven, 0))
		for i, p := range apart {
			y := x
			if i > 0 {
				y = b.Shr(x, b.Op("const", emit.Attr{Imm: int64(i * e.Bits())}, []emit.Type{v})[0])
			}
			b.Store(b.Trunc(e, y), emit.Addr{Ptr: p, Index: j, Scale: int64(e.Bytes())})
		}
	})
}
