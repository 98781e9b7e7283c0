package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
)

// mma is a product on tensor cores by mma.sync. Instructions of all types are alike. They
// have m x 8 sums, of which a lane has those of row lane/4 and of columns 2*(lane%4) and
// the next. Every register of an operand has 32 bits (64 for f64) along K. This value has
// the differences, and the ways operands come into registers: see load.
type mma struct {
	name string
	elem emit.Elem // of the operands in memory
	sum  emit.Elem
	m, k int // rows of an instruction, and its depth
	inst *emit.Instruction
	// held is the type of the sums in registers, of which pairs lie together, if it is not sum.
	held emit.Elem
	// round, if not nil, is done to every word of an operand.
	round *emit.Instruction
	// zeros says which operands have zero points: see op_mma_zeros.go.
	zeros struct{ a, b bool }
	// converts says that the GPU has no such instruction, and its assembler makes operands of f16 of those.
	converts bool
}

// The instructions by their operands.
var (
	mmaBF16 = mma{name: "mma.bf16", elem: emit.BF16, sum: emit.F32, m: 16, k: 16, inst: inst.MmaBF16}
	mmaF16  = mma{name: "mma.f16", elem: emit.F16, sum: emit.F32, m: 16, k: 16, inst: inst.MmaF16}
	// mmaF16Sums has sums of f16, and hands over f32.
	mmaF16Sums = mma{name: "mma.f16.f16", elem: emit.F16, sum: emit.F32, held: emit.F16, m: 16, k: 16, inst: inst.MmaF16Sums}
	mmaTF32    = mma{name: "mma.tf32", elem: emit.F32, sum: emit.F32, m: 16, k: 8, inst: inst.MmaTF32, round: inst.RoundTF32}
	mmaF64     = mma{name: "mma.f64", elem: emit.F64, sum: emit.F64, m: 8, k: 4, inst: inst.MmaF64}
	// mmaF64x16 is mmaF64 where there is an instruction for more at once.
	mmaF64x16 = mma{name: "mma.f64", elem: emit.F64, sum: emit.F64, m: 16, k: 16, inst: inst.MmaF64x16}
)

// mmaInt8 and mmaFP8 are the products of 8-bit elements, of types as PTX spells them.
func mmaInt8(a, b string) mma {
	return mma{name: "mma." + a + "." + b, elem: emit.I8, sum: emit.I32, m: 16, k: 32, inst: inst.MmaInt8[[2]string{a, b}]}
}

func mmaFP8(a, b string, converts bool) mma {
	return mma{converts: converts, name: "mma." + a + "." + b, elem: emit.F8E4M3, sum: emit.F32, m: 16, k: 32, inst: inst.MmaFP8[[2]string{a, b}]}
}

func (o mma) String() string { return o.name }

// Sum returns the type of the sums.
func (o mma) Sum() emit.Elem { return o.sum }

// Pad returns 0.
func (o mma) Pad() float64 { return 0 }

// Join adds.
func (o mma) Join(b *emit.Builder, x, y *emit.Value) *emit.Value { return b.Add(x, y) }

// Joins returns true.
func (o mma) Joins() bool { return true }

// depth is that of one step: of one instruction, or of two of f64, of which a lane loads
// 16 bytes.
func (o mma) depth() int {
	if o.elem == emit.F64 {
		return max(o.k, 8)
	}
	return o.k
}

// Fragment returns 16 x 16 or a multiple. B is loaded for two instructions at once. If
// lanes take several neighbours along M or N, a warp has as many times eight.
func (o mma) Fragment(aK, bK bool) tiling.Fragment {
	words := max(1, o.elem.Bytes()/4) // of an element in registers
	perWord := max(1, 4/o.elem.Bytes())
	if o.converts {
		words = 2
	}
	return tiling.Fragment{M: 8 * max(2, o.spread(aK)), N: 8 * max(2, o.spread(bK)), K: o.depth(), Sum: o.sum.Bytes(), Tensor: true,
		Registers: func(wm, wn int) int {
			return wm*wn/32*o.inRegisters().Elem.Bytes()/4 + 2*(wm+wn)*o.depth()*words/perWord/32 + 4*o.zeroSums(wm/o.m, wn/8)
		}}
}

// inRegisters is the type of a register of sums.
func (o mma) inRegisters() emit.Type {
	if o.held == emit.F16 {
		return emit.Vector(emit.F16, 2)
	}
	return emit.Scalar(o.sum)
}

// unpacked returns the sums of an instruction.
func (o mma) unpacked(b *emit.Builder, v *emit.Value) (sums []*emit.Value) {
	for _, r := range b.Unpack(v) {
		if r.Type == emit.Scalar(o.sum) {
			sums = append(sums, r)
			continue
		}
		sums = append(sums, converted(b, o.sum, lanesOf(b, r))...)
	}
	return sums
}

// Fragments lays out a warp's tile: PTX ISA 9.1, section 9.7.14.5. A warp's rows are groups
// of eight, one for each quad of lanes, and a fragment of A is one or two of them. Columns
// are groups of eight too, of which a lane has two.
//
// A lane that takes s neighbours along M or N in one load has rows s*quad to s*quad + s-1
// in s groups. So the group is the place among the neighbours:
//
//	row     s*(lane/4)   + 8s*(group/s) + group%s
//	column  2s*(lane%4)  + 8s*(group/s) + s*i + group%s,  i being 0 or 1
func (o mma) Fragments(wm, wn int, aK, bK bool) fragments {
	return o.tiled(wm, wn, aK, bK, o.load(wm, o.m/8, aK, bK), o.load(wn, 1, bK, aK))
}

// tiled is Fragments with loads of the operands. rest are those of further operands of the
// instruction, one for each of a's fragments.
func (o mma) tiled(wm, wn int, aK, bK bool, a, b mmaLoad, rest ...mmaLoad) fragments {
	tall, broad, halves := wm/o.m, wn/8, o.m/8
	sa, sb := o.spread(aK), o.spread(bK)
	inRegisters := registers{
		operands: []reads{a.reads, b.reads},
		identity: func(b *emit.Builder) []*emit.Value {
			acc := make([]*emit.Value, tall*broad+o.zeroSums(tall, broad))
			for i := range acc {
				z := b.Const(o.inRegisters(), 0)
				acc[i] = b.Pack([]*emit.Value{z, z, z, z}[:2*halves/max(1, z.Type.Lanes)]...)
			}
			return acc
		},
		step: func(bu *emit.Builder, acc []*emit.Value, x [][]*emit.Value) []*emit.Value {
			next := append([]*emit.Value(nil), acc...)
			as, bs := a.fragments(bu, x[0]), b.fragments(bu, x[1])
			for s := range as {
				for i := range tall {
					for j := range broad {
						args := []*emit.Value{as[s][i], bs[s][j], next[i*broad+j]}
						for r := range rest {
							args = append(args, x[2+r][i])
						}
						next[i*broad+j] = bu.Inst(o.inst, 0, args...)[0]
					}
				}
				o.sumZeros(bu, next[tall*broad:], as[s], bs[s])
			}
			return next
		},
	}
	for i := range inRegisters.operands {
		if x := &inRegisters.operands[i]; x.k == 0 {
			x.k = o.depth()
		}
	}
	for _, r := range rest {
		inRegisters.operands = append(inRegisters.operands, r.reads)
	}
	return fragments{
		multiplier: inRegisters,
		less:       o.lessOf(tall, broad),
		lane: func(b *emit.Builder, lane *emit.Value) (row, col *emit.Value) {
			row, t := split(b, lane, 4)
			return times(b, row, sa), times(b, t, 2*sb)
		},
		runs: func(b *emit.Builder, acc []*emit.Value) (runs []accRun) {
			regs := make([][]*emit.Value, len(acc))
			for i, v := range acc {
				regs[i] = o.unpacked(b, v)
			}
			width := min(2*sb, 16/o.sum.Bytes())
			for q := range tall * halves { // groups of rows
				for v := 0; v < broad; v += sb {
					var x []*emit.Value
					for c := range 2 * sb {
						x = append(x, regs[q/halves*broad+v+c%sb][q%halves*2+c/sb])
					}
					for c := 0; c < len(x); c += width {
						runs = append(runs, accRun{q/sa*8*sa + q%sa, 8*v + c, x[c : c+width]})
					}
				}
			}
			return runs
		},
	}
}
