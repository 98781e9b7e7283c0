package graph

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// attentionPortable is one call without assembly.
type attentionPortable[T dtype.Float] struct {
	raw          sparse.Raw
	scale        T
	bias         bool
	out, q, k, v layout.Matrix[T]
	tasks        call.Tasks
}

const portableRows = 32 // taken at once

func (a *attentionPortable[T]) Work(bool) {
	pointers := call.RowPointers(a.raw)
	indices := unsafe.Slice((*int32)(a.raw.Indices), a.raw.NNZ)
	values := unsafe.Slice((*T)(a.raw.Values), a.raw.NNZ)
	var scores, sums []T
	for t := range a.tasks.Each {
		i := t * portableRows
		for end := min(i+portableRows, a.raw.Rows); i < end; i++ {
			columns := indices[pointers[i]:pointers[i+1]]
			scores = scores[:0]
			for n, j := range columns {
				var x T
				if a.q.Cols > 0 {
					x = call.DotRows(a.q.Data[i*a.q.RowStride:], a.q.ColStride, a.k.Data[int(j)*a.k.RowStride:], a.k.ColStride, a.q.Cols)
				}
				x *= a.scale
				if a.bias {
					x += values[int(pointers[i])+n]
				}
				scores = append(scores, x)
			}
			sums = append(sums[:0], make([]T, a.v.Cols)...)
			var total T
			if len(scores) > 0 {
				top := slices.Max(scores)
				for n, x := range scores {
					scores[n] = T(math.Exp(float64(x - top)))
					total += scores[n]
				}
				for n, j := range columns {
					row := a.v.Data[int(j)*a.v.RowStride:]
					for h := range sums {
						sums[h] += T(scores[n] * row[h*a.v.ColStride])
					}
				}
			}
			for h, x := range sums {
				if len(scores) > 0 {
					x /= total
				}
				a.out.Data[i*a.out.RowStride+h*a.out.ColStride] = x
			}
		}
	}
}
