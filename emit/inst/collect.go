package inst

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Collect returns the instructions that load a 128-bit vector of e from as many
// places as it has lanes, base + index*size each. Operands are the base, then the
// indices. It is the gather of processors whose gather instruction is slower than
// loads; AMD's Zen is. Intel SDM volume 2, MOVHPD and INSERTPS.
func Collect(e emit.Elem) *emit.Instruction { return collects[e] }

var collects = map[emit.Elem]*emit.Instruction{
	emit.F64: collect(emit.F64, "VMOVSD ({1})({2}*8), {0}", "VMOVHPD ({1})({3}*8), {0}, {0}"),
	emit.F32: collect(emit.F32, "VMOVSS ({1})({2}*4), {0}", "VINSERTPS $0x10, ({1})({3}*4), {0}, {0}",
		"VINSERTPS $0x20, ({1})({4}*4), {0}, {0}", "VINSERTPS $0x30, ({1})({5}*4), {0}, {0}"),
}

func collect(e emit.Elem, text ...string) *emit.Instruction {
	in := []emit.Type{emit.Ptr}
	for range text {
		in = append(in, emit.Int64)
	}
	return emit.Declare(emit.Instruction{
		Name: "cpu.collect." + e.String(),
		Doc:  fmt.Sprintf("loads %d lanes of %v, lane i from base + index i", len(text), e),
		In:   in, Out: []emit.Type{emit.Vector(e, len(text))}, Mem: emit.Reads,
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			base, size := in[0][0], int64(e.Bytes())
			lanes := make([]uint64, len(text))
			for i := range lanes {
				b, err := base.Mem.Read(base.Offset()+int64(in[0][1+i].Lane[0])*size, int(size))
				if err != nil {
					return err
				}
				for j, x := range b {
					lanes[i] |= uint64(x) << (8 * j)
				}
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
		Text: map[string]string{"amd64": strings.Join(text, "\n"), "arm64": collectLanes(e, len(text))},
	})
}

// collectLanes is a load for each lane: DDI 0487, LD1 (single structure).
func collectLanes(e emit.Elem, lanes int) string {
	var lines []string
	for i := range lanes {
		shift, letter := map[int]int{4: 2, 8: 3}[e.Bytes()], map[int]string{4: "s", 8: "d"}[e.Bytes()]
		lines = append(lines, fmt.Sprintf("ADD {%d}<<%d, {1}, R17", 2+i, shift), fmt.Sprintf("ld1 {{v0}.%s}[%d], [x17]", letter, i))
	}
	return strings.Join(lines, "\n")
}

// First returns the instruction that takes lane 0 of a 128-bit vector of e as a
// scalar.
func First(e emit.Elem) *emit.Instruction { return firsts[e] }

var firsts = map[emit.Elem]*emit.Instruction{emit.F64: first(emit.F64, 2), emit.F32: first(emit.F32, 4)}

func first(e emit.Elem, lanes int) *emit.Instruction {
	return emit.Declare(emit.Instruction{
		Name: "cpu.first." + e.String(),
		Doc:  "lane 0 of a vector",
		In:   []emit.Type{emit.Vector(e, lanes)}, Out: []emit.Type{emit.Scalar(e)},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			out[0][0] = emit.Word{Lane: in[0][0].Lane[:1:1]}
			return nil
		},
		Text: map[string]string{"amd64": "VMOVAPS {1}, {0}", "arm64": "mov {v0}.16b, {v1}.16b"},
	})
}

// Swap returns the instruction that exchanges lanes by of a 128-bit vector of e
// apart: lane i of the result is lane i^by.
func Swap(e emit.Elem, by int) *emit.Instruction { return swaps[swapKey{e, by}] }

type swapKey struct {
	e  emit.Elem
	by int
}

var swaps = map[swapKey]*emit.Instruction{
	{emit.F64, 1}: swap(emit.F64, 1, "VPERMILPD $1, {1}, {0}", swapHalves),
	{emit.F32, 2}: swap(emit.F32, 2, "VPERMILPD $1, {1}, {0}", swapHalves),
	{emit.F32, 1}: swap(emit.F32, 1, "VPERMILPS $0xb1, {1}, {0}", "rev64 {v0}.4s, {v1}.4s"),
}

const swapHalves = "ext {v0}.16b, {v1}.16b, {v1}.16b, #8"

func swap(e emit.Elem, by int, amd64, arm64 string) *emit.Instruction {
	t := emit.Vector(e, 128/e.Bits())
	return emit.Declare(emit.Instruction{
		Name: fmt.Sprintf("cpu.swap%d.%v", by, e),
		Doc:  fmt.Sprintf("lane i is lane i^%d", by),
		In:   []emit.Type{t}, Out: []emit.Type{t},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			lanes := make([]uint64, t.Lanes)
			for i := range lanes {
				lanes[i] = in[0][0].Lane[i^by]
			}
			out[0][0] = emit.Word{Lane: lanes}
			return nil
		},
		Text: map[string]string{"amd64": amd64, "arm64": arm64},
	})
}

// LoadIndex loads an element of an array of int32 as an i64: operands are the base
// and the index, imm is added in bytes. Intel SDM volume 2, MOVSXD.
var LoadIndex = emit.Declare(emit.Instruction{
	Name: "cpu.loadindex",
	Doc:  "loads an int32 at base + 4*index + imm and widens it with its sign",
	In:   []emit.Type{emit.Ptr, emit.Int64}, Out: []emit.Type{emit.Int64}, Mem: emit.Reads,
	Run: func(_ *emit.Machine, imm int64, in, out [][]emit.Word) error {
		base := in[0][0]
		b, err := base.Mem.Read(base.Offset()+4*int64(in[0][1].Lane[0])+imm, 4)
		if err != nil {
			return err
		}
		out[0][0] = emit.IntWord(int64(int32(binary.LittleEndian.Uint32(b))))
		return nil
	},
	Text: map[string]string{"amd64": "MOVLQSX {imm}({1})({2}*4), {0}", "arm64": "ADD {2}<<2, {1}, R17\nMOVW {imm}(R17), {0}"},
})
