package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// fusedSDDMM is one call.
type fusedSDDMM[T dtype.Float] struct {
	raw    sparse.Raw
	weigh  bool
	given  bool       // sums are the values as they are
	asm    *sddmmCall // nil: in Go
	a, b   layout.Matrix[T]
	f      call.Epilogue
	gather [kernel.MaxSlots]gathered
	tasks  call.Tasks
}

// fusedScratch is what a worker needs besides a scratch: the sums of a chunk, and
// operands gathered for its entries.
type fusedScratch struct {
	sums     mem.Buffer
	operands [kernel.MaxSlots]mem.Buffer
	rows     [sddmmChunk]int32
	epi      kernel.EpiArgs
}

var fusedScratches mem.Pool[fusedScratch]

func (d *fusedSDDMM[T]) Work(bool) {
	w, x := call.Scratches.Get(), fusedScratches.Get()
	defer func() {
		x.epi, w.Args = kernel.EpiArgs{}, run.SparseArgs{}
		call.Scratches.Put(w)
		fusedScratches.Put(x)
	}()
	x.sums.Grow(sddmmChunk * dtype.Of[T]().Size())
	if d.asm != nil {
		w.Sums.Grow(sddmmChunk * d.asm.kern.VL * d.asm.size)
	}
	pointers := call.RowPointers(d.raw)
	for t := range d.tasks.Each {
		from := t * sddmmChunk * sddmmTask
		row := entryRow(pointers, from)
		for k := from; k < min(from+sddmmChunk*sddmmTask, d.raw.NNZ); k += sddmmChunk {
			to := min(k+sddmmChunk, d.raw.NNZ)
			last := d.fillRows(x, pointers, row, k, to)
			if d.asm != nil {
				d.asm.partialSums(w, row, last+1, k, to)
				var values unsafe.Pointer
				if d.weigh {
					values = unsafe.Add(d.raw.Values, k*d.asm.size)
				}
				d.asm.reduce(w, x.sums.P, values, to-k)
			} else {
				d.inGo(x, k, to)
			}
			d.epilogue(x, k, to)
			row = last
		}
	}
}

// fillRows notes the row of each of the entries from to to-1 and returns the last.
func (d *fusedSDDMM[T]) fillRows(x *fusedScratch, pointers []int32, row, from, to int) int {
	for k := from; k < to; k++ {
		for int(pointers[row+1]) <= k {
			row++
		}
		x.rows[k-from] = int32(row)
	}
	return row
}

// inGo sums without assembly.
func (d *fusedSDDMM[T]) inGo(x *fusedScratch, from, to int) {
	sums := call.SliceOf((*T)(x.sums.P), to-from)
	for k := from; k < to; k++ {
		sums[k-from] = 0
		if d.given {
			sums[k-from] = *call.Element[T](d.raw.Values, k)
		}
		if d.a.Cols > 0 {
			i, j := int(x.rows[k-from]), int(*call.Element[int32](d.raw.Indices, k))
			sums[k-from] = call.DotRows(d.a.Data[i*d.a.RowStride:], d.a.ColStride, d.b.Data[j*d.b.RowStride:], d.b.ColStride, d.a.Cols)
		}
		if d.weigh {
			sums[k-from] *= *call.Element[T](d.raw.Values, k)
		}
	}
}

// epilogue runs it for the entries from to to-1.
func (d *fusedSDDMM[T]) epilogue(x *fusedScratch, from, to int) {
	args := &x.epi
	args.Tile, args.TileLd, args.Rows, args.Cols = x.sums.P, int64(sddmmChunk*dtype.Of[T]().Size()), 1, int64(to-from)
	for s := range d.f.N {
		slot := &d.f.Slots[s]
		args.Slots[s] = kernel.Slot{P: unsafe.Add(slot.P, from*int(slot.Cs)), Cs: slot.Cs}
		g := &d.gather[s]
		if g.of == notGathered {
			continue
		}
		buf := &x.operands[s]
		buf.Grow(sddmmChunk * g.size)
		index := x.rows[:to-from]
		if g.of == ofColumns {
			index = call.SliceOf(call.Element[int32](d.raw.Indices, from), to-from)
		}
		switch g.size {
		case 1:
			collect[uint8](buf.P, g.p, index)
		case 2:
			collect[uint16](buf.P, g.p, index)
		case 4:
			collect[uint32](buf.P, g.p, index)
		default:
			collect[uint64](buf.P, g.p, index)
		}
		args.Slots[s] = kernel.Slot{P: buf.P, Cs: int64(g.size)}
	}
	if d.f.Asm != nil {
		d.f.Asm(args)
	} else {
		d.f.Portable(args)
	}
}

// collect sets dst[k] = src[index[k]].
func collect[E uint8 | uint16 | uint32 | uint64](dst, src unsafe.Pointer, index []int32) {
	out := call.SliceOf((*E)(dst), len(index))
	for k, i := range index {
		out[k] = *call.Element[E](src, int(i))
	}
}
