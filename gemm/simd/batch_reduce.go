package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// addBatchReduce adds the kernel that sums the products of pairs of blocks. It is that of a fixed shape
// with one loop more. The loop over blocks stands between the zeros that the sums of a tile begin with
// and their stores.
func (l *lowering) addBatchReduce(m *Module, r gemm.BatchReduce, family *emit.Family) error {
	s := l.fixed.shape
	op, tiled := l.byTiles()
	if tiled && !gemm.WholeTiles(s) {
		return fmt.Errorf("gemm: %s: blocks of %v are not whole tiles, which %s needs: multiples of 16 rows and columns, and a K below 32 or a multiple of it; leave it out of the targets", l.name, s, l.target.Name)
	}
	f := *l
	f.fixed.reduce = r.Dense(s)
	if f.fixed.paired = gemm.Paired(m.B); f.fixed.paired {
		f.fixed.shape.K /= 2 // words of two
	}
	f.fixed.open = s.Open()
	m.Reduce, m.Blocking = f.fixed.reduce, f.reduceCut()
	switch {
	case !f.fixed.open:
		f.fixed.perCall = int64(tiling.BlocksPerCall(s, r.Count))
	case tiled:
		m.Blocking = tiling.Blocking{VL: inst.TileRows, MR: 2 * inst.TileRows, NV: 2}
	}
	body := func(b *emit.Builder) {
		f.vl = m.Blocking.VL
		field := func(name string) spot { return func() *emit.Value { return b.Param(name, emit.Ptr) } }
		switch {
		case tiled && f.fixed.open:
			f.openTiles(b, op, field("a"))
		case tiled:
			f.reduceTiles(b, op, field("c"), field("a"), field("b"))
		case f.fixed.open:
			f.openPanels(b, func(c, pb spot) { f.panels(b, m.Blocking, c, field("a"), pb) })
		default:
			f.panels(b, m.Blocking, field("c"), field("a"), field("b"))
		}
	}
	m.Reduced = family.With(vector.BlockArgs[kernel.BlocksArgs](l.elem), "_reduce", fmt.Sprintf("sums the products of pairs of blocks of %v.", s), body)
	return nil
}

// reduceCut chooses tiles as for one product of some blocks: how often a tile begins and ends is for
// all of them.
func (l *lowering) reduceCut() tiling.Blocking {
	s := l.fixed.shape
	if l.fixed.open {
		s.M, s.K = openRows, openSteps
	}
	s.K *= reduceUsual
	target := machine(l.target, l.elem)
	target.Scales = true
	if l.splits() {
		target.Regs-- // a word and the half of it that is multiplied
	}
	return target.FixedCut(s)
}

// reduceUsual is how many blocks a call is taken to have.
const reduceUsual = 8

// openRows and openSteps stand for what calls say: a multiple of most heights of tiles, so that the highest is chosen.
const openRows, openSteps = 840, 64

// splits reports whether words of two elements are taken apart, where nothing multiplies them as they are.
func (l *lowering) splits() bool { return l.fixed.paired && gemm.DepthOf(l.op).K == 1 }

// halves is how many elements of a word are multiplied one after another.
func (l *lowering) halves() int {
	if l.splits() {
		return 2
	}
	return 1
}

// halfOf makes the low (0) or high (1) bf16 of words floats.
func (l *lowering) halfOf(b *emit.Builder, words *emit.Value, n int) *emit.Value {
	if n == 0 {
		words = b.Shl(words, b.Const(words.Type, 16))
	} else {
		words = b.And(words, b.Const(words.Type, 0xffff0000))
	}
	return b.Bitcast(l.elem, words)
}

// summed is the sums of a tile: of one product, or of those of all blocks.
func (l *lowering) summed(b *emit.Builder, a, pb *emit.Value, mr, nv int, last *emit.Value) []*emit.Value {
	if !l.fixed.reduce.On() {
		return l.product(b, &tile{a: a, b: pb}, mr, nv, last)
	}
	return l.eachBlock(b, a, pb, l.zeros(b, mr*nv), func(a, pb *emit.Value, acc []*emit.Value) []*emit.Value {
		return l.product(b, &tile{a: a, b: pb, acc: acc}, mr, nv, last)
	})
}

// zeros are what so many sums begin with.
func (l *lowering) zeros(b *emit.Builder, n int) []*emit.Value {
	zeros := make([]*emit.Value, n)
	for i := range zeros {
		zeros[i] = l.op.Identity(b, l.vector())
	}
	return zeros
}

// eachBlock does body for where each pair of blocks begins whose first would begin at a and pb, and carries sums on.
func (l *lowering) eachBlock(b *emit.Builder, a, pb *emit.Value, sums []*emit.Value, body func(a, pb *emit.Value, sums []*emit.Value) []*emit.Value) []*emit.Value {
	count := b.Int(l.fixed.perCall)
	if l.fixed.perCall == 0 {
		count = b.Param("count", emit.Int64)
	}
	carried := []*emit.Value{a, pb, b.Param("ata", emit.Ptr), b.Param("atb", emit.Ptr)}
	first := len(carried)
	at := func(p, word *emit.Value, scale string) *emit.Value {
		return b.AddP(p, b.Mul(b.Load(emit.Int64, emit.At(word, 0)), b.Param(scale, emit.Int64)))
	}
	return b.For(b.Int(0), count, 1, append(carried, sums...), func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		sums := body(at(x[0], x[2], "scalea"), at(x[1], x[3], "scaleb"), x[first:])
		var next []*emit.Value
		for i, by := range []string{"stepa", "stepb", "nexta", "nextb"} {
			next = append(next, b.AddP(x[i], b.Param(by, emit.Int64)))
		}
		return append(next, sums...)
	})[first:]
}

// strides are what is known of a product of the shape: distances of rows and of steps of k, in bytes.
func (l *lowering) strides() map[string]int64 {
	s, size := l.fixed.shape, int64(l.elem.Bytes())
	if l.fixed.open { // the rest is in the argument block
		return map[string]int64{"csa": size, "ldb": int64(l.fixed.reduce.LdB) * size}
	}
	lda, ldb, ldc := int64(s.K)*size, int64(s.N)*size, int64(s.N)*size
	if r := l.fixed.reduce; r.On() {
		lda, ldb, ldc = int64(r.LdA*l.a.Bytes()), int64(r.LdB)*size, int64(r.LdC)*size
	}
	return map[string]int64{"rsa": lda, "csa": size, "ldb": ldb, "ldc": ldc, "k": int64(s.K)}
}
