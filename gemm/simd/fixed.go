package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// fixed is what a lowering knows before the run time. The zero value knows nothing.
type fixed struct {
	shape  gemm.Shape
	known  map[string]int64 // fields of the argument block that are constants
	cols   []int64          // where the vectors of a row begin, in bytes; nil: side by side
	blocks *blocks          // elements of A that are loaded together; nil: none
	plain  bool             // C = acc, whatever the mode
	unroll int64            // steps of k without a branch between them; 0: strides and k are not all known
}

// field loads an integer of the argument block, or is the constant that is known in
// its place.
func (l *lowering) field(b *emit.Builder, name string) *emit.Value {
	if n, ok := l.fixed.known[name]; ok {
		return b.Int(n)
	}
	return b.Param(name, emit.Int64)
}

// deep returns l knowing k, if every product has the same one and sums it in one go.
func (l *lowering) deep() *lowering {
	k := l.fixed.shape.K
	if k == 0 || k > tiling.KCMax || !l.closed() {
		return l
	}
	d := *l
	d.fixed.known = map[string]int64{"k": int64(k)}
	return &d
}

// closed reports whether the family holds what its shape needs and no more. Where it
// leaves a product with few rows or columns and a large operand to the run time, the
// kernels for that are kept, and those for any width and depth, which they call.
func (l *lowering) closed() bool {
	s, size := l.fixed.shape, l.elem.Bytes()
	large := func(side int) bool { return float64(side)*float64(s.K)*float64(size) >= tiling.SkinnyBytes }
	switch {
	case s.M > 0 && s.N > 0:
		return true
	case s.K == 0:
		return false
	case s.N > 0:
		return s.N > tiling.SkinnyMost && !large(s.N)
	}
	return s.M > tiling.SkinnyMost && !large(s.M)
}

// needs reports whether products of the shape have tiles of mr rows and nv vectors,
// the last of them cut if tail is set.
func (l *lowering) needs(mr, nv int, tail bool) bool {
	s := l.fixed.shape
	switch {
	case !l.closed():
		return true
	case s.M > 0 && !slices.Contains(tiling.Even(s.M, l.tile.MR), mr):
		return false
	case s.N == 0:
		return true
	}
	panels := tiling.Even((s.N+l.vl-1)/l.vl, l.tile.NV)
	cut := s.N%l.vl != 0 // which the last panel is
	if tail {
		return cut && panels[len(panels)-1] == nv
	}
	if cut {
		panels = panels[:len(panels)-1]
	}
	return slices.Contains(panels, nv)
}

// addFixed adds the kernel for products of the spec's shape, unless they take too long for one
// call into assembly, need a conversion or have an epilogue.
func (l *lowering) addFixed(m *Module, add func(name, doc string, args []emit.Arg, body func(b *emit.Builder)) (string, error)) (err error) {
	s := l.fixed.shape
	if l.epi != nil || l.a != l.elem || l.b != l.elem || float64(s.M)*float64(s.N)*float64(s.K) > tiling.FixedWork {
		return nil
	}
	m.Blocking = machine(l.target, l.elem).FixedCut(s)
	m.Fixed, err = add("_fixed", fmt.Sprintf("computes products of %v, dense and row-major.", s), fixedArgs(),
		func(b *emit.Builder) { l.specialised(b, m.Blocking) })
	return err
}

// col is where vector j of a row begins.
func (f *fixed) col(j int, v emit.Type) int64 {
	if f.cols != nil {
		return f.cols[j]
	}
	return int64(j * v.Bytes())
}

// steps is the loop over k where all strides are known: rounds of unroll steps, at
// constant offsets from pointers that move once a round, and the rest. carried is B's
// pointer, those of ra and the accumulators, which are returned.
func (f *fixed) steps(b *emit.Builder, ra Rows, carried []*emit.Value,
	step func(pb *emit.Value, rows Rows, acc []*emit.Value, onA, onB int64) []*emit.Value) []*emit.Value {
	first := 1 + len(ra.Bases)
	some := func(x []*emit.Value, n int64) []*emit.Value {
		acc := x[first:]
		for u := range n {
			acc = step(x[0], ra.With(x[1:first]), acc, u*f.known["csa"], u*f.known["ldb"])
		}
		return acc
	}
	k := f.known["k"]
	rounds := k / f.unroll
	if rounds <= 1 {
		f.blocks.start(k)
		return some(carried, k)
	}
	x := b.ForOnce(b.Int(0), b.Int(rounds), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		f.blocks.start(f.unroll)
		acc := some(x, f.unroll)
		next := []*emit.Value{b.AddP(x[0], b.Int(f.unroll*f.known["ldb"]))}
		for _, p := range x[1:first] {
			next = append(next, b.AddP(p, b.Int(f.unroll*f.known["csa"])))
		}
		return append(next, acc...)
	})
	f.blocks.start(k % f.unroll)
	return some(x, k%f.unroll)
}

// Budgets of instructions: a kernel up to the first is straight lines, else a round of
// a tile's loop has at most the second. More gains nothing, and what the cache of
// decoded instructions does not hold costs a third. RATIONALE.md, "Fixed shapes".
const (
	straightLine = 800
	roundLine    = 320
)

// unrolled returns how many steps of k go without a branch in a tile of mr x nv.
func unrolled(s gemm.Shape, cut tiling.Blocking, mr, nv, size int) int64 {
	sum := 0
	for _, p := range cut.Panels(s.N) {
		for _, g := range cut.Groups(s.M) {
			sum += perStep(g.Rows, len(p.Cols)) * s.K
		}
	}
	if sum <= straightLine {
		return int64(s.K)
	}
	n := max(1, min(s.K, roundLine/perStep(mr, nv)))
	if per := blockBytes / size; n > per {
		n -= n % per // so that rounds begin at blocks of A
	}
	return int64(n)
}

// perStep is the number of instructions of a step of k: multiply-adds and loads.
func perStep(mr, nv int) int { return mr*nv + mr + nv }

// fixedArgs describes kernel.FixedArgs to the IR.
func fixedArgs() []emit.Arg {
	at := kernel.Offset[kernel.FixedArgs]
	return []emit.Arg{
		{Name: "c", Type: emit.Ptr, Offset: at("out")}, {Name: "a", Type: emit.Ptr, Offset: at("a")}, {Name: "b", Type: emit.Ptr, Offset: at("b")},
		{Name: "count", Type: emit.Int64, Offset: at("count")},
		{Name: "stepc", Type: emit.Int64, Offset: at("outstride")}, {Name: "stepa", Type: emit.Int64, Offset: at("astride")}, {Name: "stepb", Type: emit.Int64, Offset: at("bstride")},
	}
}

// specialised computes products of one shape, one after another: everything but the
// addresses is a constant. Operands are read where they lie, and every element of C
// is stored once or, where the last two vectors of a row overlap, twice alike.
func (l *lowering) specialised(b *emit.Builder, cut tiling.Blocking) {
	s := l.fixed.shape
	size := int64(l.elem.Bytes())
	f := *l
	f.vl, f.fixed.plain = cut.VL, true
	var last *emit.Value
	if s.N < cut.VL {
		last = b.MaskN(f.vector(), b.Int(int64(s.N)))
	}
	inits := []*emit.Value{b.Param("c", emit.Ptr), b.Param("a", emit.Ptr), b.Param("b", emit.Ptr)}
	b.ForOnce(b.Int(0), b.Param("count", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		for _, p := range cut.Panels(s.N) {
			f.fixed.cols = nil
			for _, c := range p.Cols {
				f.fixed.cols = append(f.fixed.cols, int64(c)*size)
			}
			wide := int64(len(p.Cols)*cut.VL) * size
			repeat(b, p.Count, []*emit.Value{at[0], at[2]}, []int64{wide, wide}, func(x []*emit.Value) {
				f.column(b, cut, x[0], at[1], x[1], last)
			})
		}
		next := make([]*emit.Value, len(at))
		for i, name := range []string{"stepc", "stepa", "stepb"} {
			next[i] = b.AddP(at[i], b.Param(name, emit.Int64))
		}
		return next
	})
}

// column computes a panel of C from end to end: tiles one under another.
func (l *lowering) column(b *emit.Builder, cut tiling.Blocking, c, a, pb, last *emit.Value) {
	s, size, nv := l.fixed.shape, int64(l.elem.Bytes()), len(l.fixed.cols)
	lda, ldc := int64(s.K)*size, int64(s.N)*size
	l.fixed.known = map[string]int64{"rsa": lda, "csa": size, "ldb": ldc, "ldc": ldc, "k": int64(s.K)}
	from := []*emit.Value{a, c}
	for _, g := range cut.Groups(s.M) {
		l.fixed.unroll = unrolled(s, cut, g.Rows, nv, int(size))
		l.fixed.blocks = l.blocks(g.Rows, nv)
		rows, all := int64(g.Rows), int64(g.Rows*g.Tiles)
		repeat(b, g.Tiles, from, []int64{rows * lda, rows * ldc}, func(x []*emit.Value) {
			l.finish(b, l.product(b, &tile{a: x[0], b: pb}, g.Rows, nv, last), x[1], nv, last)
		})
		from = []*emit.Value{b.AddP(from[0], b.Int(all*lda)), b.AddP(from[1], b.Int(all*ldc))}
	}
}

// repeat does body n times, with pointers that move by so many bytes each time.
func repeat(b *emit.Builder, n int, at []*emit.Value, by []int64, body func(at []*emit.Value)) {
	if n == 1 {
		body(at)
		return
	}
	b.ForOnce(b.Int(0), b.Int(int64(n)), 1, at, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		body(at)
		next := make([]*emit.Value, len(at))
		for i, p := range at {
			next[i] = b.AddP(p, b.Int(by[i]))
		}
		return next
	})
}

// machine describes a target to the choice of a cut.
func machine(t emit.Target, e emit.Elem) tiling.Machine {
	m := tiling.Machine{Regs: t.Regs, Lanes: t.Lanes(e), Least: 128 / e.Bits()}
	if i := kernel.ByName(t.Name); i != nil {
		m.OnePort, m.SlowMask = i.OnePort, i.SlowMask
	}
	return m
}
