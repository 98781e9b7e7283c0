package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
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
	tasks       call.Tasks
}

const portableEntries = 1024 // taken at once

func (d *sddmmPortable[T]) Work(bool) {
	pointers := call.RowPointers(d.raw)
	indices := unsafe.Slice((*int32)(d.raw.Indices), d.raw.NNZ)
	for t := range d.tasks.Each {
		k := t * portableEntries
		row := entryRow(pointers, k)
		for end := min(k+portableEntries, d.raw.NNZ); k < end; k++ {
			for int(pointers[row+1]) <= k {
				row++
			}
			var x T
			if d.a.Cols > 0 { // otherwise there is no data
				x = call.DotRows(d.a.Data[row*d.a.RowStride:], d.a.ColStride, d.b.Data[int(indices[k])*d.b.RowStride:], d.b.ColStride, d.a.Cols)
			}
			if d.weigh {
				x *= *call.Element[T](d.raw.Values, k)
			}
			mem.Store(d.alpha, x, d.beta, &d.out[k])
		}
	}
}
