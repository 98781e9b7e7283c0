package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// mmaSparse is a product on tensor cores by mma.sp, of an A of which half is stored: see
// package sparse24. Besides A's tile and B's a stage has one of metadata, whose words make a
// line for 16 rows. An instruction is as deep as 64 bytes of B's rows. It takes of A what
// mma takes of half that depth, and B's fragment is four registers.
type mmaSparse struct {
	mma
	chunk int // neighbours of A along K, of which half are stored
	words int // of metadata for an instruction
}

// sparseOf is the sparse form of an operator.
func sparseOf(o mma, i *emit.Instruction) mmaSparse {
	o.name, o.inst, o.k = "mma.sp"+o.name[len("mma"):], i, 64/o.elem.Bytes()
	chunk := inst.SparseChunk(o.elem.Bits())
	return mmaSparse{o, chunk, 2 * o.k / chunk}
}

// sparseOperator returns the operator of a sparse product, by its types and the operator that
// it names.
func sparseOperator(d gemm.Description, t emit.Target) (operator, error) {
	is := func(a, acc dtype.Type) bool { return d.A == a && d.B == a && d.Acc == acc }
	switch op := d.Operator; {
	case op == nil && is(dtype.TypeBF16, dtype.F32):
		return sparseOf(mmaBF16, inst.SparseMmaBF16), nil
	case op == nil && is(dtype.TypeF16, dtype.F32):
		return sparseOf(mmaF16, inst.SparseMmaF16), nil
	case op == gemm.F16Sums && is(dtype.TypeF16, dtype.F32):
		return sparseOf(mmaF16Sums, inst.SparseMmaF16Sums), nil
	case op == gemm.TF32 && is(dtype.F32, dtype.F32):
		return sparseOf(mmaTF32, inst.SparseMmaTF32), nil
	case op == nil && int8s[d.A] != "" && int8s[d.B] != "" && d.Acc == dtype.I32:
		return sparseOf(mmaInt8(int8s[d.A], int8s[d.B]), inst.SparseMmaInt8[[2]string{int8s[d.A], int8s[d.B]}]), nil
	case op == nil && fp8[d.A] != "" && fp8[d.B] != "" && d.Acc == dtype.F32 && ptx.Since(t, ptx.SM89):
		return sparseOf(mmaFP8(fp8[d.A], fp8[d.B], ptx.Since(t, ptx.SM90)), inst.SparseMmaFP8[[2]string{fp8[d.A], fp8[d.B]}]), nil
	case op == nil && fp8[d.A] != "" && fp8[d.B] != "" && d.Acc == dtype.F32:
		return nil, fmt.Errorf("%s has no products of %v and %v: they are of sm_89 and later, or convert to f16", t.Name, d.A, d.B)
	case op != nil:
		return nil, fmt.Errorf("operator %v has no sparse products; with Sparse24 leave it out, or take TF32 for f32, or F16Sums for f16", op)
	}
	return nil, fmt.Errorf("tensor cores have no sparse products of %v and %v into %v; with Sparse24 operands may both be bf16 or f16 with sums of f32, "+
		"f32 with Operator: gemm.TF32, i8 or u8 with sums of i32, or e4m3 or e5m2 with sums of f32", d.A, d.B, d.Acc)
}

// Fragment is that of mma, with what is stored of A.
func (o mmaSparse) Fragment(aK, bK bool) tiling.Fragment {
	f := o.mma.Fragment(aK, bK)
	f.Chunk = o.chunk
	words := 1 // registers for one of an operand
	if o.converts {
		words = 3 // itself, and two of f16
	}
	f.Registers = func(wm, wn int) int {
		return wm*wn/32*o.inRegisters().Elem.Bytes()/4 + 2*(wm/16*(4*words+1)+wn/8*4*words)
	}
	return f
}

// Fragments is that of mma, with metadata. Lanes that an instruction takes none of load that
// of others.
func (o mmaSparse) Fragments(wm, wn int, aK, bK bool) fragments {
	a := o.load(wm, 2, true, bK)
	a.k = o.k / 2
	meta := mmaLoad{reads: reads{k: o.words, rows: 16, align: 4,
		lane: func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
			if o.words == 32 {
				return b.Int(0), lane
			}
			g, t := split(b, lane, 4)
			return b.Int(0), b.Or(times(b, g, 2), b.And(t, b.Int(1)))
		},
		load: func(b *emit.Builder, at emit.Addr) []*emit.Value { return []*emit.Value{b.Load(emit.Int32, at)} },
	}}
	for i := range wm / 16 {
		meta.at = append(meta.at, coordinate{i, 0})
	}
	return o.tiled(wm, wn, aK, bK, a, o.loadDeep(wn, bK), meta)
}

// loadDeep loads B. It loads four matrices of ldmatrix along K for each 8 columns, whose
// rows lane i of eight points at, or words of neighbours along N.
func (o mmaSparse) loadDeep(n int, kMajor bool) mmaLoad {
	switch size := o.elem.Bytes(); {
	case kMajor || size == 2:
	case size == 4:
		return o.loadWords(n, 1, 4, false)
	default:
		return o.loadBytes(n, 1, 4, false)
	}
	l := o.loadMatrices(n, true, kMajor)
	l.lane = func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
		if !kMajor {
			return b.Int(0), lane
		}
		matrix, line := split(b, lane, 8)
		return line, times(b, matrix, 16/o.elem.Bytes())
	}
	l.at = nil
	for i := 0; i < n; i += 8 {
		l.at = append(l.at, coordinate{i, 0})
	}
	return l
}

// tiles makes half of a's tile, and adds that of the metadata.
func (o mmaSparse) tiles(list []smemTile, t tiling.GPU) []smemTile {
	list[0].k /= 2
	return append(list, smemTile{t.BM / 16, t.BK / o.k * o.words, 4, true})
}

// sources counts K of a's tile in what is stored, and adds the metadata.
func (o mmaSparse) sources(g *lowering, b *emit.Builder, p piece, list []func(t smemTile) source) []func(t smemTile) source {
	// K, counted in instructions: all is padded to whole ones.
	deep := b.Shr(b.Add(p.end, b.Int(int64(o.k-1))), b.Int(int64(log2(o.k))))
	whole := list[0]
	list[0] = func(t smemTile) source {
		s := whole(t)
		s.k, s.shift = times(b, deep, o.k/2), 1
		return s
	}
	return append(list, func(t smemTile) source {
		slot := len(g.m.Slots) - 1 // the last is the metadata's
		i64 := func(name string) *emit.Value { return b.Param(name, emit.Int64) }
		base := b.AddPAligned(b.Param(slotPtr(slot), emit.Pointer(emit.Global, 16)), b.Mul(g.batch, i64(slotBatch(slot))), 16)
		const first = 0x44444444 // the first elements of every chunk, beyond the end of K: they are zero there
		return source{
			tile: t, access: Access{true, min(16, t.bytes()/g.tile.Threads())}, base: base, e: emit.I32, pad: first,
			mnRow: i64(slotStride(slot)), kRow: b.Int(4), mn0: b.Shr(g.m0, b.Int(4)), mn: b.Shr(b.Add(i64("m"), b.Int(15)), b.Int(4)),
			k: times(b, deep, o.words), shift: log2(o.k) - log2(o.words), threads: g.tile.Threads(), tid: g.tid,
		}
	})
}
