package llvm

import (
	"fmt"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/metadata"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// instructions are the machine instructions that LLVM has a spelling for: those that
// kernels use, and not those that another backend's passes introduce.
var instructions = map[*emit.Instruction]row{}

func init() {
	instructions[inst.LoadIndex] = selectLoadIndex
	instructions[inst.StreamFence] = selectStreamFence
	instructions[inst.Scratch] = selectScratch
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		instructions[inst.Collect(e)] = selectCollect
		instructions[inst.First(e)] = func(e *emitter, op *emit.Op) (value.Value, error) {
			return e.at.NewExtractElement(e.arg(op, 0), constant.NewInt(llvm.I32, 0)), nil
		}
		for by := 1; by < 128/e.Bits(); by *= 2 {
			instructions[inst.Swap(e, by)] = func(e *emitter, op *emit.Op) (value.Value, error) {
				perm := make([]int, op.Result().Type.Lanes)
				for i := range perm {
					perm[i] = i ^ by
				}
				return e.shuffle(e.arg(op, 0), e.arg(op, 0), perm), nil
			}
		}
		for _, bits := range []int{256, 512} {
			t := emit.Vector(e, bits/e.Bits())
			instructions[inst.Stream(t)] = selectStream
			instructions[inst.MulLoad(t)], instructions[inst.FMALoad(t)] = selectFromLoad, selectFromLoad
		}
	}
}

// families are instructions that packages above this one declare, by the beginning of
// their names.
var families = map[string]row{"amd64.block.": selectBlock}

func selectInst(e *emitter, op *emit.Op) (value.Value, error) {
	row := instructions[op.Inst]
	for prefix, r := range families {
		if strings.HasPrefix(op.Inst.Name, prefix) {
			row = r
		}
	}
	if row == nil {
		return nil, fmt.Errorf("%s has no row on llvm", op.Inst.Name)
	}
	return row(e, op)
}

func selectLoadIndex(e *emitter, op *emit.Op) (value.Value, error) {
	at := e.move(e.arg(op, 0), e.at.NewMul(e.arg(op, 1), constant.NewInt(llvm.I64, 4)))
	if op.Attr.Imm != 0 {
		at = e.move(at, constant.NewInt(llvm.I64, op.Attr.Imm))
	}
	return e.at.NewSExt(e.load(emit.Int32, at), llvm.I64), nil
}

// selectCollect loads lane by lane, as the instructions do.
func selectCollect(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	var v value.Value = constant.NewUndef(e.typ(t))
	for i := range t.Lanes {
		n := e.at.NewMul(e.arg(op, 1+i), constant.NewInt(llvm.I64, int64(t.Elem.Bytes())))
		x := e.load(emit.Scalar(t.Elem), e.move(e.arg(op, 0), n))
		v = e.at.NewInsertElement(v, x, constant.NewInt(llvm.I32, int64(i)))
	}
	return v, nil
}

// selectStreamFence is the instruction that our assembly has: DMB ISHST on arm64.
func selectStreamFence(e *emitter, _ *emit.Op) (value.Value, error) {
	if e.t.Arch == "arm64" {
		const ishst = 10
		e.call("llvm.aarch64.dmb", llvm.Void, constant.NewInt(llvm.I32, ishst))
	} else {
		e.call("llvm.x86.sse.sfence", llvm.Void)
	}
	return nil, nil
}

// selectScratch is an alloca at the function's entry: in a loop the stack would grow each round.
func selectScratch(e *emitter, op *emit.Op) (value.Value, error) {
	i := ir.NewAlloca(llvm.NewArray(uint64(op.Attr.Imm), llvm.I8))
	i.Align = 16
	entry := e.fn.Blocks[0]
	entry.Insts = append([]ir.Instruction{i}, entry.Insts...)
	if e.opaque {
		return opaqueAddress{i}, nil
	}
	return e.at.NewBitCast(i, llvm.NewPointer(llvm.I8)), nil
}

// selectFromLoad loads, imm bytes on, and multiplies; with three operands it adds too.
func selectFromLoad(e *emitter, op *emit.Op) (value.Value, error) {
	t, n := op.Result().Type, len(op.Args)
	x, at := e.arg(op, n-2), e.arg(op, n-1)
	if op.Attr.Imm != 0 {
		at = e.move(at, constant.NewInt(llvm.I64, op.Attr.Imm))
	}
	y := e.load(t, at)
	if n == 2 {
		return e.at.NewFMul(x, y), nil
	}
	return e.call("llvm.fma."+e.mangle(t), e.typ(t), x, y, e.arg(op, 0)), nil
}

// selectBlock loads 128 bits, imm bytes on, and repeats them.
func selectBlock(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	block := emit.Vector(t.Elem, 128/t.Elem.Bits())
	x := e.load(block, e.move(e.arg(op, 0), constant.NewInt(llvm.I64, op.Attr.Imm)))
	perm := make([]int, t.Lanes)
	for i := range perm {
		perm[i] = i % block.Lanes
	}
	return e.shuffle(x, x, perm), nil
}

// selectStream marks a store, imm bytes on, as not temporal; only one that is aligned goes past the
// caches.
func selectStream(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Args[0].Type
	at := e.arg(op, 1)
	if op.Attr.Imm != 0 {
		at = e.move(at, constant.NewInt(llvm.I64, op.Attr.Imm))
	}
	i := e.store(t, e.arg(op, 0), at)
	i.Align = ir.Align(t.Bytes())
	if e.once == nil { // LLVM wants the mark to be the list of the number 1
		e.once = &metadata.Tuple{MetadataID: -1, Fields: []metadata.Field{one}}
		e.m.MetadataDefs = append(e.m.MetadataDefs, e.once)
	}
	i.Metadata = append(i.Metadata, &metadata.Attachment{Name: "nontemporal", Node: e.once})
	return nil, nil
}
