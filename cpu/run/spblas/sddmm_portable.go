package spblas

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// sddmmPortable is one call without assembly.
type sddmmPortable[T dtype.Float] struct {
	weigh       bool
	alpha, beta T
	out         []T
	raw         sparse.Raw
	a, b        layout.Matrix[T]
	tasks       tasks
}

const portableEntries = 1024 // taken at once

func (d *sddmmPortable[T]) Work(bool) {
	pointers := rowPointers(d.raw)
	indices := unsafe.Slice((*int32)(d.raw.Indices), d.raw.NNZ)
	for t := range d.tasks.each {
		k := t * portableEntries
		row := entryRow(pointers, k)
		for end := min(k+portableEntries, d.raw.NNZ); k < end; k++ {
			for int(pointers[row+1]) <= k {
				row++
			}
			var x T
			if d.a.Cols > 0 { // otherwise there is no data
				x = dotRows(d.a.Data[row*d.a.RowStride:], d.a.ColStride, d.b.Data[int(indices[k])*d.b.RowStride:], d.b.ColStride, d.a.Cols)
			}
			if d.weigh {
				x *= *element[T](d.raw.Values, k)
			}
			mem.Store(d.alpha, x, d.beta, &d.out[k])
		}
	}
}

// dotRows returns the product of two rows of n elements. It has four sums that take
// turns and are joined at the end, so that additions need not wait for each other.
func dotRows[T dtype.Float](x []T, xs int, y []T, ys, n int) T {
	var s0, s1, s2, s3 T
	f := 0
	if xs == 1 && ys == 1 {
		x, y := x[:n], y[:n]
		for ; f+4 <= n; f += 4 {
			s0 += T(x[f] * y[f])
			s1 += T(x[f+1] * y[f+1])
			s2 += T(x[f+2] * y[f+2])
			s3 += T(x[f+3] * y[f+3])
		}
	} else {
		for ; f+4 <= n; f += 4 {
			s0 += T(x[f*xs] * y[f*ys])
			s1 += T(x[(f+1)*xs] * y[(f+1)*ys])
			s2 += T(x[(f+2)*xs] * y[(f+2)*ys])
			s3 += T(x[(f+3)*xs] * y[(f+3)*ys])
		}
	}
	for ; f < n; f++ {
		s0 += T(x[f*xs] * y[f*ys])
	}
	return (s0 + s2) + (s1 + s3)
}
