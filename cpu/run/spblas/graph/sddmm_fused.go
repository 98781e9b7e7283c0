package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// sampled is one call: whatever makes the sums of a chunk and whatever becomes of them.
type sampled[T dtype.Float] struct {
	chunks                  // of which kern is nil if sums are made in Go, and out if they go to the epilogue
	given  bool             // sums are the values as they are
	x, y   layout.Matrix[T] // the operands, in Go
	scale  run.Scaling      // likewise
	fused  *entryEnd
	job    call.Job
}

// entryEnd is the epilogue of one call.
type entryEnd struct {
	call.Epilogue
	gather [kernel.MaxSlots]gathered
}

var entryEnds mem.Pool[entryEnd]

// run computes the products of rows of a and b. Copies of them are made if kernels want those.
func (d *sampled[T]) run(threads int, kern *kernel.Table[kernel.Func[kernel.SparseArgs]], raw sparse.Raw, a, b layout.Matrix[T]) {
	d.raw, d.pointers, d.size = raw, call.RowPointers(raw), dtype.Of[T]().Size()
	if kern != nil && a.Cols > 0 && call.Copies(a, b) { // no sums are 0, and huge ones read a and b where they lie
		a, b = call.ContiguousRows(a), call.ContiguousRows(b)
		d.begin(kern, raw, mem.OperandOf(a), mem.OperandOf(b), d.size, a.Cols)
		if total := int64(b.Rows) * int64(a.Cols*d.size); tiling.FetchesRows(machine.This(), total) {
			d.ahead = call.FetchDistance(a.Cols*d.size, total)
		}
	}
	d.x, d.y = a, b
	d.job.Run(d, threads, call.SumStep, mem.Ceil(raw.NNZ, sddmmChunk*sddmmTask))
}

// fuse takes an epilogue for sums.
func (d *sampled[T]) fuse(e *Epilogue, c *choose.Choice, portable kernel.Func[kernel.EpiArgs], kernels []*kernel.Table[kernel.Func[kernel.EpiArgs]], isa string) {
	d.fused = entryEnds.Get()
	d.fused.gather = e.gather
	d.fused.Begin(c, &e.epi, portable, kernels, isa)
}

func (f *entryEnd) release() {
	f.Fusion, f.gather = epi.Fusion{}, [kernel.MaxSlots]gathered{}
	entryEnds.Put(f)
}

// Task does some chunks.
func (d *sampled[T]) Task(w *call.Scratch, t int) {
	from := t * sddmmChunk * sddmmTask
	row := entryRow(d.pointers, from)
	for k := from; k < min(from+sddmmChunk*sddmmTask, d.raw.NNZ); k += sddmmChunk {
		to := min(k+sddmmChunk, d.raw.NNZ)
		if d.kern != nil && d.fused == nil {
			row = d.chunk(w, row, k, to)
			continue
		}
		w.Result.Grow(sddmmChunk * d.size)
		rows := d.rows(w, row, k, to)
		last := int(rows[len(rows)-1])
		if d.kern != nil {
			d.products(w, row, last+1, k, to, w.Result.P)
		} else {
			d.inGo(call.SliceOf((*T)(w.Result.P), to-k), rows, k)
		}
		if d.fused != nil {
			d.epilogue(w, rows, k, to)
		} else {
			d.store(call.SliceOf((*T)(w.Result.P), to-k), k)
		}
		row = last
	}
	w.EpiArgs = kernel.EpiArgs{}
}

// store stores sums made in Go, the first of which is that of entry k.
func (d *sampled[T]) store(sums []T, k int) {
	alpha, beta, _ := kernel.FactorsOf[T](&d.scale)
	for i, s := range sums {
		mem.Store(alpha, s, beta, call.Element[T](d.out, k+i))
	}
}

// rows returns the row of each of the entries from to to-1, the first of which is row.
func (d *sampled[T]) rows(w *call.Scratch, row, from, to int) []int32 {
	w.Indices.Grow(4 * sddmmChunk)
	rows := call.SliceOf((*int32)(w.Indices.P), to-from)
	for k := from; k < to; k++ {
		for int(d.pointers[row+1]) <= k {
			row++
		}
		rows[k-from] = int32(row)
	}
	return rows
}

// inGo sums without assembly.
func (d *sampled[T]) inGo(sums []T, rows []int32, from int) {
	for k, row := range rows {
		sums[k] = 0
		if d.given {
			sums[k] = *call.Element[T](d.raw.Values, from+k)
		}
		if d.x.Cols > 0 {
			i, j := int(row), int(*call.Element[int32](d.raw.Indices, from+k))
			sums[k] = call.DotRows(d.x.Data[i*d.x.RowStride:], d.x.ColStride, d.y.Data[j*d.y.RowStride:], d.y.ColStride, d.x.Cols)
		}
		if d.weigh {
			sums[k] *= *call.Element[T](d.raw.Values, from+k)
		}
	}
}

// epilogue runs it for the entries from to to-1.
func (d *sampled[T]) epilogue(w *call.Scratch, rows []int32, from, to int) {
	args, f := &w.EpiArgs, d.fused
	args.Tile, args.TileLd, args.Rows, args.Cols = w.Result.P, int64(sddmmChunk*d.size), 1, int64(to-from)
	const room = 8 * sddmmChunk // for an operand gathered for the entries of a chunk
	w.Gathered.Grow(f.N * room)
	for s := range f.N {
		slot := &f.Slots[s]
		args.Slots[s] = kernel.Slot{P: unsafe.Add(slot.P, from*int(slot.Cs)), Cs: slot.Cs}
		g := &f.gather[s]
		if g.of == notGathered {
			continue
		}
		to, index := unsafe.Add(w.Gathered.P, s*room), rows
		if g.of == ofColumns {
			index = call.SliceOf(call.Element[int32](d.raw.Indices, from), len(rows))
		}
		switch g.size {
		case 1:
			collect[uint8](to, g.p, index)
		case 2:
			collect[uint16](to, g.p, index)
		case 4:
			collect[uint32](to, g.p, index)
		default:
			collect[uint64](to, g.p, index)
		}
		args.Slots[s] = kernel.Slot{P: to, Cs: int64(g.size)}
	}
	if f.Asm != nil {
		f.Asm(args)
	} else {
		f.Portable(args)
	}
}

// collect sets dst[k] = src[index[k]].
func collect[E uint8 | uint16 | uint32 | uint64](dst, src unsafe.Pointer, index []int32) {
	out := call.SliceOf((*E)(dst), len(index))
	for k, i := range index {
		out[k] = *call.Element[E](src, int(i))
	}
}
