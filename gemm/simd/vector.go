package simd

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Vectors are the kernels of Levels 1 and 2 of BLAS for an element type. Each is a
// [vectorPass] over vectors and rows of a matrix, and all of them share one loop.
type Vectors struct{ Elem emit.Elem }

// Lower returns the kernels for one target.
func (s Vectors) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	k.ISA, k.VL = t.Name, t.Lanes(s.Elem)
	// Scalars are read where S and T point.
	f := &emit.Family{Of: "gemm", Suffix: "_" + strings.ToLower(s.Elem.String()) + "_" + t.Name, Args: vector.BlockArgs[kernel.VectorArgs](s.Elem)}
	add := func(op string, p vectorPass) {
		p.elem, p.target = s.Elem, t
		k.AddOp(op, p.Rows, 1, f.Add(p.Name, p.Doc, p.build))
	}
	add("Dot", dotPass)
	if s.Elem == emit.F32 {
		add("DotW", dotWidePass)
	}
	add("Axpy", axpyPass)
	add("Scal", scalPass)
	add("Swap", swapPass)
	add("Rot", rotPass)
	add("Asum", asumPass)
	add("SumSq", sumSqPass)
	add("Amax", amaxPass)
	add("Gemv", gemvPass)
	add("GemvT", gemvTPass)
	add("Ger", gerPass)
	add("Symv", symvPass)
	add("Syr2", syr2Pass)
	return f.Funcs, k, f.Err
}

// The passes. A step takes what was loaded and leaves in its place what is to be stored.
var (
	dotPass = vectorPass{Name: "dot", Doc: "sums products of two vectors.", Rows: 1, A: read, Y: read, Sums: 1, Unroll: 8,
		Step: func(b *emit.Builder, p *point) { p.Acc[0] = b.FMA(p.Acc[0], p.A[0], p.Y) }}
	dotWidePass = vectorPass{Name: "dotw", Doc: "sums products of two vectors of float32 in float64.", Rows: 1, A: read, Y: read, Sums: 1, Unroll: 4, Wide: true,
		Step: dotPass.Step}
	axpyPass = vectorPass{Name: "axpy", Doc: "adds a multiple of one vector to another.", Rows: 1, A: read, Y: change, S: true, Unroll: 4,
		Step: func(b *emit.Builder, p *point) { p.Y = b.FMA(p.Y, p.S[0], p.A[0]) }}
	scalPass = vectorPass{Name: "scal", Doc: "multiplies a vector.", Rows: 1, A: change, S: true, Unroll: 4,
		Step: func(b *emit.Builder, p *point) { p.A[0] = b.Mul(p.A[0], p.S[0]) }}
	swapPass = vectorPass{Name: "swap", Doc: "exchanges two vectors.", Rows: 1, A: change, Y: change, Unroll: 4,
		Step: func(_ *emit.Builder, p *point) { p.A[0], p.Y = p.Y, p.A[0] }}
	rotPass = vectorPass{Name: "rot", Doc: "rotates two vectors in their plane.", Rows: 1, A: change, Y: change, S: true, T: true, Unroll: 2,
		Step: func(b *emit.Builder, p *point) {
			x, y := p.A[0], p.Y
			p.A[0] = b.FMA(b.Mul(p.T[0], y), p.S[0], x)
			p.Y = b.Sub(b.Mul(p.S[0], y), b.Mul(p.T[0], x))
		}}
	asumPass = vectorPass{Name: "asum", Doc: "sums absolute values.", Rows: 1, A: read, Sums: 1, Unroll: 8,
		Step: func(b *emit.Builder, p *point) { p.Acc[0] = b.Add(p.Acc[0], b.AbsF(p.A[0])) }}
	sumSqPass = vectorPass{Name: "sumsq", Doc: "sums squares in float64.", Rows: 1, A: read, Sums: 1, Unroll: 8, Wide: true,
		Step: func(b *emit.Builder, p *point) { p.Acc[0] = b.FMA(p.Acc[0], p.A[0], p.A[0]) }}
	amaxPass = vectorPass{Name: "amax", Doc: "finds the greatest absolute value that is not a NaN.", Rows: 1, A: read, Sums: 1, Unroll: 8, Join: greater,
		Step: func(b *emit.Builder, p *point) { p.Acc[0] = greater(b, b.AbsF(p.A[0]), p.Acc[0]) }}

	gemvPass = vectorPass{Name: "gemv", Doc: "sums products of rows and a vector.", Rows: kernel.VectorRows, A: read, X: read, Sums: kernel.VectorRows, Unroll: 2,
		Step: func(b *emit.Builder, p *point) {
			for r, a := range p.A {
				p.Acc[r] = b.FMA(p.Acc[r], a, p.X)
			}
		}}
	gemvTPass = vectorPass{Name: "gemvt", Doc: "adds multiples of rows to a vector.", Rows: kernel.VectorRows, A: read, Y: change, S: true, Unroll: 2,
		Step: func(b *emit.Builder, p *point) {
			for r, a := range p.A {
				p.Y = b.FMA(p.Y, p.S[r], a)
			}
		}}
	gerPass = vectorPass{Name: "ger", Doc: "adds multiples of a vector to rows.", Rows: kernel.VectorRows, A: change, X: read, S: true, Unroll: 2,
		Step: func(b *emit.Builder, p *point) {
			for r, a := range p.A {
				p.A[r] = b.FMA(a, p.S[r], p.X)
			}
		}}
	symvPass = vectorPass{Name: "symv", Doc: "multiplies rows by a vector and adds multiples of them to another.", Rows: kernel.VectorRows, A: read, X: read, Y: change,
		Sums: kernel.VectorRows, S: true, Unroll: 1,
		Step: func(b *emit.Builder, p *point) {
			for r, a := range p.A {
				p.Acc[r] = b.FMA(p.Acc[r], a, p.X)
				p.Y = b.FMA(p.Y, p.S[r], a)
			}
		}}
	syr2Pass = vectorPass{Name: "syr2", Doc: "adds multiples of two vectors to rows.", Rows: kernel.VectorRows, A: change, X: read, Y: read, S: true, T: true, Unroll: 1,
		Step: func(b *emit.Builder, p *point) {
			for r, a := range p.A {
				p.A[r] = b.FMA(b.FMA(a, p.S[r], p.X), p.T[r], p.Y)
			}
		}}
)

// greater returns the greater number, y if x is a NaN.
func greater(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return b.Select(b.Cmp("gt", x, y), x, y)
}
