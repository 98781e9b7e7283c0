package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling"
)

// mma is the product on tensor cores: mma.sync of 16 x 8 x 16, operands of 16 bits
// and sums of f32. It is what a GPU does with bf16 and f16.
type mma struct{ Elem emit.Elem }

func (o mma) String() string { return "mma." + o.Elem.String() }

// Types returns the operands' type twice, and f32.
func (o mma) Types() (a, b, acc emit.Elem) { return o.Elem, o.Elem, emit.F32 }

// Pad returns 0.
func (o mma) Pad() float64 { return 0 }

// Fragment returns 16 x 16 x 16: B is loaded for two instructions at once.
func (o mma) Fragment(_, _ bool) tiling.Fragment {
	return tiling.Fragment{M: 16, N: 16, K: 16, Registers: func(wm, wn int) int {
		return wm*wn/32 + 2*(wm/16*4+wn/8*2)
	}}
}

// Fragments lays out a warp's tile: PTX ISA 9.1, sections 9.7.14.5.8 and
// 9.7.14.5.15. A fragment of A is four 8 x 8 matrices, those of B are two times two;
// in each group of eight lanes, lane i points at line i of one of the four.
func (o mma) Fragments(wm, wn int, aK, bK bool) fragments {
	type forms struct{ a, at, b, bt, mma *emit.Instruction }
	f := map[emit.Elem]forms{
		emit.BF16: {inst.LdmatrixA, inst.LdmatrixATrans, inst.LdmatrixB, inst.LdmatrixBTrans, inst.MmaBF16},
		emit.F16:  {inst.LdmatrixF16A, inst.LdmatrixF16ATrans, inst.LdmatrixF16B, inst.LdmatrixF16BTrans, inst.MmaF16},
	}[o.Elem]
	if !aK {
		f.a = f.at
	}
	if !bK {
		f.b = f.bt
	}
	tall, broad := wm/16, wn/8
	// The second of the four matrices is 8 further along mn for A (first), along k for
	// B, and the third 8 further along the other. kMajor: lines are along k.
	lanes := func(first, kMajor bool) func(*emit.Builder, *emit.Value) (mn, k *emit.Value) {
		return func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
			eight := func(bit int) *emit.Value { // 8 if the bit of the lane is set
				return times(b, b.And(b.Shr(lane, b.Int(int64(bit))), b.Int(1)), 8)
			}
			low := b.And(lane, b.Int(7))
			mn, k = eight(4), eight(3)
			if first {
				mn, k = k, mn
			}
			if kMajor {
				return b.Or(mn, low), k
			}
			return mn, b.Or(k, low)
		}
	}
	load := func(i *emit.Instruction) func(*emit.Builder, emit.Addr) []*emit.Value {
		return func(b *emit.Builder, a emit.Addr) []*emit.Value { return b.Inst(i, 0, pointer(b, a)) }
	}
	every16 := func(n int) (at []coordinate) {
		for i := range n / 16 {
			at = append(at, coordinate{16 * i, 0})
		}
		return at
	}
	return fragments{
		k: 16,
		a: reads{lanes(true, aK), every16(wm), load(f.a)},
		b: reads{lanes(false, bK), every16(wn), load(f.b)},
		identity: func(b *emit.Builder) []*emit.Value {
			acc := make([]*emit.Value, tall*broad)
			for i := range acc {
				z := b.Const(emit.Scalar(emit.F32), 0)
				acc[i] = b.Pack(z, z, z, z)
			}
			return acc
		},
		step: func(b *emit.Builder, acc, x, y []*emit.Value) []*emit.Value {
			next := make([]*emit.Value, len(acc))
			for i := range tall {
				for j := range broad {
					next[i*broad+j] = b.Inst(f.mma, 0, x[i], y[j], acc[i*broad+j])[0]
				}
			}
			return next
		},
		lane: func(b *emit.Builder, lane *emit.Value) (row, col *emit.Value) {
			row, quad := split(b, lane, 4)
			return row, times(b, quad, 2)
		},
		runs: func(b *emit.Builder, acc []*emit.Value) (runs []accRun) {
			for i, v := range acc {
				r := b.Unpack(v)
				row, col := i/broad*16, i%broad*8
				runs = append(runs, accRun{row, col, r[:2]}, accRun{row + 8, col, r[2:]})
			}
			return runs
		},
	}
}
