package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// widens reports whether packing turns elements of type from into elements of type
// to without rounding.
func widens(from, to emit.Elem) bool {
	return from == to || to == emit.F32 && (from == emit.BF16 || from == emit.F16)
}

// operatorOf returns the operator of a product: the one it names, or by its types. The
// error says that it fits no such operands and sums.
func operatorOf(d gemm.Description, t emit.Target) (gemm.Operator, error) {
	if d.Sparse != 0 {
		return nil, fmt.Errorf("%s has no sparse products of tensor cores, which Sparse24 asks for; list GPU targets only; on CPUs cpu.MatMul24 is the product, and with an epilogue a spec of a dense a, which takes what sparse24.Matrix.Unpack returns", t.Name)
	}
	if d.Operator == nil {
		return pick(d.A, d.B, d.Acc, t)
	}
	op := d.Operator
	if op == gemm.TF32 || op == gemm.F16Sums {
		return nil, fmt.Errorf("operator %v is of the tensor cores of GPUs; on %s leave the operator out, in a spec of its own", op, t.Name)
	}
	if x, y, z := op.Types(); !widens(gemm.ElemOf(d.A), x) || !widens(gemm.ElemOf(d.B), y) || z != gemm.ElemOf(d.Acc) {
		return nil, fmt.Errorf("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, d.A, d.B, d.Acc)
	}
	return op, nil
}

// pick returns the operator for the element types on a target: a dot product where it has
// one. Else narrow floating-point operands are widened when they are packed, and 8-bit
// integers are to 16 bits.
func pick(a, b, acc dtype.Type, t emit.Target) (gemm.Operator, error) {
	isa := isaset.ByName(t.Name)
	has := func(names ...string) bool { return isa != nil && slices.ContainsFunc(names, isa.Includes) }
	vnni := has("avx512vnni", "avxvnni")
	integer := func(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 || t == dtype.I16 }
	type pair struct{ a, b dtype.Type }
	tiles := map[pair]gemm.Tiles{{dtype.I8, dtype.I8}: gemm.I8I8Tiles, {dtype.I8, dtype.U8}: gemm.I8U8Tiles,
		{dtype.U8, dtype.I8}: gemm.U8I8Tiles, {dtype.U8, dtype.U8}: gemm.U8U8Tiles}[pair{a, b}]
	switch {
	case acc == dtype.F32 && a == dtype.TypeBF16 && b == dtype.TypeBF16 && has("amxbf16"):
		return gemm.BF16Tiles, nil
	case acc == dtype.I32 && tiles != 0 && has("amxint8"):
		return tiles, nil
	case acc == dtype.F32 && a == dtype.TypeBF16 && b == dtype.TypeBF16 && has("avx512bf16"):
		return gemm.BF16Dot, nil
	case acc == dtype.F32 && a == dtype.TypeBF16 && b == dtype.TypeBF16 && has("neonbf16"):
		return bf16Square, nil
	case acc.Complex():
		return gemm.Pairs{Elem: gemm.ElemOf(acc)}, nil
	case (acc == dtype.F32 || acc == dtype.F64) && widens(gemm.ElemOf(a), gemm.ElemOf(acc)) && widens(gemm.ElemOf(b), gemm.ElemOf(acc)):
		return gemm.FMA{Elem: gemm.ElemOf(acc)}, nil
	case acc != dtype.I32 || !integer(a) || !integer(b):
		return nil, fmt.Errorf("no operator multiplies %v by %v into %v; operands may be f32, bf16 or f16 with sums of f32, all f64, "+
			"or i8, u8 and i16 with sums of i32", a, b, acc)
	case has("neoni8mm") && a != dtype.I16 && b == dtype.I8:
		return i8Square, nil
	case has("neoni8mm") && a != dtype.I16 && b == dtype.U8:
		return u8Square, nil
	case has("neondot") && a != dtype.I16 && b == dtype.I8:
		return i8Dot, nil
	case has("neondot") && a != dtype.I16 && b == dtype.U8:
		return u8Dot, nil
	case vnni && a != dtype.I16 && b == dtype.I8:
		return gemm.U8I8Dot, nil
	case vnni && a != dtype.I16 && b == dtype.U8:
		return gemm.I8U8Dot, nil
	case vnni:
		return gemm.I16Dot, nil
	}
	return gemm.I16Madd, nil
}

// flips returns what words of A, of elements of type a, are XORed with for a dot
// product that takes them without sign, or with one.
func flips(op gemm.Operator, a dtype.Type) uint32 {
	unsigned, signed := []gemm.Operator{gemm.U8I8Dot, u8Dot, u8Square}, []gemm.Operator{gemm.I8U8Dot, i8Dot, i8Square}
	if a == dtype.I8 && slices.Contains(unsigned, op) || a == dtype.U8 && slices.Contains(signed, op) {
		return 0x80808080
	}
	return 0
}
