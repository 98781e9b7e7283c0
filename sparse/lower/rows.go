package lower

import (
	"cmp"
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Rows is the family of row kernels for one operator. Each computes rows of C from a
// matrix in compressed rows, with the features of a row in vector registers. There is
// one for every number of vectors from 1 to Vectors, with full vectors and with a
// masked last one. A driver cuts a wider C into panels of columns.
type Rows struct {
	Name    string // of the functions, before width and target
	Op      Operator
	Vectors int  // 0: as many as the target keeps in registers, at most 16
	Lanes   int  // elements of a vector; 0: as many as a register holds
	Pattern bool // entries have no values
	// B is what B is stored as, and becomes elements of the operator as it is loaded; none:
	// it is of such elements.
	B emit.Elem
	// Fetch makes kernels that fetch rows of B early; see SparseArgs.Ahead.
	Fetch bool
}

// Lower returns the kernels for one target: those that fetch early or the others of the
// table.
func (r Rows) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	elem, _, _ := r.Op.Types()
	if err := check(r.Op, elem); err != nil {
		return nil, k, err
	}
	k.ISA, k.MR, k.VL = t.Name, 1, cmp.Or(r.Lanes, t.Lanes(elem))
	full := kernel.Panel
	if r.Fetch {
		full = kernel.Fetch
	}
	k.NV = r.Vectors
	if k.NV == 0 {
		k.NV = Widest(t)
	}
	f := rowFamily(r.Name, elem, t)
	for nv := 1; nv <= k.NV; nv++ {
		for _, masked := range []bool{false, true} {
			b := row{Rows: r, tail: masked, Panel: vector.Panel{Vec: emit.Vector(elem, k.VL), N: nv, Backs: r.B == emit.None && vector.Backs(t, nv)}}
			if b.Backs && !masked {
				continue // the kernel of tails does both
			}
			name, form := fmt.Sprint(nv*k.VL), full
			if masked {
				name, form = name+"tail", full+1
			}
			k.Add(form, 1, nv, f.Add(name, fmt.Sprintf("computes rows of %d vectors of %v.", nv, r.Op), b.build))
			if b.Backs {
				k.Add(full, 1, nv, k.Entries[len(k.Entries)-1].F)
			}
		}
	}
	k.Sort()
	return f.Funcs, k, f.Err
}

// Widest returns how many vectors of a row the family's kernels hold by default. That is all
// registers but four, and at most 16; beyond that a wider panel saves nothing. The four hold a
// value in every lane, loaded elements and what an operator needs.
func Widest(t emit.Target) int {
	if t.Bits == 128 {
		return 8 // for the text of the kernels; what wider ones would gain has not been measured
	}
	return min(16, t.Regs-4)
}

// row is one kernel of the family.
type row struct {
	Rows
	vector.Panel // of C
	tail         bool
	in           entries
}

// entries are the operands of a row that stay the same.
type entries struct {
	indices, values, ahead, b, ldb *emit.Value
}

// chains is how many entries are summed apart, so that one multiply-add need not
// wait for the one before it. If B is near, a row has four in flight, which covers a
// latency of 4 cycles at one a cycle. If its rows are prefetched, from memory that is
// slower anyway, one loop for a row is better than two. Rows of graphs are short, and
// each loop's end is a mispredicted branch.
func (r *row) chains() int {
	switch {
	case r.N >= 4 || r.Fetch:
		return 1
	case r.N >= 2:
		return 2
	}
	return 4
}

func (r *row) build(b *emit.Builder) {
	r.Panel = r.Cut(b, r.tail)
	ptr, c := b.Param("pointers", emit.Ptr), b.Param("c", emit.Ptr)
	r.in = entries{indices: b.Param("indices", emit.Ptr), b: b.Param("b", emit.Ptr), ldb: b.Param("ldb", emit.Int64)}
	if !r.Pattern {
		r.in.values = b.Param("values", emit.Ptr)
	}
	if r.Fetch {
		r.in.ahead = b.AddP(r.in.indices, b.Param("ahead", emit.Int64))
	}
	first := index(b, emit.At(ptr, 0))
	b.ForOnce(b.Int(0), b.Param("rows", emit.Int64), 1, []*emit.Value{ptr, c, first}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		ptr, c, from := x[0], x[1], x[2]
		to := index(b, emit.At(ptr, 4))
		acc := r.sum(b, from, to)
		r.finish(b, acc, c, from, to)
		return []*emit.Value{b.AddP(ptr, b.Int(4)), b.AddP(c, b.Param("ldc", emit.Int64)), to}
	})
	if r.streams() {
		b.Inst(inst.StreamFence, 0)
	}
}

// index loads an int32 as an i64.
func index(b *emit.Builder, a emit.Addr) *emit.Value { return b.Sext(emit.I64, b.Load(emit.Int32, a)) }

// indexAt loads element k+on of an array of int32 as an i64, in one instruction.
func indexAt(b *emit.Builder, p, k *emit.Value, on int64) *emit.Value {
	return b.Inst(inst.LoadIndex, 4*on, p, k)[0]
}

// sum returns the sum over entries from to to-1, nv vectors.
func (r *row) sum(b *emit.Builder, from, to *emit.Value) []*emit.Value {
	u := r.chains()
	acc := make([]*emit.Value, u*r.N)
	for i := range acc {
		acc[i] = r.Op.Identity(b, r.Vec)
	}
	if u > 1 {
		whole := b.And(b.Sub(to, from), b.Int(int64(-u)))
		middle := b.Add(from, whole)
		acc = b.For(from, middle, int64(u), acc, func(k *emit.Value, acc []*emit.Value) []*emit.Value {
			var next []*emit.Value
			for c := range u {
				next = append(next, r.step(b, k, int64(c), acc[c*r.N:(c+1)*r.N])...)
			}
			return next
		})
		acc, from = vector.Fold(b, r.Op.Join, acc, r.N), middle
	}
	return b.For(from, to, 1, acc, func(k *emit.Value, acc []*emit.Value) []*emit.Value { return r.step(b, k, 0, acc) })
}

// step takes entry k+on into acc.
func (r *row) step(b *emit.Builder, k *emit.Value, on int64, acc []*emit.Value) []*emit.Value {
	if r.Fetch {
		vector.Fetch(b, b.AddP(r.in.b, b.Mul(indexAt(b, r.in.ahead, k, on), r.in.ldb)), r.stored().Bytes())
	}
	p := b.AddP(r.in.b, b.Mul(indexAt(b, r.in.indices, k, on), r.in.ldb))
	var x *emit.Value
	if !r.Pattern {
		size := int64(r.Vec.Elem.Bytes())
		x = b.LoadSplat(r.Vec, emit.Addr{Ptr: r.in.values, Index: k, Scale: size, Off: on * size})
	}
	next := make([]*emit.Value, r.N)
	for j := range next {
		y := r.widen(b, p, j)
		if r.Pattern {
			next[j] = r.Op.Join(b, acc[j], y)
		} else {
			next[j] = r.Op.Step(b, acc[j], x, y)
		}
	}
	return next
}

// stored is the panel of B where it lies.
func (r *row) stored() vector.Panel {
	p := r.Panel
	if r.B != emit.None {
		p.Vec = emit.Vector(r.B, r.Vec.Lanes)
	}
	return p
}

// widen loads vector j of the row of B at p, as elements of the operator.
func (r *row) widen(b *emit.Builder, p *emit.Value, j int) *emit.Value {
	x := r.stored().Load(b, p, j)
	if r.B == emit.None {
		return x
	}
	return b.Op("cvt", emit.Attr{Name: "rne"}, []emit.Type{r.Vec}, x)[0]
}

// finish stores the sums of a row by mode.
func (r *row) finish(b *emit.Builder, acc []*emit.Value, c, from, to *emit.Value) {
	mode := b.Param("mode", emit.Int64)
	is := func(m int64, then, otherwise func()) {
		side := func(f func()) func() []*emit.Value {
			return func() []*emit.Value { f(); return nil }
		}
		b.If(b.Cmp("eq", mode, b.Int(m)), side(then), side(otherwise))
	}
	is(kernel.ModeStore, func() {
		for j, x := range acc {
			r.Store(b, x, c, j)
		}
	}, func() {
		alpha := b.Param("alpha", r.Vec)
		is(kernel.ModeUpdate, func() {
			if !r.scales() {
				for j, x := range acc {
					old := r.Load(b, c, j)
					r.Update(b, old, r.Op.Join(b, old, x), c, j)
				}
				return
			}
			beta := b.Param("beta", r.Vec)
			for j, x := range acc {
				old := r.Load(b, c, j)
				r.Update(b, old, b.FMA(b.Mul(old, beta), x, alpha), c, j)
			}
		}, func() {
			if from == nil { // of a format: rows are not counted
				r.scaled(b, acc, alpha, c)
				return
			}
			scale := func() {
				factor := b.If(b.Cmp("eq", mode, b.Int(kernel.ModeMean)), func() []*emit.Value {
					one := emit.Scalar(r.Vec.Elem)
					n := b.Cvt(r.Vec.Elem, "rne", b.IMax(b.Sub(to, from), b.Int(1)))
					return []*emit.Value{b.Splat(r.Vec, b.Div(b.Param("alpha", one), n))}
				}, func() []*emit.Value { return []*emit.Value{alpha} })
				r.scaled(b, acc, factor[0], c)
			}
			if !r.streams() {
				scale()
				return
			}
			is(kernel.ModeStream, func() { r.stream(b, acc, c) }, scale)
		})
	})
}

// scales reports whether the sums are ordinary ones, which have alpha and beta. In a
// semiring ModeUpdate is Plus of what is in C and the sum.
func (r *row) scales() bool {
	_, ring := r.Op.(gemm.Semiring)
	return !ring
}

func (r *row) scaled(b *emit.Builder, acc []*emit.Value, alpha, c *emit.Value) {
	for j, x := range acc {
		r.Store(b, b.Mul(x, alpha), c, j)
	}
}

// streams reports whether the kernel can store past the caches.
func (r *row) streams() bool { return r.Fetch && !r.tail && inst.Stream(r.Vec) != nil }

func (r *row) stream(b *emit.Builder, acc []*emit.Value, c *emit.Value) {
	for j, x := range acc {
		b.Inst(inst.Stream(r.Vec), int64(j*r.Vec.Bytes()), x, c)
	}
}
