package llvm

import (
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// A mask is a vector of one bit each, whose bits an integer as wide has in the same order.

func selectMaskBits(e *emitter, op *emit.Op) (value.Value, error) {
	n := op.Args[0].Type.Lanes
	x := e.bitcast(e.arg(op, 0), llvm.NewInt(uint64(n)))
	if n < 64 {
		x = e.at.NewZExt(x, llvm.I64)
	}
	return x, nil
}

func selectMaskOf(e *emitter, op *emit.Op) (value.Value, error) {
	n, x := op.Result().Type.Lanes, e.arg(op, 0)
	if n < 64 {
		x = e.at.NewTrunc(x, llvm.NewInt(uint64(n)))
	}
	return e.bitcast(x, e.typ(op.Result().Type)), nil
}
