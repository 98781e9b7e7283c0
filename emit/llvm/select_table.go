package llvm

import (
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// selectTable loads each lane from a constant of the module.
func selectTable(e *emitter, op *emit.Op) (value.Value, error) {
	t, index := op.Result().Type, e.arg(op, 0)
	elem := emit.Scalar(t.Elem)
	base := e.table(t.Elem, op.Attr.Table)
	lane := func(i value.Value) value.Value {
		if i.Type().Equal(llvm.I32) {
			i = e.at.NewZExt(i, llvm.I64)
		}
		return e.load(elem, e.move(base, e.at.NewMul(i, constant.NewInt(llvm.I64, int64(t.Elem.Bytes())))))
	}
	if t.Lanes == 1 {
		return lane(index), nil
	}
	var v value.Value = constant.NewUndef(e.typ(t))
	for i := range t.Lanes {
		at := constant.NewInt(llvm.I32, int64(i))
		v = e.at.NewInsertElement(v, lane(e.at.NewExtractElement(index, at)), at)
	}
	return v, nil
}

// table returns the address of a constant of the module, which is made once.
func (e *emitter) table(elem emit.Elem, bits []uint64) value.Value {
	name := emit.TableKey(elem.Bits(), bits)
	g := e.tables[name]
	if g == nil {
		words := make([]constant.Constant, len(bits))
		for i, x := range bits {
			words[i] = intConst(map[int]emit.Elem{32: emit.I32, 64: emit.I64}[elem.Bits()], int64(x))
		}
		g = e.m.NewGlobalDef(name, constant.NewArray(nil, words...))
		g.Immutable, g.Linkage, g.UnnamedAddr = true, enum.LinkagePrivate, enum.UnnamedAddrUnnamedAddr
		e.tables[name] = g
	}
	if e.opaque {
		return opaqueAddress{g}
	}
	return e.at.NewBitCast(g, llvm.NewPointer(llvm.I8))
}
