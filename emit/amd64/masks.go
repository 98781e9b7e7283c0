package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Masks. On AVX-512 a mask of up to 64 lanes is a K register whose bits past the
// lanes are zero. It fits vectors of any element.
//
// AVX2 has no such registers. A mask is a vector whose lanes are all ones or all zeros,
// as wide as the lanes that it was made for. The operation that makes a mask decides
// its width (maskBits). A comparison gives that of the compared type, and a logical
// operation that of its first operand. maskn, constants and what blocks take and give
// have the widest that 256 bits hold, at most 64. If a mask is used at another width,
// the pass legalize cuts it. It makes a maskn or a constant again at that width, and
// converts anything else by one to four instructions. Past the last lane of a mask
// below 128 bits the register holds anything.

// The machine's own instructions that make masks.
var (
	bzhi = emit.Declare(emit.Instruction{Name: "amd64.bzhi", Doc: "all bits below bit n (BMI2 BZHI of -1)",
		In: []emit.Type{emit.Int64, emit.Int64}, Out: []emit.Type{emit.Int64},
		Text: map[string]string{"amd64": "BZHIQ {2}, {1}, {0}"},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			ones, n := in[0][0].Lane[0], in[0][1].Lane[0]
			if n < 64 {
				ones &= 1<<n - 1
			}
			out[0][0] = emit.Word{Lane: []uint64{ones}}
			return nil
		}})
	kmovs = map[int]*emit.Instruction{ // by lanes
		2: kmov("amd64.kmovb.2", "KMOVB", 2), 4: kmov("amd64.kmovb.4", "KMOVB", 4), 8: kmov("amd64.kmovb", "KMOVB", 8),
		16: kmov("amd64.kmovw", "KMOVW", 16), 32: kmov("amd64.kmovd", "KMOVD", 32), 64: kmov("amd64.kmovq", "KMOVQ", 64),
	}

	// tailTable is cut for the masks of AVX2: 32 bytes of ones and 32 of zeros.
	tailTable = emit.Declare(emit.Instruction{Name: "amd64.tailtable", Doc: "the address of the table of masks",
		Out:  []emit.Type{emit.Ptr},
		Text: map[string]string{"amd64": "LEAQ " + tailName + "(SB), {0}"},
		Run: func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
			table := &emit.Memory{Name: "masks", Data: make([]byte, 64), ReadOnly: true}
			for i := range 32 {
				table.Data[i] = 0xff
			}
			out[0][0] = emit.PtrTo(table, 0)
			return nil
		}})

	tails = map[maskShape]*emit.Instruction{} // all but the last n lanes
	fills = map[maskShape]*emit.Instruction{} // all lanes
	clear = map[maskShape]*emit.Instruction{} // no lane
	cuts  = map[maskShape]*emit.Instruction{} // another mask's lanes

	madeBits = map[*emit.Instruction]int{} // the width that these instructions make
)

const tailName = "tail<>"

// maskShape is a number of lanes and their width in bits.
type maskShape struct{ lanes, bits int }

func init() {
	for lanes := 2; lanes <= 32; lanes *= 2 {
		for bits := 8; bits <= widest(lanes); bits *= 2 {
			s := maskShape{lanes, bits}
			typ := emit.Vector(emit.I1, lanes)
			declare := func(list map[maskShape]*emit.Instruction, name, doc, text string, in []emit.Type, lane func(in []emit.Word, i int) uint64) {
				list[s] = emit.Declare(emit.Instruction{Name: fmt.Sprintf("amd64.%s.%d.%d", name, lanes, bits), Doc: doc,
					In: in, Out: []emit.Type{typ}, Text: map[string]string{"amd64": text},
					Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
						m := make([]uint64, lanes)
						for i := range m {
							m[i] = lane(in[0], i)
						}
						out[0][0] = emit.Word{Lane: m}
						return nil
					}})
				madeBits[list[s]] = bits
			}
			// The mask ends where n lanes of the table's zeros do.
			begin := ""
			if skip := 32 - lanes*bits/8; skip > 0 {
				begin = fmt.Sprint(skip)
			}
			declare(tails, "tail", "a vector mask without its last n lanes", fmt.Sprintf("VMOVUPS %s({1})({2}*%d), {0}", begin, bits/8),
				[]emit.Type{emit.Ptr, emit.Int64}, func(in []emit.Word, i int) uint64 {
					if i < lanes-int(in[1].Lane[0]) {
						return 1
					}
					return 0
				})
			declare(fills, "fill", "a vector mask with every lane", "VPCMPEQD {0}, {0}, {0}", nil, func([]emit.Word, int) uint64 { return 1 })
			declare(clear, "clear", "a vector mask without a lane", "VPXOR {0}, {0}, {0}", nil, func([]emit.Word, int) uint64 { return 0 })
			declare(cuts, "cut", "a vector mask at another width", "", []emit.Type{typ}, func(in []emit.Word, i int) uint64 { return in[0].Lane[i] })
		}
	}
}

func kmov(name, mnemonic string, lanes int) *emit.Instruction {
	return emit.Declare(emit.Instruction{Name: name, Doc: "a mask from the low bits of an integer",
		In: []emit.Type{emit.Int64}, Out: []emit.Type{emit.Vector(emit.I1, lanes)},
		Text: map[string]string{"amd64": mnemonic + " {1}, {0}"},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			m := make([]uint64, lanes)
			for i := range m {
				m[i] = in[0][0].Lane[0] >> i & 1
			}
			out[0][0] = emit.Word{Lane: m}
			return nil
		}})
}

// isMask reports whether t is a mask of a vector.
func isMask(t emit.Type) bool { return t.Elem == emit.I1 && t.Lanes > 1 }

// widest returns the width of the lanes of an AVX2 mask that nothing decides.
func widest(lanes int) int { return min(64, 256/lanes) }

// maskBits returns the width of the lanes of v, a mask on AVX2.
func maskBits(v *emit.Value) int {
	for v.Op != nil {
		switch op := v.Op; op.Def.Name {
		case "cmp":
			if t := op.Args[0].Type; !isMask(t) {
				return t.Elem.Bits()
			}
		case "and", "or", "xor", "copy":
			v = op.Args[0]
			continue
		case "inst":
			if bits := madeBits[op.Inst]; bits > 0 {
				return bits
			}
			if isSpill(op) {
				v = op.Args[0]
				continue
			}
		}
		break
	}
	return widest(v.Type.Lanes)
}

// usedBits returns the width at which op, on AVX2, wants its operand i, a mask.
func usedBits(op *emit.Op, i int) int {
	switch v := op.Args[i]; op.Def.Name {
	case "select", "loadm":
		return op.Result().Type.Elem.Bits()
	case "storem":
		return op.Args[0].Type.Elem.Bits()
	case "and", "or", "xor":
		return maskBits(op.Args[0])
	case "inst", "copy":
		return maskBits(v)
	default: // handed on by a loop or a branch
		return widest(v.Type.Lanes)
	}
}

// cutter makes the masks of a function for AVX2 have the widths that they are
// used at.
type cutter struct {
	done   map[*emit.Value]map[int]*emit.Value
	depth  map[*emit.Value]int // of the block in which a mask is made
	around []*emit.Op          // the regions that the current operation is in
	before map[*emit.Op][]*emit.Op
}

func cutMasks(f *emit.Func) {
	c := &cutter{map[*emit.Value]map[int]*emit.Value{}, map[*emit.Value]int{}, nil, map[*emit.Op][]*emit.Op{}}
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
			if !isMask(v.Type) {
				continue
			}
			if bits := usedBits(op, i); bits != maskBits(v) && bits*v.Type.Lanes <= 256 {
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
	s := maskShape{v.Type.Lanes, bits}
	made := newOp(op, "inst", emit.Attr{}, cuts[s], v.Type, v)
	if v.Op != nil && v.Op.Inst != nil {
		from := maskShape{s.lanes, madeBits[v.Op.Inst]}
		for _, list := range []map[maskShape]*emit.Instruction{tails, fills, clear} {
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
