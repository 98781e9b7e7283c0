package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Vec is the row kernel of a product with one vector: lanes are entries of a row, not
// columns of B, whose elements are adjacent. Elements of C are LdC bytes apart.
type Vec struct {
	Name string
	Elem emit.Elem
}

// The distance of prefetches in the matrix, in bytes of values. It reaches across the
// page that hardware prefetchers stop at, twice. Short rows are all rest, so each row
// fetches at its start.
const (
	streamAhead = 8 << 10
	vecUnroll   = 8 // entries a round: a line of f64
)

// Lower returns the kernel.
func (v Vec) Lower(t emit.Target) (*emit.Func, error) {
	f := rowFamily("", v.Elem, t)
	f.Prefix = ""
	if f.Add(v.Name, fmt.Sprintf("multiplies rows by a vector of %v.", v.Elem), v.build); f.Err != nil {
		return nil, f.Err
	}
	return f.Funcs[0], nil
}

func (v Vec) build(b *emit.Builder) {
	ptr, c := b.Param("pointers", emit.Ptr), b.Param("c", emit.Ptr)
	in := vecOperands{b.Param("indices", emit.Ptr), b.Param("values", emit.Ptr), b.Param("b", emit.Ptr)}
	first := index(b, emit.At(ptr, 0))
	b.ForOnce(b.Int(0), b.Param("rows", emit.Int64), 1, []*emit.Value{ptr, c, first}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		ptr, c, from := x[0], x[1], x[2]
		to := index(b, emit.At(ptr, 4))
		v.fetch(b, in, from)
		v.finish(b, v.sum(b, in, from, to), c)
		return []*emit.Value{b.AddP(ptr, b.Int(4)), b.AddP(c, b.Param("ldc", emit.Int64)), to}
	})
}

type vecOperands struct{ indices, values, x *emit.Value }

// fetch fetches what follows entry k of the matrix.
func (v Vec) fetch(b *emit.Builder, in vecOperands, k *emit.Value) {
	size := int64(v.Elem.Bytes())
	b.Prefetch(0, emit.Addr{Ptr: in.values, Index: k, Scale: size, Off: streamAhead})
	b.Prefetch(0, emit.Addr{Ptr: in.indices, Index: k, Scale: 4, Off: streamAhead / size * 4})
}

// sum returns the sum over entries from to to-1: rounds of vecUnroll, one of half as
// many, and the rest one by one.
func (v Vec) sum(b *emit.Builder, in vecOperands, from, to *emit.Value) *emit.Value {
	size := int64(v.Elem.Bytes())
	lanes := 16 / int(size)
	vec := emit.Vector(v.Elem, lanes)
	acc := make([]*emit.Value, vecUnroll/lanes)
	for i := range acc {
		acc[i] = b.Const(vec, 0)
	}
	for n := vecUnroll; n >= vecUnroll/2; n /= 2 {
		end := b.Add(from, b.And(b.Sub(to, from), b.Int(int64(-n))))
		acc = b.For(from, end, int64(n), acc[:n/lanes], func(k *emit.Value, acc []*emit.Value) []*emit.Value {
			if n == vecUnroll {
				v.fetch(b, in, k)
			}
			next := make([]*emit.Value, len(acc))
			for i := range next {
				next[i] = v.step(b, in, acc[i], k, int64(i*lanes))
			}
			return next
		})
		acc, from = vector.Fold(b, (*emit.Builder).Add, acc, max(n/2/lanes, 1)), end
	}
	one := emit.Scalar(v.Elem)
	total := b.Inst(inst.First(v.Elem), 0, across(b, acc[0]))
	return b.For(from, to, 1, total, func(k *emit.Value, s []*emit.Value) []*emit.Value {
		j := indexAt(b, in.indices, k, 0)
		x := b.Load(one, emit.Addr{Ptr: in.x, Index: j, Scale: size})
		return []*emit.Value{b.FMA(s[0], x, b.Load(one, emit.Addr{Ptr: in.values, Index: k, Scale: size}))}
	})[0]
}

// step adds the products of the entries from k+on that fill a vector to acc.
func (v Vec) step(b *emit.Builder, in vecOperands, acc, k *emit.Value, on int64) *emit.Value {
	places := []*emit.Value{in.x}
	for l := range int64(acc.Type.Lanes) {
		places = append(places, indexAt(b, in.indices, k, on+l))
	}
	x := b.Inst(inst.Collect(v.Elem), 0, places...)[0]
	size := int64(v.Elem.Bytes())
	return b.FMA(acc, x, b.Load(acc.Type, emit.Addr{Ptr: in.values, Index: k, Scale: size, Off: on * size}))
}

// across adds the lanes of a 128-bit vector: every lane has the sum.
func across(b *emit.Builder, x *emit.Value) *emit.Value {
	for by := x.Type.Lanes / 2; by > 0; by /= 2 {
		x = b.Add(x, b.Inst(inst.Swap(x.Type.Elem, by), 0, x)[0])
	}
	return x
}

func (v Vec) finish(b *emit.Builder, sum, c *emit.Value) {
	one := emit.Scalar(v.Elem)
	mode := b.Param("mode", emit.Int64)
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), func() []*emit.Value {
		b.Store(sum, emit.At(c, 0))
		return nil
	}, func() []*emit.Value {
		alpha := b.Param("alpha", one)
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			old := b.Mul(b.Load(one, emit.At(c, 0)), b.Param("beta", one))
			b.Store(b.FMA(old, sum, alpha), emit.At(c, 0))
			return nil
		}, func() []*emit.Value {
			b.Store(b.Mul(sum, alpha), emit.At(c, 0))
			return nil
		})
		return nil
	})
}
