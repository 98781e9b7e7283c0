package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// operator is an operator on a GPU: it says how a warp's tile is made of
// fragments. The main loop (loop.go) is the same for all of them.
type operator interface {
	String() string
	// Sum is the type of the sums.
	Sum() emit.Elem
	// Pad is what stands beyond the end of K so that it changes no sum.
	Pad() float64
	// Join makes one of the sums of two parts of K. It is called only if Joins is true.
	Join(b *emit.Builder, x, y *emit.Value) *emit.Value
	Joins() bool
	// Fragment says what tiles must be multiples of, and the registers they take.
	Fragment(aK, bK bool) tiling.Fragment
	// Fragments lays out a warp's tile of wm x wn, for operands that are contiguous
	// along K or not.
	Fragments(wm, wn int, aK, bK bool) fragments
}

// fragments is a warp's tile, as the main loop sees it. Exclusive or always joins the
// part that depends on the lane and the part that is known: see smemTile.
type fragments struct {
	multiplier
	// less, if not nil, takes zero points from the sums over count of K: see settle.
	less func(b *emit.Builder, acc []*emit.Value, za, zb, count *emit.Value) []*emit.Value
	// lane returns the lane's coordinate in the sums, and runs the rest: neighbours along
	// a row.
	lane func(b *emit.Builder, lane *emit.Value) (row, col *emit.Value)
	runs func(b *emit.Builder, acc []*emit.Value) []accRun
}

// A multiplier says what is done with the tiles of a stage.
type multiplier interface {
	stage(b *emit.Builder, w warp) stage
}

// accRun is sums side by side: those of columns col, col+1, ... of a row.
type accRun struct {
	row, col int
	x        []*emit.Value
}

// operatorOf returns the operator of a product: by its types, or the one that it names.
func operatorOf(d gemm.Description, t emit.Target) (operator, error) {
	a, b, acc := gemm.ElemOf(d.A), gemm.ElemOf(d.B), gemm.ElemOf(d.Acc)
	if d.Sparse != 0 {
		return sparseOperator(d, t)
	}
	switch op := d.Operator; {
	case op == gemm.TF32 || op == gemm.F16Sums:
		if x, y, z := op.Types(); x != a || y != b || z != acc {
			return nil, fmt.Errorf("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, d.A, d.B, d.Acc)
		}
		return map[gemm.Operator]mma{gemm.TF32: mmaTF32, gemm.F16Sums: mmaF16Sums}[op], nil
	case op != nil:
		return ownOperator(op, a, b, acc)
	}
	if op := tensorOperator(d, t); op != nil {
		return op, nil
	}
	switch {
	case d.A == dtype.F32 && d.B == dtype.F32 && d.Acc == dtype.F32:
		return simt{gemm.FMA{Elem: emit.F32}}, nil
	case fp8[d.A] != "" && fp8[d.B] != "" && d.Acc == dtype.F32:
		return nil, fmt.Errorf("%s has no products of %v and %v: they are of sm_89 and later, or convert to f16", t.Name, d.A, d.B)
	}
	return nil, fmt.Errorf("no operator of a GPU multiplies %v by %v into %v; operands may both be bf16, f16 or f32 with sums of f32, "+
		"both f64 with sums of f64, i8 or u8 with sums of i32, or e4m3 or e5m2 with sums of f32", d.A, d.B, d.Acc)
}

// ownOperator is one that a spec names.
func ownOperator(op gemm.Operator, a, b, acc emit.Elem) (operator, error) {
	if x, y, z := op.Types(); x != a || y != b || z != acc {
		return nil, fmt.Errorf("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, a, b, acc)
	}
	if a != emit.F32 || b != emit.F32 || acc != emit.F32 {
		return nil, fmt.Errorf("operator %v is for %v; on a GPU an operator of one's own is for f32", op, a)
	}
	if k := gemm.DepthOf(op).K; k > 1 {
		return nil, fmt.Errorf("operator %v takes %d k a step; on a GPU an operator of one's own takes one", op, k)
	}
	if s, ok := op.(gemm.Semiring); ok {
		if !s.Pads() {
			return nil, fmt.Errorf("operator %v: Times(Zero, Zero) must be Zero, since a GPU fills K up with Zero", op)
		}
		op = ptxSemiring{s}
	}
	return simt{op}, nil
}

// int8s and fp8 are the 8-bit types that tensor cores multiply, as PTX spells them.
var (
	int8s = map[dtype.Type]string{dtype.I8: "s8", dtype.U8: "u8"}
	fp8   = map[dtype.Type]string{dtype.TypeF8E4M3: "e4m3", dtype.TypeF8E5M2: "e5m2"}
)

// tensorOperator is the operator of tensor cores for the types of a product, or nil.
func tensorOperator(d gemm.Description, t emit.Target) operator {
	since90 := ptx.Since(t, ptx.SM90)
	switch {
	case d.A == dtype.TypeBF16 && d.B == dtype.TypeBF16 && d.Acc == dtype.F32:
		return mmaBF16
	case d.A == dtype.TypeF16 && d.B == dtype.TypeF16 && d.Acc == dtype.F32:
		return mmaF16
	case d.A == dtype.F64 && d.B == dtype.F64 && d.Acc == dtype.F64 && since90:
		return mmaF64x16
	case d.A == dtype.F64 && d.B == dtype.F64 && d.Acc == dtype.F64:
		return mmaF64
	case int8s[d.A] != "" && int8s[d.B] != "" && d.Acc == dtype.I32:
		o := mmaInt8(int8s[d.A], int8s[d.B])
		if d.Fusion != nil {
			o.zeros.a, o.zeros.b = d.Fusion.Zeros.A != "", d.Fusion.Zeros.B != ""
		}
		return o
	case fp8[d.A] != "" && fp8[d.B] != "" && d.Acc == dtype.F32 && ptx.Since(t, ptx.SM89):
		return mmaFP8(fp8[d.A], fp8[d.B], since90)
	}
	return nil
}
