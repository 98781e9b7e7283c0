package spblas

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Rows are compressed rows as products take them: those of a matrix, or rows that kernels cannot read
// where they lie, since they have no values, or narrower ones, or are parts of others. Of the latter some at a time are laid
// out in memory that stays in L1, with the columns where those are not adjacent.
type Rows[T dtype.Float] struct {
	raw   sparse.Raw
	stage *staging
}

// staging is how rows are laid out.
type staging struct {
	// first is where the entries of each row lie, and indices are all columns there; nil: where the pointers say.
	first, indices []int32
	// values sets dst to the values of n entries from where they lie on.
	values func(dst unsafe.Pointer, from, n int)
	// ones are values that are 1; nil: they differ.
	ones []byte
}

// RowsOf returns the rows of a matrix.
func RowsOf[T dtype.Float](a sparse.Matrix[T]) Rows[T] { return Rows[T]{raw: a.Raw()} }

// PatternRows returns the rows of a pattern, the entries of which are 1.
func PatternRows[T dtype.Float](a sparse.Pattern) Rows[T] {
	ones := make([]T, min(stageEntries, a.NNZ()))
	setOnes(ones)
	s := &staging{values: func(dst unsafe.Pointer, _, n int) { setOnes(sliceOf((*T)(dst), n)) }}
	if len(ones) > 0 {
		s.ones = sliceOf((*byte)(unsafe.Pointer(unsafe.SliceData(ones))), len(ones)*sizeOf[T]())
	}
	return Rows[T]{a.Raw(), s}
}

func setOnes[T dtype.Value](x []T) {
	for k := range x {
		x[k] = 1
	}
}

// BandRows returns the rows of a band.
func BandRows[T dtype.Float](a sparse.Band[T]) Rows[T] {
	r, all := a.Raw(), a.Of()
	values, first := unsafe.Pointer(unsafe.SliceData(arraysOf(all).values)), a.First()
	s := &staging{first: first, indices: arraysOf(all).indices, values: func(dst unsafe.Pointer, from, n int) {
		copy(sliceOf((*T)(dst), n), sliceOf(element[T](values, from), n))
	}}
	return Rows[T]{r, s}
}

// NarrowRows returns the rows of a matrix whose values become those of T, which changes none.
func NarrowRows[T dtype.Float, V dtype.F16 | dtype.BF16](a sparse.Narrow[V]) Rows[T] {
	r := a.Raw()
	values, short := r.Values, dtype.Of[V]() == dtype.TypeF16
	return Rows[T]{r, &staging{values: func(dst unsafe.Pointer, from, n int) {
		to, bits := sliceOf((*T)(dst), n), sliceOf(element[uint16](values, from), n)
		if short {
			for k, x := range bits {
				to[k] = T(half(x))
			}
			return
		}
		for k, x := range bits {
			to[k] = T(math.Float32frombits(uint32(x) << 16))
		}
	}}}
}

// half returns a number of half precision: that with its bits in the places of float32's is 2^112 times too
// small, denormal ones too.
func half(bits uint16) float32 {
	x := uint32(bits&0x7fff) << 13
	f := math.Float32frombits(x) * 0x1p112
	if x >= 0x7c00<<13 { // Inf or NaN
		f = math.Float32frombits(x | 0xff<<23)
	}
	return math.Float32frombits(math.Float32bits(f) | uint32(bits>>15)<<31)
}

// MultiplyRows is [SpMM.Multiply] of rows of any kind, with the bits that the matrix has which they stand for.
func (s *SpMM[T]) MultiplyRows(opt run.Options, out layout.Matrix[T], a Rows[T], b layout.Matrix[T]) {
	name := opt.Name(s.Name)
	checkSparse(name, opt, &out, a.raw.Rows, a.raw.Cols, &b)
	s.checkCall(name, opt, b.Cols)
	s.multiply(opt, out, a, b)
}

// stageEntries is how many entries are laid out at once, but for a row that has more: 12 KB at most.
const stageEntries = 1024

// stageBuffer is what a worker lays rows out in.
type stageBuffer struct{ pointers, indices, values mem.Buffer }

func (b *stageBuffer) trim() {
	b.pointers.Trim()
	b.indices.Trim()
	b.values.Trim()
}

// stagedRows computes rows from to to-1, some at a time.
func (p *rowProduct) stagedRows(w *rowWorker, nv, from, to int, c unsafe.Pointer, fetch bool) {
	w.stage.pointers.Grow(4 * (stageEntries + 1))
	pointers := sliceOf((*int32)(w.stage.pointers.P), stageEntries+1)
	args := &w.args
	args.Pointers = w.stage.pointers.P
	for row := from; row < to; {
		first, end := p.at(row), row
		for end < to && end-row < stageEntries {
			next := p.at(end+1) - first
			if next > stageEntries && end > row {
				break
			}
			end++
			pointers[end-row] = int32(next)
		}
		pointers[0] = 0
		p.layOut(w, row, end, first, p.at(end))
		args.Rows, args.C = int64(end-row), unsafe.Add(c, (row-from)*p.c.RS)
		p.call(args, nv, fetch)
		row = end
	}
}

// stagedPiece sums entries from to to-1 of a row.
func (p *rowProduct) stagedPiece(w *rowWorker, nv, row, from, to int, fetch bool) {
	w.piece = [2]int32{0, int32(to - from)}
	p.layOut(w, row, row+1, from, to)
	p.call(&w.args, nv, fetch)
}

// layOut puts entries from to to-1, which are those of rows row to end-1 or some of one, where a kernel reads them
// from 0 on.
func (p *rowProduct) layOut(w *rowWorker, row, end, from, to int) {
	s, n, args := p.stage, to-from, &w.args
	if n == 0 {
		return // no entry is read, nor is any ahead of them
	}
	if s.first == nil {
		args.Indices = unsafe.Pointer(element[int32](p.a.Indices, from))
	} else {
		w.stage.indices.Grow(4 * (n + p.ahead))
		args.Indices = w.stage.indices.P
	}
	if n*p.size <= len(s.ones) {
		args.Values = unsafe.Pointer(unsafe.SliceData(s.ones))
		return
	}
	w.stage.values.Grow(n * p.size)
	args.Values = w.stage.values.P
	if s.first == nil {
		s.values(args.Values, from, n)
		return
	}
	columns := sliceOf((*int32)(args.Indices), n+p.ahead)
	for r, at := row, 0; r < end; r++ {
		lo, hi := max(p.at(r), from), min(p.at(r+1), to)
		if lo < hi {
			lies := int(s.first[r]) + lo - p.at(r)
			copy(columns[at:], s.indices[lies:lies+hi-lo])
			s.values(unsafe.Add(args.Values, at*p.size), lies, hi-lo)
			at += hi - lo
		}
	}
	// What is fetched ahead is what comes next, as far as that is known.
	next := 0
	if end < p.a.Rows {
		next = copy(columns[n:], s.indices[s.first[end]:])
	}
	clear(columns[n+next:])
}
