package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SDDMM is the family of kernels of a sampled product: the elements of A * B transposed at
// the entries of a sparse matrix. It works in two steps, since rows of graphs are shorter
// than a vector:
//
//   - A dots kernel goes over entries from From to Limit-1, which begin in the first row of
//     the call. For each it leaves a vector of partial sums over its panel of features in C,
//     one after another. A row of A stays in registers.
//   - A reduce kernel sums the lanes of as many such vectors at once as a vector has lanes,
//     by transposing them in registers. They may belong to any rows.
type SDDMM struct {
	Name    string // of the functions, before kind, width and target
	Op      Operator
	Vectors int // the widest panel; 0: as many as leave registers for the rest, at most 16
}

// SDDMMVectors returns the widest panel that SDDMM takes on t when nothing else
// is said.
func SDDMMVectors(t emit.Target) int { return min(16, t.Regs-5) }

// Lower returns the kernels for one target.
func (s SDDMM) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	elem, _, _ := s.Op.Types()
	if err := check(s.Op, elem); err != nil {
		return nil, k, err
	}
	if s.Vectors == 0 {
		s.Vectors = SDDMMVectors(t)
	}
	v := emit.Vector(elem, t.Lanes(elem))
	f := rowFamily(s.Name, elem, t)
	k.ISA, k.VL, k.NV = t.Name, v.Lanes, s.Vectors
	for nv := 1; nv <= s.Vectors; nv++ {
		for _, c := range []struct {
			form               kernel.Form
			suffix             string
			masked, more, near bool
		}{
			{kernel.Fetch, "", false, false, false}, {kernel.FetchTail, "tail", true, false, false},
			{kernel.Panel, "near", false, false, true}, {kernel.Tail, "neartail", true, false, true},
			{kernel.More, "more", false, true, false}, {kernel.MoreTail, "moretail", true, true, false},
		} {
			if c.near && nv > narrow {
				continue
			}
			d := dots{SDDMM: s, Panel: vector.Panel{Vec: v, N: nv}, tail: c.masked, more: c.more, near: c.near}
			k.Add(c.form, 1, nv, f.Add(fmt.Sprintf("%d%s", nv*v.Lanes, c.suffix), fmt.Sprintf("leaves partial sums over %d vectors for each entry.", nv), d.build))
		}
	}
	const doc = "sums the lanes of partial sums."
	k.Add(kernel.Join, 1, 1, f.Add("reduce", doc, func(b *emit.Builder) { reduceKernel(b, s.Op, v, false) }))
	k.Add(kernel.Weigh, 1, 1, f.Add("weigh", doc, func(b *emit.Builder) { reduceKernel(b, s.Op, v, true) }))
	k.Sort()
	return f.Funcs, k, f.Err
}

// narrow is the most vectors of a panel for which fetching costs so much of an
// entry's time that there is a kernel without.
const narrow = 4

// rowsEarly is the log2 of how many rows before its use a row of A is fetched: empty
// rows between them mislead the hardware's prefetchers.
const rowsEarly = 3

// dots is one dots kernel.
type dots struct {
	SDDMM
	vector.Panel
	tail, more, near bool
}

func (d *dots) build(b *emit.Builder) {
	d.Panel = d.Cut(b, d.tail)
	indices := b.Param("indices", emit.Ptr)
	far := b.AddP(indices, b.Param("ahead", emit.Int64))
	pb, ldb := b.Param("b", emit.Ptr), b.Param("ldb", emit.Int64)
	start := []*emit.Value{b.Param("pointers", emit.Ptr), b.Param("a", emit.Ptr), b.Param("c", emit.Ptr), b.Param("from", emit.Int64)}
	b.ForOnce(b.Int(0), b.Param("rows", emit.Int64), 1, start, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		ptr, pa, sums, from := x[0], x[1], x[2], x[3]
		to := b.IMin(index(b, emit.At(ptr, 4)), b.Param("limit", emit.Int64))
		sums = b.If(b.Cmp("lt", from, to), func() []*emit.Value {
			row := make([]*emit.Value, d.N)
			next := b.Shl(b.Param("lda", emit.Int64), b.Int(rowsEarly))
			for j := range row {
				row[j] = d.Load(b, pa, j)
				if off := int64(j * d.Vec.Bytes()); off%vector.LineBytes == 0 {
					b.Prefetch(0, emit.Addr{Ptr: pa, Index: next, Scale: 1, Off: off})
				}
			}
			return b.ForOnce(from, to, 1, []*emit.Value{sums}, func(k *emit.Value, x []*emit.Value) []*emit.Value {
				at := func(p *emit.Value) *emit.Value {
					return b.AddP(pb, b.Mul(indexAt(b, p, k, 0), ldb))
				}
				if !d.near {
					vector.Fetch(b, at(far), d.Bytes())
				}
				b.Store(d.sum(b, row, at(indices), x[0]), emit.At(x[0], 0))
				return []*emit.Value{b.AddP(x[0], b.Int(int64(d.Vec.Bytes())))}
			})
		}, func() []*emit.Value { return []*emit.Value{sums} })[0]
		return []*emit.Value{b.AddP(ptr, b.Int(4)), b.AddP(pa, b.Param("lda", emit.Int64)), sums, to}
	})
}

// chains is how many sums of one entry grow in parallel, so that it takes fewer
// latencies of a multiply-add from its row of B to its sum.
func (d *dots) chains() int {
	if d.N >= 4 {
		return 2
	}
	return 1
}

// sum returns the sums of one entry, whose row of B is at p. Ordinary sums take full vectors of B
// from memory as they multiply by them, and begin with a product instead of with 0. An entry of a
// few features takes little more than these instructions.
func (d *dots) sum(b *emit.Builder, row []*emit.Value, p, sums *emit.Value) *emit.Value {
	acc := make([]*emit.Value, d.chains())
	if d.more {
		acc[0] = b.Load(d.Vec, emit.At(sums, 0))
	}
	_, plain := d.Op.(gemm.FMA)
	for j, x := range row {
		c, off, mask := j%len(acc), d.At(p, j).Off, d.Mask(j)
		switch {
		case plain && mask == nil && acc[c] == nil:
			acc[c] = vector.MulAt(b, x, p, off)
		case plain && mask == nil:
			acc[c] = vector.FMAAt(b, acc[c], x, p, off)
		case plain && acc[c] == nil:
			acc[c] = b.Mul(x, d.Load(b, p, j))
		default:
			if acc[c] == nil {
				acc[c] = d.Op.Identity(b, d.Vec)
			}
			next := d.Op.Step(b, acc[c], x, d.Load(b, p, j))
			if !plain && mask != nil {
				next = b.Select(mask, next, acc[c]) // 0 and 0 are not neutral in every semiring
			}
			acc[c] = next
		}
	}
	return vector.Fold(b, d.Op.Join, acc, 1)[0]
}
