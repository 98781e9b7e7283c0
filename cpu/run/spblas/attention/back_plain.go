package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
)

// plain computes the gradients of one head without assembly.
func (b *blockHead[T]) plain(w *tileScratch, h int) {
	q, k, v := head(b.q, h, b.heads.Q), head(b.k, h, b.heads.K), head(b.v, h, b.heads.V)
	out, dout := head(b.out, h, b.heads.Out), head(b.dout, h, b.heads.Out)
	dq, dk, dv := head(b.dq, h, b.heads.Q), head(b.dk, h, b.heads.K), head(b.dv, h, b.heads.V)
	for _, m := range []layout.Matrix[T]{dq, dk, dv} {
		mem.Scale(m, 0)
	}
	room := make([]T, 3*blockColumnsAtOnce)
	sums := b.operandSums(w, b.mask.Rows(), b.mask.Cols())
	if b.gradient != nil {
		w.also.Grow(b.gradient.also * (blockColumnsAtOnce*8 + mem.Line))
	}
	for i := range b.mask.Rows() {
		log, mean := rowState(out, dout, i, b.logSums[h*b.mask.Rows()+i])
		b.eachChunk(w, i/b.mask.Size(), i+1, func(int) {
			for _, s := range w.segments {
				products, weights, by := room[:s.n], room[s.n:2*s.n], room[2*s.n:3*s.n]
				for n := range s.n {
					var product, d T
					for f := range q.Cols {
						product += T(q.At(i, f) * k.At(s.col+n, f))
					}
					for f := range v.Cols {
						d += T(dout.At(i, f) * v.At(s.col+n, f))
					}
					products[n], by[n] = T(product*b.scale), d
				}
				if b.drop != nil {
					b.drop.row(w, by, h, i, s.col)
				}
				copy(weights, products)
				of := func(x []T) mem.Operand {
					size := int(unsafe.Sizeof(x[0]))
					return mem.Operand{P: unsafe.Pointer(unsafe.SliceData(x)), RS: s.n * size, CS: size}
				}
				if b.fusion != nil {
					b.fusion.run(&w.EpiArgs, of(products), of(weights), nil, h, i, s.col, 1, s.n)
				}
				for n, score := range weights {
					weights[n] = T(math.Exp(float64(score - log)))
					by[n] = T(weights[n] * (by[n] - mean))
				}
				if b.gradient != nil {
					b.gradient.run(&w.EpiArgs, of(products), of(by), w.also.P, h, i, s.col, 1, s.n)
					b.operandScores(w, sums, 0, h, i, s.col, 1, s.n)
				}
				if b.drop != nil {
					b.drop.row(w, weights, h, i, s.col)
				}
				for n := range s.n {
					j, by := s.col+n, by[n]*b.scale
					for f := range q.Cols {
						*at(dq, i, f) += T(by * k.At(j, f))
						*at(dk, j, f) += T(by * q.At(i, f))
					}
					for f := range v.Cols {
						*at(dv, j, f) += T(weights[n] * dout.At(i, f))
					}
				}
			}
		})
	}
	b.putOperands(sums, h, 0, 0)
}
