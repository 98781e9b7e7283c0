package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
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

	reduce  gemm.BatchReduce // distances filled in; zero: one product
	perCall int64            // blocks of every call; 0: run time
	open    bool             // calls say how many rows and steps blocks have, and how far apart rows are
	rows    *emit.Value      // of a last tile; nil: the field
	paired  bool             // a step of k is a word of two elements
	half    int              // which of them, where they are multiplied one after another
}

// field loads an integer of the argument block, or is the constant that is known in
// its place.
func (l *lowering) field(b *emit.Builder, name string) *emit.Value {
	if name == "rows" && l.fixed.rows != nil {
		return l.fixed.rows
	}
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

// closed reports whether the family holds what its shape needs and no more. If it
// leaves a product with few rows or columns and a large operand to the run time, the
// kernels for that are kept. So are those for any width and depth, which they call.
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
func (l *lowering) addFixed(m *Module, f *emit.Family) {
	s := l.fixed.shape
	if l.epi != nil || l.a != l.elem || l.b != l.elem || float64(s.M)*float64(s.N)*float64(s.K) > tiling.FixedWork {
		return
	}
	m.Blocking = machine(l.target, l.elem).FixedCut(s)
	m.Fixed = f.With(fixedArgs(), "_fixed", fmt.Sprintf("computes products of %v, dense and row-major.", s),
		func(b *emit.Builder) { l.specialised(b, m.Blocking) })
}

// col is where vector j of a row begins.
func (f *fixed) col(j int, v emit.Type) int64 {
	if f.cols != nil {
		return f.cols[j]
	}
	return int64(j * v.Bytes())
}

// again is how many of the first columns of vector j of a row another vector has, too.
func (l *lowering) again(j int) int64 {
	n, cols := l.fixed.shape.N, l.fixed.cols
	if rest := n % l.vl; cols != nil && n > l.vl && rest > 0 && cols[j] == int64((n-l.vl)*l.elem.Bytes()) {
		return int64(l.vl - rest)
	}
	return 0
}

// steps is the loop over k if all strides are known. It has rounds of unroll steps, at
// constant offsets from pointers that move once a round, and the rest. carried is B's
// pointer, those of ra and the accumulators, which are returned.
func (f *fixed) steps(b *emit.Builder, ra vector.Rows, carried []*emit.Value,
	step func(pb emit.Addr, rows vector.Rows, acc []*emit.Value, onA int64) []*emit.Value) []*emit.Value {
	first := 1 + len(ra.Bases)
	some := func(x []*emit.Value, n int64) []*emit.Value {
		acc := x[first:]
		for u := range n {
			acc = step(emit.At(x[0], u*f.known["ldb"]), ra.With(x[1:first]), acc, u*f.known["csa"])
		}
		return acc
	}
	if f.open {
		return f.openSteps(b, ra, carried, some)
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
// decoded instructions does not hold costs a third. See
// docs/rationale/kernels.md, "Fixed shapes are straight lines up to 800 instructions".
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
// addresses is a constant. Operands are read in place. Every element of C is stored
// once, or, where the last two vectors of a row overlap, twice with the same value.
func (l *lowering) specialised(b *emit.Builder, cut tiling.Blocking) {
	f := *l
	f.vl, f.fixed.plain = cut.VL, true
	inits := []*emit.Value{b.Param("c", emit.Ptr), b.Param("a", emit.Ptr), b.Param("b", emit.Ptr)}
	b.ForOnce(b.Int(0), b.Param("count", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		f.panels(b, cut, held(at[0]), held(at[1]), held(at[2]))
		next := make([]*emit.Value, len(at))
		for i, name := range []string{"stepc", "stepa", "stepb"} {
			next[i] = b.AddP(at[i], b.Param(name, emit.Int64))
		}
		return next
	})
}

// panels computes C from one side to the other.
func (l *lowering) panels(b *emit.Builder, cut tiling.Blocking, c, a, pb spot) {
	n, size := l.fixed.shape.N, int64(l.elem.Bytes())
	var last *emit.Value
	if n < cut.VL {
		last = b.MaskN(l.vector(), b.Int(int64(n)))
	}
	for _, p := range cut.Panels(n) {
		l.fixed.cols = nil
		for _, c := range p.Cols {
			l.fixed.cols = append(l.fixed.cols, int64(c)*size)
		}
		wide := int64(len(p.Cols)*cut.VL) * size
		l.repeat(b, p.Count, []spot{c, pb}, []int64{wide, wide}, func(x []spot) {
			l.column(b, cut, x[0], a, x[1], last)
		})
	}
}

// column computes a panel of C from end to end: tiles one under another.
func (l *lowering) column(b *emit.Builder, cut tiling.Blocking, c, a, pb spot, last *emit.Value) {
	if l.fixed.open {
		l.openColumn(b, cut, c, a, pb, last)
		return
	}
	s, nv := l.fixed.shape, len(l.fixed.cols)
	l.fixed.known = l.strides()
	lda, ldc := l.fixed.known["rsa"], l.fixed.known["ldc"]
	from := []spot{a, c}
	for _, g := range cut.Groups(s.M) {
		l.fixed.unroll = unrolled(s, cut, g.Rows, nv, l.elem.Bytes())
		l.fixed.blocks = l.blocks(g.Rows, nv)
		rows, all := int64(g.Rows), int64(g.Rows*g.Tiles)
		l.repeat(b, g.Tiles, from, []int64{rows * lda, rows * ldc}, func(x []spot) {
			acc := l.summed(b, x[0](), pb(), g.Rows, nv, last)
			l.finish(b, acc, x[1](), nv, last)
		})
		from = []spot{l.moved(b, from[0], b.Int(all*lda)), l.moved(b, from[1], b.Int(all*ldc))}
	}
}

// A spot is where something begins: a pointer, or how one is computed where it is needed.
type spot func() *emit.Value

func held(p *emit.Value) spot { return func() *emit.Value { return p } }

// moved is n bytes further: of a kernel over blocks, which has no registers left for pointers that wait,
// computed where it is needed.
func (l *lowering) moved(b *emit.Builder, at spot, n *emit.Value) spot {
	if l.fixed.reduce.On() {
		return func() *emit.Value { return b.AddP(at(), n) }
	}
	return held(b.AddP(at(), n))
}

// repeat does body n times, with spots that move by so many bytes each time.
func (l *lowering) repeat(b *emit.Builder, n int, at []spot, by []int64, body func(at []spot)) {
	if n == 1 {
		body(at)
		return
	}
	var inits []*emit.Value
	if !l.fixed.reduce.On() {
		for _, p := range at {
			inits = append(inits, p())
		}
	}
	b.ForOnce(b.Int(0), b.Int(int64(n)), 1, inits, func(turn *emit.Value, p []*emit.Value) []*emit.Value {
		now, next := make([]spot, len(at)), make([]*emit.Value, len(p))
		for i := range at {
			if len(p) == 0 {
				now[i] = func() *emit.Value { return b.AddP(at[i](), b.Mul(turn, b.Int(by[i]))) }
			} else {
				now[i] = held(p[i])
			}
		}
		body(now)
		for i := range next {
			next[i] = b.AddP(p[i], b.Int(by[i]))
		}
		return next
	})
}

// machine describes a target to the choice of a cut.
func machine(t emit.Target, e emit.Elem) tiling.Machine {
	m := tiling.Machine{Regs: t.Regs, Lanes: t.Lanes(e), Least: 128 / e.Bits()}
	if i := isaset.ByName(t.Name); i != nil {
		m.OnePort, m.SlowMask, m.Elements = i.OnePort, i.SlowMask, i.Elements
	}
	return m
}
