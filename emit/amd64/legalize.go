package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// The machine's own instructions that legalize introduces.
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
	kmov8  = kmov("amd64.kmovb", "KMOVB", 8)
	kmov16 = kmov("amd64.kmovw", "KMOVW", 16)

	// AVX2 has no mask registers; a mask is a vector whose lanes' signs count. It is
	// cut from a table of 32 bytes of ones and 32 of zeros.
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
	tail4 = tail("amd64.tail4", 4)
	tail8 = tail("amd64.tail8", 8)
)

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

const tailName = "tail<>"

func tail(name string, lanes int) *emit.Instruction {
	return emit.Declare(emit.Instruction{Name: name, Doc: "a vector mask without its last n lanes",
		In: []emit.Type{emit.Ptr, emit.Int64}, Out: []emit.Type{emit.Vector(emit.I1, lanes)},
		Text: map[string]string{"amd64": fmt.Sprintf("VMOVUPS ({1})({2}*%d), {0}", 32/lanes)},
		Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
			m := make([]uint64, lanes)
			for i := range m {
				if i < lanes-int(in[0][1].Lane[0]) {
					m[i] = 1
				}
			}
			out[0][0] = emit.Word{Lane: m}
			return nil
		}})
}

// legalize replaces operations that need several instructions by those.
func legalize(t emit.Target, f *emit.Func) (err error) {
	var walk func(b *emit.Block)
	walk = func(b *emit.Block) {
		var out []*emit.Op
		for _, op := range b.Ops {
			for _, in := range op.Blocks {
				walk(in)
			}
			if op.Def.Name == "maskn" {
				if n := op.Result().Type.Lanes; n != t.Lanes(emit.F32) && n != t.Lanes(emit.F64) && err == nil {
					err = f.Refuse(op, "masks on %s have %d or %d lanes", t.Name, t.Lanes(emit.F64), t.Lanes(emit.F32))
				}
				out = append(out, maskOps(t, op)...)
				continue
			}
			out = append(out, op)
		}
		b.Ops = out
	}
	walk(f.Body)
	return err
}

// maskOps expands maskn n. The last new operation takes over the old result.
func maskOps(t emit.Target, op *emit.Op) []*emit.Op {
	n, lanes := op.Args[0], op.Result().Type.Lanes
	konst := func(x int64) *emit.Op {
		return newOp(op, "const", emit.Attr{Imm: x}, nil, emit.Int64)
	}
	inst := func(i *emit.Instruction, args ...*emit.Value) *emit.Op {
		return newOp(op, "inst", emit.Attr{}, i, i.Out[0], args...)
	}
	var before []*emit.Op
	var last *emit.Op
	if t.Bits == 512 {
		ones := konst(-1)
		bits := inst(bzhi, ones.Result(), n)
		k := kmov16
		if lanes == 8 {
			k = kmov8
		}
		before, last = []*emit.Op{ones, bits}, inst(k, bits.Result())
	} else {
		full := konst(int64(lanes))
		rest := newOp(op, "sub", emit.Attr{}, nil, emit.Int64, full.Result(), n)
		table := inst(tailTable)
		cut := tail8
		if lanes == 4 {
			cut = tail4
		}
		before, last = []*emit.Op{full, rest, table}, inst(cut, table.Result(), rest.Result())
	}
	last.Results, last.Comment = op.Results, op.Comment
	last.Results[0].Op = last
	return append(before, last)
}

// newOp returns an operation that stands for part of old, at its place.
func newOp(old *emit.Op, name string, at emit.Attr, inst *emit.Instruction, t emit.Type, args ...*emit.Value) *emit.Op {
	op := new(emit.Op)
	*op = *old
	op.Def, op.Attr, op.Inst, op.Args, op.Comment = emit.Lookup(name), at, inst, args, ""
	op.Results = []*emit.Value{{Type: t, Op: op}}
	return op
}
