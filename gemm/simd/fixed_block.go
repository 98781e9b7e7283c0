package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// blocks loads elements of A by blocks of 128 bits, for the first rows of a tile. One
// load repeats the block all over a register, and for each of its elements a
// permutation repeats that element. [tiling.Machine] says how many rows gain by it.
type blocks struct {
	rows int           // how many
	per  int64         // elements of a block
	end  int64         // steps of the straight line that is being written
	held []*emit.Value // by row: the block that is in a register
	from []int64       // by row: the step with its first element
}

// blockBytes is the size of a block.
const blockBytes = 16

// blocks returns the blocks of a tile of mr x nv, nil if it gains nothing by them.
func (l *lowering) blocks(mr, nv int) *blocks {
	per := int64(blockBytes / l.elem.Bytes())
	rows := machine(l.target, l.elem).BlockRows(l.vl, mr, nv)
	if rows == 0 || l.fixed.paired || l.factors() || l.fixed.shape.K < int(per) || l.fixed.unroll%per != 0 && l.fixed.unroll < int64(l.fixed.shape.K) {
		return nil
	}
	return &blocks{rows: rows, per: per}
}

// factors reports whether multiply-adds load elements of A that are multiplied once. In a sum over many
// blocks these loads take the time.
func (l *lowering) factors() bool {
	return l.fixed.reduce.On() && l.target.Lanes(l.elem) > 32/l.elem.Bytes()
}

// start begins a straight line of n steps; nothing is held from the one before.
func (x *blocks) start(n int64) {
	if x == nil {
		return
	}
	x.end, x.held, x.from = n, make([]*emit.Value, x.rows), make([]int64, x.rows)
}

// splat returns the element of row i of A that lies onA bytes from the row's pointer,
// in every lane.
func (l *lowering) splat(b *emit.Builder, rows vector.Rows, i int, onA int64, once bool) *emit.Value {
	v, x := l.vector(), l.fixed.blocks
	if d := gemm.DepthOf(l.op); d.K > 1 {
		return l.splatGroup(b, d, rows.At(i, onA))
	}
	if l.splits() {
		return l.halfOf(b, b.LoadSplat(emit.Vector(emit.I32, l.vl), rows.At(i, onA)), l.fixed.half)
	}
	if once && (l.fixed.shape == (tiling.Shape{}) || l.factors()) {
		return b.LoadFactor(v, rows.At(i, onA))
	}
	if x == nil || i >= x.rows {
		return b.LoadSplat(v, rows.At(i, onA))
	}
	csa := l.fixed.known["csa"]
	step := onA / csa
	if x.held[i] == nil || step >= x.from[i]+x.per {
		// The last block ends at the last step, and so may begin in the one before.
		x.from[i] = min(step, x.end-x.per)
		x.held[i] = b.Inst(blockLoads[plain(l.target.Name)][v], rows.At(i, x.from[i]*csa).Off, rows.Bases[0])[0]
	}
	perm := make([]int, v.Lanes)
	for j := range perm {
		perm[j] = j - j%int(x.per) + int(step-x.from[i])
	}
	return b.Shuffle(perm, x.held[i], x.held[i])
}

// blockLoads are the loads of blocks by target and vector. The address is the pointer
// plus imm.
var blockLoads = map[string]map[emit.Type]*emit.Instruction{"avx2": {}, "avx512": {}}

func init() {
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		evex := map[emit.Elem]string{emit.F32: "VBROADCASTF32X4", emit.F64: "VBROADCASTF64X2"}[e]
		for _, load := range []struct {
			target, mnemonic string
			bits             int
		}{{"avx2", "VBROADCASTF128", 256}, {"avx512", evex, 256}, {"avx512", evex, 512}} {
			t := emit.Vector(e, load.bits/e.Bits())
			blockLoads[load.target][t] = blockLoad(load.target, load.mnemonic, t)
		}
	}
}

func blockLoad(target, mnemonic string, t emit.Type) *emit.Instruction {
	size := t.Elem.Bytes()
	return emit.Declare(emit.Instruction{
		Name: fmt.Sprintf("amd64.block.%s.%v", target, t),
		Doc:  fmt.Sprintf("loads 128 bits and repeats them in a %v (Intel SDM volume 2, VBROADCAST)", t),
		In:   []emit.Type{emit.Ptr}, Out: []emit.Type{t}, Mem: emit.Reads,
		Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
			p := in[0][0]
			if err := p.Mem.Bounds("reads", p.Offset()+imm, blockBytes); err != nil {
				return err
			}
			block, err := p.Mem.Read(p.Offset()+imm, blockBytes)
			if err != nil {
				return err
			}
			lanes := make([]uint64, t.Lanes)
			for i := range lanes {
				for j := range size {
					lanes[i] |= uint64(block[(i*size+j)%blockBytes]) << (8 * j)
				}
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
		Text: map[string]string{"amd64": mnemonic + " {imm}({1}), {0}"},
	})
}
