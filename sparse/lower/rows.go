package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/unit"
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
	Pattern bool // entries have no values
	// B is what B is stored as, and becomes elements of the operator as it is loaded; none:
	// it is of such elements.
	B emit.Elem
	// Fetch makes kernels that fetch rows of B early; see SparseArgs.Ahead.
	Fetch bool
}

// lineBytes is a cache line.
const lineBytes = 64

// Lower returns the kernels for one target: those that fetch early or the others of the
// table.
func (r Rows) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	elem, _, _ := r.Op.Types()
	if err := check(r.Op, elem); err != nil {
		return nil, k, err
	}
	k.ISA, k.MR, k.VL = t.Name, 1, t.Lanes(elem)
	full := kernel.Panel
	if r.Fetch {
		full = kernel.Fetch
	}
	k.NV = r.Vectors
	if k.NV == 0 {
		k.NV = Widest(t)
	}
	for nv := 1; nv <= k.NV; nv++ {
		for _, masked := range []bool{false, true} {
			b := row{Rows: r, target: t, nv: nv, masked: masked, vec: emit.Vector(elem, t.Lanes(elem))}
			name := fmt.Sprintf("%s_%d", r.Name, nv*t.Lanes(elem))
			form := full
			if masked {
				name, form = name+"tail", full+1
			}
			name += "_" + t.Name
			f, err := emit.Build(name, sparseArgs(elem), b.build)
			if err != nil {
				return nil, k, fmt.Errorf("lower: %w", err)
			}
			f.Doc = fmt.Sprintf("%s computes rows of %d vectors of %v.", name, nv, r.Op)
			fs = append(fs, f)
			k.Add(form, 1, nv, name)
		}
	}
	k.Sort()
	return fs, k, nil
}

// Widest returns how many vectors of a row the family's kernels hold by default. That is all
// registers but four, and at most 16; beyond that a wider panel saves nothing. The four hold a
// value in every lane, loaded elements and what an operator needs.
func Widest(t emit.Target) int { return min(16, t.Regs-4) }

// sparseArgs describes kernel.SparseArgs to the IR.
func sparseArgs(elem emit.Elem) []emit.Arg { return unit.BlockArgs[kernel.SparseArgs](elem) }

// row is one kernel of the family.
type row struct {
	Rows
	target emit.Target
	nv     int
	masked bool
	vec    emit.Type
	last   *emit.Value // the mask of the last vector, nil if it is full
	in     entries
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
	case r.nv >= 4 || r.Fetch:
		return 1
	case r.nv >= 2:
		return 2
	}
	return 4
}

func (r *row) build(b *emit.Builder) {
	if r.masked {
		r.last = b.MaskN(r.vec, b.Param("n", emit.Int64))
	}
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
	acc := make([]*emit.Value, u*r.nv)
	for i := range acc {
		acc[i] = r.Op.Identity(b, r.vec)
	}
	if u > 1 {
		whole := b.And(b.Sub(to, from), b.Int(int64(-u)))
		middle := b.Add(from, whole)
		acc = b.For(from, middle, int64(u), acc, func(k *emit.Value, acc []*emit.Value) []*emit.Value {
			var next []*emit.Value
			for c := range u {
				next = append(next, r.step(b, k, int64(c), acc[c*r.nv:(c+1)*r.nv])...)
			}
			return next
		})
		for len(acc) > r.nv { // halves, so that the joins are parallel too
			half := make([]*emit.Value, len(acc)/2)
			for i := range half {
				half[i] = r.Op.Join(b, acc[i], acc[i+len(half)])
			}
			acc = half
		}
		from = middle
	}
	return b.For(from, to, 1, acc, func(k *emit.Value, acc []*emit.Value) []*emit.Value { return r.step(b, k, 0, acc) })
}

// step takes entry k+on into acc.
func (r *row) step(b *emit.Builder, k *emit.Value, on int64, acc []*emit.Value) []*emit.Value {
	if r.Fetch {
		far := b.AddP(r.in.b, b.Mul(indexAt(b, r.in.ahead, k, on), r.in.ldb))
		for off := 0; off < r.nv*r.stored().Bytes(); off += lineBytes {
			b.Prefetch(0, emit.At(far, int64(off)))
		}
	}
	p := b.AddP(r.in.b, b.Mul(indexAt(b, r.in.indices, k, on), r.in.ldb))
	var x *emit.Value
	if !r.Pattern {
		size := int64(r.vec.Elem.Bytes())
		x = b.LoadSplat(r.vec, emit.Addr{Ptr: r.in.values, Index: k, Scale: size, Off: on * size})
	}
	next := make([]*emit.Value, r.nv)
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

// stored is the type of a vector of B where it lies.
func (r *row) stored() emit.Type {
	if r.B == emit.None {
		return r.vec
	}
	return emit.Vector(r.B, r.vec.Lanes)
}

// widen loads vector j of the row of B at p, as elements of the operator.
func (r *row) widen(b *emit.Builder, p *emit.Value, j int) *emit.Value {
	if r.B == emit.None {
		return r.load(b, p, j)
	}
	t := r.stored()
	a := emit.At(p, int64(j*t.Bytes()))
	x := (*emit.Value)(nil)
	if r.last != nil && j == r.nv-1 {
		x = b.LoadMasked(t, r.last, a)
	} else {
		x = b.Load(t, a)
	}
	return b.Op("cvt", emit.Attr{Name: "rne"}, []emit.Type{r.vec}, x)[0]
}

// load loads vector j of the row of B or C at p.
func (r *row) load(b *emit.Builder, p *emit.Value, j int) *emit.Value {
	a := emit.At(p, int64(j*r.vec.Bytes()))
	if r.last != nil && j == r.nv-1 {
		return b.LoadMasked(r.vec, r.last, a)
	}
	return b.Load(r.vec, a)
}

func (r *row) store(b *emit.Builder, v, p *emit.Value, j int) {
	a := emit.At(p, int64(j*r.vec.Bytes()))
	if r.last != nil && j == r.nv-1 {
		b.StoreMasked(v, r.last, a)
	} else {
		b.Store(v, a)
	}
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
			r.store(b, x, c, j)
		}
	}, func() {
		alpha := b.Param("alpha", r.vec)
		is(kernel.ModeUpdate, func() {
			if !r.scales() {
				for j, x := range acc {
					r.store(b, r.Op.Join(b, r.load(b, c, j), x), c, j)
				}
				return
			}
			beta := b.Param("beta", r.vec)
			for j, x := range acc {
				r.store(b, b.FMA(b.Mul(r.load(b, c, j), beta), x, alpha), c, j)
			}
		}, func() {
			if from == nil { // of a format: rows are not counted
				r.scaled(b, acc, alpha, c)
				return
			}
			scale := func() {
				factor := b.If(b.Cmp("eq", mode, b.Int(kernel.ModeMean)), func() []*emit.Value {
					one := emit.Scalar(r.vec.Elem)
					n := b.Cvt(r.vec.Elem, "rne", b.IMax(b.Sub(to, from), b.Int(1)))
					return []*emit.Value{b.Splat(r.vec, b.Div(b.Param("alpha", one), n))}
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
		r.store(b, b.Mul(x, alpha), c, j)
	}
}

// streams reports whether the kernel can store past the caches.
func (r *row) streams() bool { return r.Fetch && !r.masked }

func (r *row) stream(b *emit.Builder, acc []*emit.Value, c *emit.Value) {
	for j, x := range acc {
		b.Inst(inst.Stream(r.vec), int64(j*r.vec.Bytes()), x, c)
	}
}
