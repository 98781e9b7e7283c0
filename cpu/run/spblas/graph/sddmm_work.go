package graph

import (
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// entryRow returns the row that entry k is in.
func entryRow(pointers []int32, k int) int {
	i, _ := slices.BinarySearch(pointers[1:], int32(k)+1)
	return i
}

// rowsEnd returns the end of the rows from row on that hold all entries before to.
// It is made for an end that is near.
func rowsEnd(pointers []int32, row, to int) int {
	last, step := len(pointers)-1, 1
	for row+step < last && int(pointers[row+step]) < to {
		step *= 2
	}
	from := row + step/2 + 1
	i, _ := slices.BinarySearch(pointers[from:min(row+step, last)+1], int32(to))
	return from + i
}

// chunks makes sums of chunks of entries, by kernels.
type chunks struct {
	raw           sparse.Raw
	pointers      []int32
	kern          *kernel.Table[kernel.Func[kernel.SparseArgs]]
	size          int
	panels        call.Panels // of the features
	first, more   panelKernels
	near          panelKernels // as first without fetching, of narrow panels; maybe none
	join, weighed kernel.Func[kernel.SparseArgs]
	weigh         bool
	a, b          mem.Operand
	out           unsafe.Pointer
	alpha, beta   uint64
	mode          int64
	ahead         int // entries
}

const (
	// sddmmChunk is how many entries have their partial sums in L1 at once: 16 KB.
	sddmmChunk = 256
	// sddmmTask is what a worker takes at once, in chunks.
	sddmmTask = 16
	// sddmmRows is how many rows one call passes, since it cannot be preempted.
	sddmmRows = 4096
)

// begin sets it up for the entries of raw and the features of a and b; products are
// stored as they are.
func (d *chunks) begin(kern *kernel.Table[kernel.Func[kernel.SparseArgs]], raw sparse.Raw, a, b mem.Operand, size, features int) {
	d.kern, d.raw, d.pointers, d.a, d.b, d.size = kern, raw, call.RowPointers(raw), a, b, size
	d.panels = call.PanelsOf(features, kern.VL, kern.NV)
	d.first.full, d.first.tail = kern.Both(kernel.Fetch)
	d.near.full, d.near.tail = kern.Both(kernel.Panel)
	if d.panels.Count > 1 {
		d.more.full, d.more.tail = kern.Both(kernel.More)
	}
	d.join, d.weighed = kern.One(kernel.Join), kern.One(kernel.Weigh)
}

// panelKernels are those for panels of features, by vectors.
type panelKernels struct {
	full, tail []kernel.Entry[kernel.Func[kernel.SparseArgs]]
}

// chunk computes entries from to to-1, the first of which is in row; it returns the
// row of entry to.
func (d *chunks) chunk(w *call.Scratch, row, from, to int) int {
	end := rowsEnd(d.pointers, row, to)
	d.products(w, row, end, from, to, unsafe.Add(d.out, from*d.size))
	return end - 1
}

// products computes entries from to to-1, which are in rows row to end-1, into values at c.
func (d *chunks) products(w *call.Scratch, row, end, from, to int, c unsafe.Pointer) {
	d.partialSums(w, row, end, from, to)
	var values unsafe.Pointer
	if d.weigh {
		values = unsafe.Add(d.raw.Values, from*d.size)
	}
	d.reduce(w, c, values, to-from)
}

// reduce turns n vectors of sums into values at c, times those at values if that is
// not nil.
func (d *chunks) reduce(w *call.Scratch, c, values unsafe.Pointer, n int) {
	a := &w.Args
	a.A, a.C, a.Values = w.Sums.P, c, values
	a.K, a.N = int64(n/d.kern.VL), int64(n%d.kern.VL)
	a.Alpha, a.Beta, a.Mode = d.alpha, d.beta, d.mode
	if values != nil {
		d.weighed(a)
	} else {
		d.join(a)
	}
}

// partialSums leaves a vector of sums for each of the entries from to to-1, which
// are in rows row to end-1.
func (d *chunks) partialSums(w *call.Scratch, row, end, from, to int) {
	w.Sums.Grow(sddmmChunk * d.kern.VL * d.size)
	sums := w.Sums.P
	for end-row > sddmmRows { // most are empty
		stop := row + sddmmRows
		if next := min(int(d.pointers[stop]), to); next > from {
			d.rowSums(w, row, stop, from, next, sums)
			sums = unsafe.Add(sums, (next-from)*d.kern.VL*d.size)
			from = next
		}
		row = rowsEnd(d.pointers, stop, from+1) - 1
	}
	d.rowSums(w, row, end, from, to, sums)
}

// rowSums is partialSums of rows that one call does.
func (d *chunks) rowSums(w *call.Scratch, row, end, from, to int, sums unsafe.Pointer) {
	a := &w.Args
	a.Pointers, a.Indices = unsafe.Add(d.raw.Pointers, row*4), d.raw.Indices
	a.LdA, a.LdB, a.C = int64(d.a.RS), int64(d.b.RS), sums
	a.Rows, a.From, a.Limit = int64(end-row), int64(from), int64(to)
	a.Ahead = 0
	if to+d.ahead <= d.raw.NNZ {
		a.Ahead = int64(4 * d.ahead)
	}
	for p := range d.panels.Count {
		col, nv, last := d.panels.Panel(p)
		a.N, a.A, a.B = int64(last), d.a.At(row, col), d.b.At(0, col)
		list := &d.first
		switch {
		case p > 0:
			list = &d.more
		case d.ahead == 0 && nv <= len(d.near.full):
			list = &d.near
		}
		if last < d.kern.VL {
			list.tail[nv-1].F(a)
		} else {
			list.full[nv-1].F(a)
		}
	}
}
