package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// widens reports whether packing turns elements of type from into elements of type
// to without rounding.
func widens(from, to emit.Elem) bool {
	return from == to || to == emit.F32 && (from == emit.BF16 || from == emit.F16)
}

// operatorOf returns the operator of a product: the one it names, or by its types. The
// error says that it fits no such operands and sums.
func operatorOf(d gemm.Description) (gemm.Operator, error) {
	if d.Operator == nil {
		return pick(d.A, d.B, d.Acc)
	}
	op := d.Operator
	if x, y, z := op.Types(); !widens(gemm.ElemOf(d.A), x) || !widens(gemm.ElemOf(d.B), y) || z != gemm.ElemOf(d.Acc) {
		return nil, fmt.Errorf("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, d.A, d.B, d.Acc)
	}
	return op, nil
}

// pick returns the operator for the element types. Narrow
// floating-point operands are widened when they are packed.
func pick(a, b, acc dtype.Type) (gemm.Operator, error) {
	if (acc == dtype.F32 || acc == dtype.F64) && widens(gemm.ElemOf(a), gemm.ElemOf(acc)) && widens(gemm.ElemOf(b), gemm.ElemOf(acc)) {
		return gemm.FMA{Elem: gemm.ElemOf(acc)}, nil
	}
	return nil, fmt.Errorf("no operator multiplies %v by %v into %v; operands may be f32, bf16 or f16 with sums of f32, or all f64", a, b, acc)
}
