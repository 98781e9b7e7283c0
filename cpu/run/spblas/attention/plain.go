package attention

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

const plainRows = 32 // taken at once

// plain computes some rows of a head without assembly.
func (a *forward[T]) plain(w *tileScratch, t int) {
	h := a.first
	q, k, v, out := head(a.q, h, a.heads.Q), head(a.k, h, a.heads.K), head(a.v, h, a.heads.V), head(a.out, h, a.heads.Out)
	var scores, sums []T
	var op call.Operator[T]
	for i := t * plainRows; i < min((t+1)*plainRows, a.mask.Rows()); i++ {
		block := i / a.mask.Size()
		scores, sums = scores[:0], append(sums[:0], make([]T, v.Cols)...)
		a.eachChunk(w, block, i+1, func(int) {
			for _, s := range w.segments {
				first := len(scores)
				for j := s.col; j < s.col+s.n; j++ {
					var x T
					if q.Cols > 0 {
						x = call.DotRows(q.Data[i*q.RowStride:], q.ColStride, k.Data[j*k.RowStride:], k.ColStride, q.Cols)
					}
					scores = append(scores, x*a.scale)
				}
				if a.fusion != nil {
					size := int(unsafe.Sizeof(a.scale))
					row := mem.Operand{P: unsafe.Pointer(&scores[first]), RS: s.n * size, CS: size}
					a.fusion.run(&w.EpiArgs, row, row, nil, h, i, s.col, 1, s.n)
				}
			}
		})
		top, total := T(math.Inf(-1)), T(0)
		if len(scores) > 0 {
			top, total = call.ExpRow(scores, scores)
		}
		n := 0
		a.eachChunk(w, block, i+1, func(int) {
			for _, s := range w.segments {
				if a.drop != nil {
					a.drop.row(w, scores[n:n+s.n], h, i, s.col)
				}
				for j := s.col; j < s.col+s.n; j++ {
					if len(sums) > 0 { // else v has no such row
						op.AddRow(sums, 1, scores[n], v.Data[j*v.RowStride:], v.ColStride, len(sums))
					}
					n++
				}
			}
		})
		a.divide(out, h, i, sums, top, total, len(scores) > 0)
	}
}
