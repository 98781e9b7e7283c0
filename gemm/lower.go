package gemm

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// lowering turns one spec into the functions of one target.
type lowering struct {
	name   string
	target emit.Target
	op     Operator
	a, b   emit.Elem // of the operands in memory
	elem   emit.Elem // of the sums, and of packed operands
	epi    *epilogue // nil: alpha and beta
	tile   tiling.Micro
	vl     int
	fixed  fixed
}

func (l *lowering) vector() emit.Type { return emit.Vector(l.elem, l.vl) }

// module builds every kernel of the family: full tiles of each height, tails of
// each height and width, and the packing kernels.
func (l *lowering) module(m *Module) error {
	add := func(name string, doc string, args []emit.Arg, body func(b *emit.Builder)) (string, error) {
		name = l.prefix() + name
		f, err := emit.Build(name, args, body)
		if err != nil {
			return "", fmt.Errorf("gemm: %w", err)
		}
		f.Doc = name + " " + doc
		m.Funcs = append(m.Funcs, f)
		return name, nil
	}
	var err error
	try := func(name, doc string, body func(b *emit.Builder)) (s string) {
		if err == nil {
			s, err = add(name, doc, l.args(), body)
		}
		return s
	}
	for mr := 1; mr <= l.tile.MR; mr++ {
		var full, tail []string
		for nv := 1; nv <= l.tile.NV; nv++ {
			wanted := func(isTail bool, name, doc string) string {
				if !l.needs(mr, nv, isTail) {
					return ""
				}
				return try(name, doc, func(b *emit.Builder) { l.micro(b, mr, nv, isTail) })
			}
			full = append(full, wanted(false, fmt.Sprintf("_%dx%d", mr, nv*l.vl),
				fmt.Sprintf("computes tiles of %d x %d.", mr, nv*l.vl)))
			tail = append(tail, wanted(true, fmt.Sprintf("_%dx%dtail", mr, nv*l.vl),
				fmt.Sprintf("computes tiles of %d rows and %d vectors, the last with n lanes.", mr, nv)))
		}
		m.Full, m.Tail = append(m.Full, full), append(m.Tail, tail)
	}
	if err == nil && l.fixed.shape.All() {
		err = l.addWhole(m, add)
	}
	j, ok := l.op.(Joiner)
	if _, s := l.op.(Semiring); s || DepthOf(l.op).K > 1 { // zeros in masked lanes are no Zero; groups of k are one
		ok = false
	}
	if ok && !l.closed() {
		for mr := 1; mr <= min(l.tile.MR, tiling.WideMost); mr++ {
			t := tiling.Wide(l.target.Regs, mr)
			m.Wide = append(m.Wide, kernel.Tile[string]{MR: t.MR, NV: t.NV, F: try(fmt.Sprintf("_%dx%dwide", mr, t.NV*l.vl),
				fmt.Sprintf("computes tiles of %d x %d that lie side by side.", mr, t.NV*l.vl),
				func(b *emit.Builder) { l.wide(b, mr, t.NV) })})
		}
		for _, t := range tiling.DotTiles(l.target.Regs) {
			m.Dot = append(m.Dot, kernel.Tile[string]{MR: t.MR, NV: t.NV, F: try(fmt.Sprintf("_%dx%ddot", t.MR, t.NV),
				fmt.Sprintf("computes tiles of %d x %d from operands contiguous along k.", t.MR, t.NV),
				func(b *emit.Builder) { l.dot(b, j, t.MR, t.NV) })})
		}
	}
	if DepthOf(l.op).K > 1 {
		return err // nothing packs groups yet
	}
	pack := func(suffix, what string, from emit.Elem) (rows []string, cols string) {
		for nv := 1; nv <= l.tile.NV; nv++ {
			rows = append(rows, try(fmt.Sprintf("_packrows%s%d", suffix, nv*l.vl),
				fmt.Sprintf("copies k rows of %d columns of %s, n of them in the last vector.", nv*l.vl, what),
				func(b *emit.Builder) { l.packRows(b, from, nv) }))
		}
		return rows, try("_packcols"+suffix, fmt.Sprintf("transposes n of %d columns of %s into k rows.", l.vl, what),
			func(b *emit.Builder) { l.packCols(b, from) })
	}
	m.PackRows, m.PackCols = pack("", "an operand", l.b)
	m.PackRowsA, m.PackColsA = m.PackRows, m.PackCols
	if l.a != l.b {
		m.PackRowsA, m.PackColsA = pack("a", "A", l.a)
	}
	if l.epi != nil && err == nil {
		m.EpiLanes = l.epi.lanes
		m.Epi, err = add("_epi", "turns finished sums into outputs.", l.epi.epiArgs(), l.epi.build)
	}
	return err
}

// prefix begins the names of all symbols of the module: unexported, with the ISA.
func (l *lowering) prefix() string {
	return strings.ToLower(l.name[:1]) + l.name[1:] + "_" + l.target.Name
}

// args describes kernel.Args to the IR.
func (l *lowering) args() []emit.Arg {
	var args []emit.Arg
	for _, f := range kernel.Fields[kernel.Args]() {
		t := emit.Int64
		switch {
		case f.Pointer:
			t = emit.Ptr
		case f.Scalar:
			t = emit.Scalar(l.elem)
		}
		args = append(args, emit.Arg{Name: f.Name, Type: t, Offset: f.Offset})
	}
	return args
}

// micro is the one main loop: tiles of mr rows and nv vectors, with the last
// vector cut to n columns if tail is set.
func (l *lowering) micro(b *emit.Builder, mr, nv int, tail bool) {
	l = l.deep()
	var last *emit.Value
	if tail {
		last = b.MaskN(l.vector(), b.Param("n", emit.Int64))
	}
	a, c := b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)
	tiles := b.Param("tiles", emit.Int64)
	b.ForOnce(b.Int(0), tiles, 1, []*emit.Value{a, c}, func(_ *emit.Value, tile []*emit.Value) []*emit.Value {
		a, c := tile[0], tile[1]
		acc := l.product(b, a, b.Param("b", emit.Ptr), mr, nv, last, l.ahead(b))
		l.finish(b, acc, c, nv, last)
		down := func(p *emit.Value, stride string) *emit.Value {
			return b.AddP(p, b.Mul(b.Param(stride, emit.Int64), b.Int(int64(mr))))
		}
		return []*emit.Value{down(a, "rsa"), down(c, "ldc")}
	})
}

// lineBytes is a cache line; rowsAhead is the log2 of how many rows of B ahead of
// their use its lines are fetched: a packed panel streams from L2 and comes a
// little early, rows of a large B lie in different pages, which no hardware
// prefetcher crosses.
const (
	lineBytes = 64
	rowsAhead = 4
)

// ahead returns the fetch of a line of B that lies below what is read now.
func (l *lowering) ahead(b *emit.Builder) func(line emit.Addr) emit.Addr {
	far := b.Shl(b.Param("ldb", emit.Int64), b.Int(rowsAhead))
	return func(line emit.Addr) emit.Addr {
		line.Index, line.Scale = far, 1
		return line
	}
}

// product sums over k and returns mr*nv accumulators, row by row. While it reads a
// line of B, it fetches the one that ahead names.
func (l *lowering) product(b *emit.Builder, a, pb *emit.Value, mr, nv int, last *emit.Value, ahead func(line emit.Addr) emit.Addr) []*emit.Value {
	v := l.vector()
	ra := NewRows(b, a, l.field(b, "rsa"), mr)
	csa, ldb := l.field(b, "csa"), l.field(b, "ldb")
	carried := append([]*emit.Value{pb}, ra.Bases...)
	for range mr * nv {
		carried = append(carried, l.op.Identity(b, v))
	}
	first := 1 + len(ra.Bases) // of the accumulators
	deep := DepthOf(l.op)
	step := func(pb *emit.Value, rows Rows, acc []*emit.Value, onA, onB int64) []*emit.Value {
		row := make([]*emit.Value, nv)
		for j := range row {
			if deep.K > 1 {
				row[j] = l.group(b, deep, emit.At(pb, int64(j*l.vl*deep.K*l.b.Bytes())))
				continue
			}
			off := l.fixed.col(j, v) + onB
			row[j] = l.loadVector(b, emit.At(pb, off), last, j == nv-1)
			if ahead != nil && off%lineBytes == 0 {
				b.Prefetch(0, ahead(emit.At(pb, off)))
			}
		}
		next := make([]*emit.Value, 0, len(acc))
		for i := range mr {
			e := l.splat(b, rows, i, onA)
			for j := range row {
				next = append(next, l.op.Step(b, acc[i*nv+j], e, row[j]))
			}
		}
		return next
	}
	if l.fixed.unroll > 0 {
		return l.fixed.steps(b, ra, carried, step)
	}
	out := b.For(b.Int(0), l.field(b, "k"), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		rows := ra.With(x[1:first])
		acc := step(x[0], rows, x[first:], 0, 0)
		next := []*emit.Value{b.AddP(x[0], ldb)}
		for i := range rows.Bases {
			next = append(next, b.AddP(rows.Bases[i], csa))
		}
		return append(next, acc...)
	})
	return out[first:]
}

func (l *lowering) loadVector(b *emit.Builder, a emit.Addr, last *emit.Value, isLast bool) *emit.Value {
	if last != nil && isLast {
		return b.LoadMasked(l.vector(), last, a)
	}
	return b.Load(l.vector(), a)
}

// finish stores the accumulators by mode.
func (l *lowering) finish(b *emit.Builder, acc []*emit.Value, c *emit.Value, nv int, last *emit.Value) {
	v := l.vector()
	mr := len(acc) / nv
	each := func(f func(i int, a emit.Addr, isLast bool)) {
		rc := NewRows(b, c, l.field(b, "ldc"), mr)
		for i := range acc {
			f(i, rc.At(i/nv, l.fixed.col(i%nv, v)), i%nv == nv-1)
		}
	}
	store := func(x *emit.Value, a emit.Addr, isLast bool) {
		if last != nil && isLast {
			b.StoreMasked(x, last, a)
		} else {
			b.Store(x, a)
		}
	}
	plain := func() []*emit.Value {
		each(func(i int, a emit.Addr, isLast bool) { store(acc[i], a, isLast) })
		return nil
	}
	if l.fixed.plain {
		plain()
		return
	}
	mode := b.Param("mode", emit.Int64)
	if s, ok := l.op.(Semiring); ok { // no alpha and no beta: what C holds is joined
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			each(func(i int, a emit.Addr, isLast bool) {
				store(s.Join(b, l.loadVector(b, a, last, isLast), acc[i]), a, isLast)
			})
			return nil
		}, plain)
		return
	}
	if l.elem == emit.I32 { // no alpha and no beta either
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeUpdate)), func() []*emit.Value {
			each(func(i int, a emit.Addr, isLast bool) {
				store(b.Add(l.loadVector(b, a, last, isLast), acc[i]), a, isLast)
			})
			return nil
		}, plain)
		return
	}
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), plain, func() []*emit.Value {
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
			alpha := b.Param("alpha", v)
			each(func(i int, a emit.Addr, isLast bool) { store(b.Mul(acc[i], alpha), a, isLast) })
			return nil
		}, func() []*emit.Value {
			alpha, beta := b.Param("alpha", v), b.Param("beta", v)
			each(func(i int, a emit.Addr, isLast bool) {
				old := b.Mul(l.loadVector(b, a, last, isLast), beta)
				store(b.FMA(old, acc[i], alpha), a, isLast)
			})
			return nil
		})
		return nil
	})
}
