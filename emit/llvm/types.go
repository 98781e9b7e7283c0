package llvm

import (
	"fmt"

	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// types gives the types of values; it knows how pointers are written.
type types struct{ opaque bool }

var elems = map[emit.Elem]llvm.Type{
	emit.I1: llvm.I1, emit.I8: llvm.I8, emit.I16: llvm.I16, emit.I32: llvm.I32, emit.I64: llvm.I64,
	emit.F8E4M3: llvm.I8, emit.F8E5M2: llvm.I8, emit.F16: llvm.I16, emit.BF16: llvm.I16,
	emit.F32: llvm.Float, emit.F64: llvm.Double,
}

// of returns the type of values of t. The error says why there is none.
func (ts types) of(t emit.Type) (llvm.Type, error) {
	switch {
	case t.Ptr && t.Space == emit.Generic:
		return ts.ptr(llvm.I8), nil
	case t.Ptr || t.Regs > 0 || t.Async:
		return nil, fmt.Errorf("a %v is a value of GPUs", t)
	}
	return vector(elems[t.Elem], t.Lanes), nil
}

// ptr returns the type of pointers to elem.
func (ts types) ptr(elem llvm.Type) llvm.Type {
	if ts.opaque {
		return opaque{}
	}
	return llvm.NewPointer(elem)
}

// vector returns the type of n lanes of elem; n is 1 for a scalar.
func vector(elem llvm.Type, n int) llvm.Type {
	if n == 1 {
		return elem
	}
	return llvm.NewVector(uint64(n), elem)
}

// opaque is the type "ptr", which llir does not have.
type opaque struct{}

var _ llvm.Type = opaque{}

func (opaque) String() string         { return "ptr" }
func (opaque) LLString() string       { return "ptr" }
func (opaque) Equal(u llvm.Type) bool { return u == llvm.Type(opaque{}) }
func (opaque) Name() string           { return "" }
func (opaque) SetName(string)         {}

// opaqueAddress is a global or a piece of the stack, whose address has the type "ptr".
type opaqueAddress struct{ value.Value }

func (opaqueAddress) Type() llvm.Type  { return opaque{} }
func (a opaqueAddress) String() string { return "ptr " + a.Ident() }

// mangle is how intrinsics spell a type in their names.
func (ts types) mangle(t emit.Type) string {
	s := ""
	if t.Lanes > 1 {
		s = fmt.Sprintf("v%d", t.Lanes)
	}
	switch e := t.Elem; e {
	case emit.F32, emit.F64:
		return fmt.Sprintf("%sf%d", s, e.Bits())
	default:
		return fmt.Sprintf("%si%d", s, e.Bits())
	}
}

// mangled is how intrinsics spell a pointer to t in their names.
func (ts types) mangled(t emit.Type) string {
	if ts.opaque {
		return "p0"
	}
	return "p0" + ts.mangle(t)
}
