package llvm

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// move returns the address p + n bytes.
func (e *emitter) move(p, n value.Value) value.Value {
	// llir's constructor is not used, because it does not know opaque pointers.
	i := &ir.InstGetElementPtr{ElemType: llvm.I8, Src: p, Indices: []value.Value{n}, Typ: e.ptr(llvm.I8)}
	e.at.Insts = append(e.at.Insts, i)
	return i
}

func selectAddp(e *emitter, op *emit.Op) (value.Value, error) {
	return e.move(e.arg(op, 0), e.arg(op, 1)), nil
}

// address returns where a memory operation accesses.
func (e *emitter) address(op *emit.Op) value.Value {
	p, index := op.Address()
	at := e.vals[p]
	if index != nil {
		n := e.vals[index]
		if op.Attr.Scale > 1 {
			n = e.at.NewMul(n, constant.NewInt(llvm.I64, op.Attr.Scale))
		}
		at = e.move(at, n)
	}
	if op.Attr.Off != 0 {
		at = e.move(at, constant.NewInt(llvm.I64, op.Attr.Off))
	}
	return at
}

// to returns the address as one of a t.
func (e *emitter) to(t emit.Type, at value.Value) value.Value {
	if e.opaque {
		return at
	}
	return e.bitcast(at, llvm.NewPointer(e.typ(t)))
}

func (e *emitter) load(t emit.Type, at value.Value) value.Value {
	i := e.at.NewLoad(e.typ(t), e.to(t, at))
	i.Align = 1
	return i
}

func (e *emitter) store(t emit.Type, x, at value.Value) *ir.InstStore {
	i := &ir.InstStore{Src: x, Dst: e.to(t, at), Align: 1}
	e.at.Insts = append(e.at.Insts, i)
	return i
}

func selectLoad(e *emitter, op *emit.Op) (value.Value, error) {
	return e.load(op.Result().Type, e.address(op)), nil
}

func selectLoadSplat(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	return e.splat(t, e.load(emit.Scalar(t.Elem), e.address(op))), nil
}

func selectStore(e *emitter, op *emit.Op) (value.Value, error) {
	e.store(op.Args[0].Type, e.arg(op, 0), e.address(op))
	return nil, nil
}

var one = constant.NewInt(llvm.I32, 1)

// Masked accesses are intrinsics that do not touch lanes outside of the mask.

func selectLoadMasked(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Result().Type
	if t.Lanes == 1 {
		return nil, fmt.Errorf("a masked load of a scalar has no row on llvm; branch")
	}
	name := "llvm.masked.load." + e.mangle(t) + "." + e.mangled(t)
	return e.call(name, e.typ(t), e.to(t, e.address(op)), one, e.arg(op, 0), constant.NewZeroInitializer(e.typ(t))), nil
}

func selectStoreMasked(e *emitter, op *emit.Op) (value.Value, error) {
	t := op.Args[0].Type
	if t.Lanes == 1 {
		return nil, fmt.Errorf("a masked store of a scalar has no row on llvm; branch")
	}
	name := "llvm.masked.store." + e.mangle(t) + "." + e.mangled(t)
	e.call(name, llvm.Void, e.arg(op, 0), e.to(t, e.address(op)), one, e.arg(op, 1))
	return nil, nil
}

// selectPrefetch is a read of data; LLVM's locality is 3 for L1 and 2 for L2.
func selectPrefetch(e *emitter, op *emit.Op) (value.Value, error) {
	if op.Attr.Imm != 0 && op.Attr.Imm != 1 {
		return nil, fmt.Errorf("prefetch level is %d, not 0 (L1) or 1 (L2)", op.Attr.Imm)
	}
	c := func(n int64) value.Value { return constant.NewInt(llvm.I32, n) }
	e.call("llvm.prefetch."+e.mangled(emit.Scalar(emit.I8)), llvm.Void, e.address(op), c(0), c(3-op.Attr.Imm), c(1))
	return nil, nil
}
