package simd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Options guide the lowering.
type Options struct {
	// Widest tells the widest type of values inside a Go function, of an epilogue or a semiring,
	// which decides how many lanes are done at once. nil: its signature does.
	Widest Widest
	// Tile is the tile of a spec that names none, in place of the one for the target's
	// registers. It is for an operator that needs some of these registers itself.
	Tile tiling.Micro
	// Once makes loops that do one step of k before they branch, for a step that is long.
	Once bool
}

// Lower gives a product its meaning on one target. The epilogue's function stands in
// it as an apply, which runs in the interpreter; whoever prints replaces it by its
// translation. The error says which tile, type or limit stands in the way.
func Lower(d gemm.Description, t emit.Target, o Options) (*Module, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (*Module, error) {
		return nil, fmt.Errorf("gemm: %s: "+format, append([]any{d.Name}, args...)...)
	}
	if t.Arch == "ptx" {
		return fail("%s is a GPU; package gemm/gpu lowers for it", t.Name)
	}
	op, err := operatorOf(d, t)
	if err != nil {
		return fail("%w", err)
	}
	if err := checkDepth(op, t); err != nil {
		return fail("%w", err)
	}
	if k := gemm.DepthOf(op).K; k > 1 && d.Shape != (gemm.Shape{}) && !d.Reduce.On() {
		return fail("operator %v takes %d k a step, and kernels of a fixed shape one", op, k)
	}
	if _, ok := op.(armSquare); ok && d.Reduce.On() {
		return fail("on %s operator %v has no sums over blocks; name the target %s in its place, whose kernels run there too", t.Name, op, plain(t.Name))
	}
	fusion := d.Fusion
	if fusion == nil && (d.Out != d.Acc || d.Structure != (gemm.Structure{})) {
		if fusion, err = gemm.Store(d.Acc, d.Out); err != nil {
			return fail("%w", err)
		}
	}
	elem := gemm.ElemOf(d.Acc)
	tile := d.Tile
	if tile == (tiling.Micro{}) {
		tile = o.Tile
	}
	_, tiled := op.(gemm.Tiles)
	tiled = tiled && hasTiles(t)
	usual := machine(t, elem).Tile(d.Shape)
	parts := 1
	if d.Acc.Complex() {
		parts = 2
		usual.MR /= 2
	}
	if ofArm(op) {
		usual = narrowTile
	}
	if tiled {
		usual = mostTiles
	}
	if tile == (tiling.Micro{}) {
		tile = usual
	}
	if tiled && (tile.MR > usual.MR || tile.NV > usual.NV) {
		return fail("a tile of %d rows and %d vectors is more than the %d and %d for which there are registers for tiles", tile.MR, tile.NV, usual.MR, usual.NV)
	}
	if need := tile.MR*parts*tile.NV + tile.NV + 1; tile.MR < 1 || tile.NV < 1 || !tiled && need > t.Regs {
		return fail("a tile of %d rows and %d vectors needs %d registers (accumulators, a row of B, one broadcast), %s has %d",
			tile.MR, tile.NV, need, t.Name, t.Regs)
	}
	computed, err := Computed(elem, op, o.Widest)
	if err != nil {
		return fail("%w", err)
	}
	l := &lowering{name: d.Name, target: t, op: op, a: gemm.ElemOf(d.A), b: gemm.ElemOf(d.B), elem: elem, tile: tile, vl: t.Lanes(computed), once: o.Once, parts: parts, fixed: fixed{shape: d.Shape}}
	if fusion != nil {
		if l.epi, err = newEpilogue(t, fusion, o.Widest); err != nil {
			return fail("%w", err)
		}
	}
	m := &Module{Name: d.Name, Target: t, A: d.A, B: d.B, Elem: d.Acc, Op: op, Fusion: fusion, Shape: d.Shape, Structure: d.Structure, Table: kernel.Table[string]{MR: tile.MR, NV: tile.NV, VL: l.cols(), Parts: parts &^ 1}, Standalone: d.Standalone, Grouped: d.Grouped}
	m.Flip = flips(op, d.A)
	if starts(op) {
		m.Head, m.FlipCopy = 1, !flipsWords(op)
	}
	if k := gemm.DepthOf(op).K; k > 1 {
		m.Depth = k
	}
	_, fma := op.(gemm.FMA)
	_, dot := op.(gemm.Dot)
	m.Stock = !d.Standalone && (fma || dot || ofArm(op) || tiled || parts > 1) && d.Shape == (gemm.Shape{}) && tile == usual &&
		slices.ContainsFunc(gemm.TargetsFor(d.A, d.B, d.Acc), func(c emit.Target) bool { return c.Name == t.Name })
	return m, l.module(m, d.Reduce)
}

// lowering turns one spec into the functions of one target.
type lowering struct {
	name   string
	target emit.Target
	op     gemm.Operator
	a, b   emit.Elem // of the operands in memory
	elem   emit.Elem // of the sums, and of packed operands
	narrow emit.Elem // of packed B where kernels widen it, else none
	epi    *epilogue // nil: alpha and beta
	tile   tiling.Micro
	vl     int  // lanes of a vector
	once   bool // a step of k before a branch
	parts  int  // numbers of an element: 1, or 2 of pairs
	fixed  fixed
	flip   *emit.Value // XORed with words of A; nil: they are as they lie

	back *vector.Back // where the last vector of a row begins; nil: behind the others
}

// cols is how many elements a vector has.
func (l *lowering) cols() int { return l.vl / l.parts }

// size is the bytes of an element of the sums.
func (l *lowering) size() int { return l.parts * l.elem.Bytes() }

// first is the mask of the first n elements of a vector.
func (l *lowering) first(b *emit.Builder, n *emit.Value) *emit.Value {
	if l.parts > 1 {
		n = b.Shl(n, b.Int(1))
	}
	return b.MaskN(l.vector(), n)
}

func (l *lowering) vector() emit.Type { return emit.Vector(l.elem, l.vl) }

// module builds every kernel of the family: full tiles of each height, tails of
// each height and width, and the packing kernels; or the one that reduces.
func (l *lowering) module(m *Module, reduce gemm.BatchReduce) error {
	f := &emit.Family{Of: "gemm", Prefix: l.prefix(), Args: vector.BlockArgs[kernel.Args](l.elem)}
	if reduce.On() {
		f.Err = l.addBatchReduce(m, reduce, f)
	} else {
		l.addKernels(m, f)
	}
	if l.epi != nil {
		m.Epi, m.EpiLanes = l.epi.add(f, "_epi"), l.epi.lanes
	}
	m.Funcs = f.Funcs
	return f.Err
}

// addKernels adds those that pack and multiply.
func (l *lowering) addKernels(m *Module, f *emit.Family) {
	if op, ok := l.byTiles(); ok {
		l.addTiles(m, op, f)
		l.packWords(m, f)
		return
	}
	var tails []kernel.Entry[string]
	for mr := 1; mr <= l.tile.MR; mr++ {
		for nv := 1; nv <= l.tile.NV; nv++ {
			tile := func(form kernel.Form, name, doc string) kernel.Entry[string] {
				t := kernel.Entry[string]{Form: form, MR: mr, NV: nv}
				if tail := form == kernel.Tail; l.needs(mr, nv, tail) && (tail || l.apart(mr, nv)) {
					t.F = f.Add(name, doc, func(b *emit.Builder) { l.micro(b, mr, nv, tail) })
				}
				return t
			}
			m.Entries = append(m.Entries, tile(kernel.Panel, fmt.Sprintf("_%dx%d", mr, nv*l.cols()),
				fmt.Sprintf("computes tiles of %d x %d.", mr, nv*l.cols())))
			tails = append(tails, tile(kernel.Tail, fmt.Sprintf("_%dx%dtail", mr, nv*l.cols()),
				fmt.Sprintf("computes tiles of %d rows and %d vectors, the last with n lanes.", mr, nv)))
		}
	}
	for i, t := range tails {
		if !l.apart(t.MR, t.NV) {
			m.Entries[i].F = t.F
		}
	}
	m.Entries = append(m.Entries, tails...)
	if half := l.half(); half != nil {
		for mr := 1; mr <= l.tile.MR; mr++ {
			m.Add(kernel.Half, mr, 1, f.Add(fmt.Sprintf("_%dx%dtail", mr, half.vl),
				fmt.Sprintf("computes tiles of %d rows and n of %d columns.", mr, half.vl),
				func(b *emit.Builder) { half.micro(b, mr, 1, true) }))
		}
	}
	for _, mr := range l.columnHeights() {
		m.Add(kernel.Columns, mr, 1, f.Add(fmt.Sprintf("_%dx%dcolumns", mr, l.vl),
			fmt.Sprintf("computes tiles of %d x %d from columns of B that are contiguous along k.", mr, l.vl),
			func(b *emit.Builder) { l.byColumns(b, mr) }))
	}
	if l.fixed.shape.All() {
		l.addFixed(m, f)
	}
	j, ok := l.op.(gemm.Joiner)
	if _, s := l.op.(gemm.Semiring); s || l.parts > 1 || gemm.DepthOf(l.op).K > 1 { // zeros in masked lanes are no Zero; groups of k are one
		ok = false
	}
	if ok && !l.closed() {
		for mr := 1; mr <= min(l.tile.MR, tiling.AxpyMost); mr++ {
			t := tiling.Axpy(l.target.Regs, mr)
			m.Add(kernel.Axpy, t.MR, t.NV, f.Add(fmt.Sprintf("_%dx%daxpy", mr, t.NV*l.vl),
				fmt.Sprintf("computes tiles of %d x %d that lie side by side.", mr, t.NV*l.vl),
				func(b *emit.Builder) { l.axpy(b, l.op, mr, t.NV) }))
		}
		for _, t := range tiling.DotTiles(tiling.DotRegs(l.target.Bits, l.target.Regs)) {
			m.Add(kernel.Dot, t.MR, t.NV, f.Add(fmt.Sprintf("_%dx%ddot", t.MR, t.NV),
				fmt.Sprintf("adds to tiles of %d x %d vectors of partial sums, from operands contiguous along k.", t.MR, t.NV),
				func(b *emit.Builder) { l.dot(b, j, t.MR, t.NV) }))
		}
		m.Add(kernel.Join, 1, 1, f.Add("_join", "joins rows of vectors of partial sums.",
			func(b *emit.Builder) { l.joined(b, j) }))
	}
	if _, ok := l.op.(armSquare); ok {
		m.AtOnce = wordsAtOnce
		l.addZips(m, f)
	}
	l.addTriangles(m, f)
	if _, fma := l.op.(gemm.FMA); m.Stock && fma && m.wideningStock() != nil {
		l.addWidening(m, f)
	}
	if gemm.DepthOf(l.op).K > 1 {
		if takesWords(l.op) {
			l.packWords(m, f)
		}
		return
	}
	pack := func(suffix, what string, from emit.Elem) kernel.Table[string] {
		p := kernel.Table[string]{NV: l.tile.NV}
		for nv := 1; nv <= l.tile.NV; nv++ {
			p.Add(kernel.Panel, 1, nv, f.Add(fmt.Sprintf("_packrows%s%d", suffix, nv*l.cols()),
				fmt.Sprintf("copies k rows of %d columns of %s, n of them in the last vector.", nv*l.cols(), what),
				func(b *emit.Builder) { l.packRows(b, from, nv) }))
		}
		p.Add(kernel.Columns, 1, 1, f.Add("_packcols"+suffix, fmt.Sprintf("transposes n of %d columns of %s into k rows.", l.cols(), what),
			func(b *emit.Builder) {
				l.packCols(b, l.parts*from.Bytes(), func(a emit.Addr, mask *emit.Value) *emit.Value { return l.widen(b, from, a, mask) })
			}))
		return p
	}
	m.Pack = pack("", "an operand", l.b)
	if l.a != l.b {
		a := pack("a", "A", l.a)
		m.PackA = &a
	}
}

// apart reports whether whole vectors have kernels of their own. If a mask costs nothing
// and only results need one, the kernels for the rest of a row have one. So they do if the
// last vector ends where the row does, or if results go row by row.
func (l *lowering) apart(mr, nv int) bool {
	if l.backs(nv) {
		return !l.needs(mr, nv, true)
	}
	isa := isaset.ByName(l.target.Name)
	return gemm.DepthOf(l.op).K == 1 || isa == nil || isa.SlowMask && !l.lanewise()
}

// half is the lowering to vectors of half the lanes, for the rest of a row. If two units
// of 256 bits do 512, half vectors take half the time. It is nil for shorter ones.
func (l *lowering) half() *lowering {
	if _, fma := l.op.(gemm.FMA); !fma || l.fixed.shape != (tiling.Shape{}) || l.vector().Bytes() <= halfFrom {
		return nil
	}
	h := *l
	h.vl /= 2
	return &h
}

// halfFrom is the size of vectors that no core of the last decade does faster in halves.
const halfFrom = 32

// prefix begins the names of all symbols of the module: unexported, with the ISA.
func (l *lowering) prefix() string {
	return strings.ToLower(l.name[:1]) + l.name[1:] + "_" + l.target.Name
}
