package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// MulLoad returns the instruction that multiplies x by the vector of x's type, a t, at a
// pointer + imm. The operand in memory takes one place in the queues of a core, where a
// load and a multiplication take two. Intel SDM volume 2, MULPS.
func MulLoad(t emit.Type) *emit.Instruction { return mulLoads[t] }

// FMALoad returns the instruction acc + x * the vector at a pointer + imm, rounded once.
// Operands are acc, x and the pointer; the result replaces acc. Intel SDM volume 2,
// VFMADD231PS.
func FMALoad(t emit.Type) *emit.Instruction { return fmaLoads[t] }

var mulLoads, fmaLoads = map[emit.Type]*emit.Instruction{}, map[emit.Type]*emit.Instruction{}

func init() {
	for _, bits := range []int{256, 512} {
		for e, suffix := range map[emit.Elem]string{emit.F32: "PS", emit.F64: "PD"} {
			t := emit.Vector(e, bits/e.Bits())
			mulLoads[t] = fromLoad(t, "mul", nil, "VMUL"+suffix+" {imm}({2}), {1}, {0}")
			fmaLoads[t] = fromLoad(t, "fma", []emit.Type{t}, "VFMADD231"+suffix+" {imm}({3}), {2}, {0}")
		}
	}
}

func fromLoad(t emit.Type, name string, acc []emit.Type, text string) *emit.Instruction {
	i := emit.Instruction{
		Name: fmt.Sprintf("amd64.%sload.%v", name, t),
		Doc:  fmt.Sprintf("%s of a %v and one in memory, at a pointer + imm", name, t),
		In:   append(acc[:len(acc):len(acc)], t, emit.Ptr), Out: []emit.Type{t}, Mem: emit.Reads,
		Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
			args, size := in[0], t.Elem.Bytes()
			at := args[len(args)-1]
			lanes := make([]uint64, t.Lanes)
			for l, x := range args[len(args)-2].Lane {
				b, err := at.Mem.Read(at.Offset()+imm+int64(l*size), size)
				if err != nil {
					return err
				}
				var y uint64
				for i, v := range b {
					y |= uint64(v) << (8 * i)
				}
				if len(acc) > 0 {
					lanes[l] = t.Elem.MulAdd(x, y, args[0].Lane[l])
				} else {
					lanes[l] = t.Elem.Encode(t.Elem.Decode(x) * t.Elem.Decode(y))
				}
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
		Text: map[string]string{"amd64": text},
	}
	if len(acc) > 0 {
		i.Tied = []int{0}
	}
	return emit.Declare(i)
}
