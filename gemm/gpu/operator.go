package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// operator is an operator on a GPU: it says how a warp's tile is made of
// fragments. The main loop (loop.go) is the same for all of them.
type operator interface {
	String() string
	// Types gives the element types in memory, and of the sums.
	Types() (a, b, acc emit.Elem)
	// Pad is what stands beyond the end of K so that it changes no sum.
	Pad() float64
	// Fragment says what tiles must be multiples of, and the registers they take.
	Fragment(aK, bK bool) tiling.Fragment
	// Fragments lays out a warp's tile of wm x wn, for operands that are contiguous
	// along K or not.
	Fragments(wm, wn int, aK, bK bool) fragments
}

// fragments is a warp's tile, as the main loop sees it. What depends on the lane and
// what is known are always joined by exclusive or: see smemTile.
type fragments struct {
	k    int // the depth of one step
	a, b reads
	// Identity returns the sums to begin with.
	identity func(b *emit.Builder) []*emit.Value
	// step returns the sums with one step's products added.
	step func(b *emit.Builder, acc, x, y []*emit.Value) []*emit.Value
	// lane returns the lane's coordinate in the sums, and runs the rest: neighbours along
	// a row.
	lane func(b *emit.Builder, lane *emit.Value) (row, col *emit.Value)
	runs func(b *emit.Builder, acc []*emit.Value) []accRun
}

// reads are the loads of one operand in a step.
type reads struct {
	lane func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value)
	at   []coordinate
	// load reads what one of at points at.
	load func(b *emit.Builder, a emit.Addr) []*emit.Value
}

// coordinate is that of an element of a tile.
type coordinate struct{ mn, k int }

// accRun is sums side by side: those of columns col, col+1, ... of a row.
type accRun struct {
	row, col int
	x        []*emit.Value
}

// operatorOf returns the operator for the element types of a product, which may name one.
func operatorOf(op gemm.Operator, a, b, acc emit.Elem) (operator, error) {
	if acc != emit.F32 {
		return nil, fmt.Errorf("a GPU sums in f32, not %v", acc)
	}
	switch {
	case op != nil:
		if x, y, z := op.Types(); x != a || y != b || z != acc {
			return nil, fmt.Errorf("operator %v is for %v, %v and %v, the spec has %v, %v and %v", op, x, y, z, a, b, acc)
		}
		if a != emit.F32 || b != emit.F32 {
			return nil, fmt.Errorf("operator %v is for %v; on a GPU an operator of one's own is for f32", op, a)
		}
		if k := gemm.DepthOf(op).K; k > 1 {
			return nil, fmt.Errorf("operator %v takes %d k a step; on a GPU an operator of one's own takes one", op, k)
		}
		if s, ok := op.(gemm.Semiring); ok {
			if !s.Pads() {
				return nil, fmt.Errorf("operator %v: Times of Zero and Zero, which stand beyond the end of K on a GPU, has to be Zero", op)
			}
			op = ptxSemiring{s}
		}
		return simt{op}, nil
	case a == b && (a == emit.BF16 || a == emit.F16):
		return mma{a}, nil
	case a == b && a == emit.F32:
		return simt{gemm.FMA{Elem: emit.F32}}, nil
	}
	return nil, fmt.Errorf("no operator of a GPU multiplies %v by %v; operands may both be bf16, f16 or f32", a, b)
}
