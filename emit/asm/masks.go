package asm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Masks of machines without registers for them. Such a mask is a vector whose lanes are all
// ones or all zeros, as wide as the lanes that it was made for. The operation that makes a
// mask decides its width (MaskBits). A comparison gives that of the compared type, and a
// logical operation that of its first operand. maskn, constants and what blocks take and
// give have the widest that a register holds, at most 64. If a mask is used at another
// width, [CutMasks] makes a maskn or a constant again at that width, and converts anything
// else. Past the last lane of a mask below 128 bits the register holds anything.

// Instructions that make masks.
var (
	// TailTable is cut for masks: 32 bytes of ones and 32 of zeros.
	TailTable = emit.Declare(emit.Instruction{Name: "mask.table", Doc: "the address of the table of masks",
		Out:  []emit.Type{emit.Ptr},
		Text: map[string]string{"amd64": "LEAQ " + tailName + "(SB), {0}", "arm64": "MOVD $" + tailName + "(SB), {0}"},
		Run: func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
			table := &emit.Memory{Name: "masks", Data: make([]byte, 64), ReadOnly: true}
			for i := range 32 {
				table.Data[i] = 0xff
			}
			out[0][0] = emit.PtrTo(table, 0)
			return nil
		}})

	Tails = map[MaskShape]*emit.Instruction{} // all but the last n lanes
	Fills = map[MaskShape]*emit.Instruction{} // all lanes
	Clear = map[MaskShape]*emit.Instruction{} // no lane
	Cuts  = map[MaskShape]*emit.Instruction{} // another mask's lanes

	MadeBits = map[*emit.Instruction]int{} // the width that these instructions make
)

const tailName = "tail<>"

// A MaskShape is a number of lanes and their width in bits.
type MaskShape struct{ Lanes, Bits int }

func init() {
	for lanes := 2; lanes <= 32; lanes *= 2 {
		for bits := 8; bits <= min(64, 256/lanes); bits *= 2 {
			s := MaskShape{lanes, bits}
			typ := emit.Vector(emit.I1, lanes)
			declare := func(list map[MaskShape]*emit.Instruction, name, doc, text string, in []emit.Type, lane func(in []emit.Word, i int) uint64) {
				list[s] = emit.Declare(emit.Instruction{Name: fmt.Sprintf("mask.%s.%d.%d", name, lanes, bits), Doc: doc,
					In: in, Out: []emit.Type{typ}, Text: map[string]string{"amd64": text},
					Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
						m := make([]uint64, lanes)
						for i := range m {
							m[i] = lane(in[0], i)
						}
						out[0][0] = emit.Word{Lane: m}
						return nil
					}})
				MadeBits[list[s]] = bits
			}
			// The mask ends where n lanes of the table's zeros do.
			begin := ""
			if skip := 32 - lanes*bits/8; skip > 0 {
				begin = fmt.Sprint(skip)
			}
			declare(Tails, "tail", "a vector mask without its last n lanes", fmt.Sprintf("VMOVUPS %s({1})({2}*%d), {0}", begin, bits/8),
				[]emit.Type{emit.Ptr, emit.Int64}, func(in []emit.Word, i int) uint64 {
					if i < lanes-int(in[1].Lane[0]) {
						return 1
					}
					return 0
				})
			declare(Fills, "fill", "a vector mask with every lane", "VPCMPEQD {0}, {0}, {0}", nil, func([]emit.Word, int) uint64 { return 1 })
			declare(Clear, "clear", "a vector mask without a lane", "VPXOR {0}, {0}, {0}", nil, func([]emit.Word, int) uint64 { return 0 })
			declare(Cuts, "cut", "a vector mask at another width", "", []emit.Type{typ}, func(in []emit.Word, i int) uint64 { return in[0].Lane[i] })
		}
	}
}

// Widest returns the width of the lanes of a mask that nothing decides.
func Widest(t emit.Target, lanes int) int { return min(64, t.Bits/lanes) }

// MaskBits returns the width of the lanes of v, a mask.
func MaskBits(t emit.Target, v *emit.Value) int {
	for v.Op != nil {
		switch op := v.Op; op.Def.Name {
		case "cmp":
			if t := op.Args[0].Type; !IsMask(t) {
				return t.Elem.Bits()
			}
		case "and", "or", "xor", "copy":
			v = op.Args[0]
			continue
		case "inst":
			if bits := MadeBits[op.Inst]; bits > 0 {
				return bits
			}
			if IsSpill(op) {
				v = op.Args[0]
				continue
			}
		}
		break
	}
	return Widest(t, v.Type.Lanes)
}

// usedBits returns the width at which op wants its operand i, a mask.
func usedBits(t emit.Target, op *emit.Op, i int) int {
	switch v := op.Args[i]; op.Def.Name {
	case "select", "loadm":
		return op.Result().Type.Elem.Bits()
	case "storem":
		return op.Args[0].Type.Elem.Bits()
	case "and", "or", "xor":
		return MaskBits(t, op.Args[0])
	case "inst", "copy":
		return MaskBits(t, v)
	default: // handed on by a loop or a branch
		return Widest(t, v.Type.Lanes)
	}
}

// cutter makes the masks of a function have the widths that they are
// used at.
type cutter struct {
	t      emit.Target
	done   map[*emit.Value]map[int]*emit.Value
	depth  map[*emit.Value]int // of the block in which a mask is made
	around []*emit.Op          // the regions that the current operation is in
	before map[*emit.Op][]*emit.Op
}

// CutMasks makes the masks of f, which are vectors on t, have the widths that they are used at.
func CutMasks(t emit.Target, f *emit.Func) {
	c := &cutter{t, map[*emit.Value]map[int]*emit.Value{}, map[*emit.Value]int{}, nil, map[*emit.Op][]*emit.Op{}}
	c.block(f.Body)
	c.insert(f.Body)
}

func (c *cutter) block(b *emit.Block) {
	made := func(vs []*emit.Value) {
		for _, v := range vs {
			c.depth[v] = len(c.around)
		}
	}
	made(b.Args)
	for _, op := range b.Ops {
		for i, v := range op.Args {
			if !IsMask(v.Type) {
				continue
			}
			if bits := usedBits(c.t, op, i); bits != MaskBits(c.t, v) && bits*v.Type.Lanes <= c.t.Bits {
				op.Args[i] = c.cut(op, v, bits)
			}
		}
		c.around = append(c.around, op)
		for _, in := range op.Blocks {
			c.block(in)
		}
		c.around = c.around[:len(c.around)-1]
		made(op.Results)
	}
}

// cut returns v with lanes of the given width for op. It is made once, in the
// block in which v is, where it is needed first: not in a loop that v is not in.
func (c *cutter) cut(op *emit.Op, v *emit.Value, bits int) *emit.Value {
	if w := c.done[v][bits]; w != nil {
		return w
	}
	at := append(c.around, op)[c.depth[v]]
	s := MaskShape{v.Type.Lanes, bits}
	made := NewOp(op, "inst", emit.Attr{}, Cuts[s], v.Type, v)
	if v.Op != nil && v.Op.Inst != nil {
		from := MaskShape{s.Lanes, MadeBits[v.Op.Inst]}
		for _, list := range []map[MaskShape]*emit.Instruction{Tails, Fills, Clear} {
			if list[from] == v.Op.Inst {
				made.Inst, made.Args = list[s], v.Op.Args
			}
		}
	}
	c.before[at] = append(c.before[at], made)
	if c.done[v] == nil {
		c.done[v] = map[int]*emit.Value{}
	}
	c.done[v][bits] = made.Result()
	return made.Result()
}

func (c *cutter) insert(b *emit.Block) {
	var out []*emit.Op
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			c.insert(in)
		}
		out = append(append(out, c.before[op]...), op)
	}
	b.Ops = out
}

// MaskN cuts a mask of the first lanes from the table.
func MaskN(x *Expansion) *emit.Value {
	n, lanes := x.Old.Args[0], x.Old.Result().Type.Lanes
	s := MaskShape{lanes, Widest(x.T, lanes)}
	if Tails[s] == nil {
		return x.Refuse("masks on %s have 2, 4, 8 or more lanes by powers of two, at most %d", x.T.Name, x.T.Bits/8)
	}
	full := x.Int(emit.Int64, int64(lanes))
	rest := x.Op("sub", "", emit.Int64, full, n)
	return x.Inst(Tails[s], x.Inst(TailTable), rest)
}

// ConstMask makes a mask of all lanes or none.
func ConstMask(x *Expansion) *emit.Value {
	t, set := x.Old.Result().Type, x.Old.Attr.Imm != 0
	s := MaskShape{t.Lanes, Widest(x.T, t.Lanes)}
	switch {
	case Fills[s] == nil:
		return x.Refuse("masks on %s have 2, 4, 8 or more lanes by powers of two, at most %d", x.T.Name, x.T.Bits/8)
	case set:
		return x.Inst(Fills[s])
	}
	return x.Inst(Clear[s])
}
