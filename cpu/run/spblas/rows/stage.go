package rows

import (
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// staging is how rows are laid out.
type staging struct {
	// first is where the entries of each row lie, and indices are all columns there; nil: where the pointers say.
	first, indices []int32
	// values sets dst to the n values from src on; nil: rows lie as kernels read them.
	values func(s *staging, w *call.Scratch, dst, src unsafe.Pointer, n int)
	src    unsafe.Pointer // all values
	size   int            // bytes of one
	// widen is the kernel for values that are narrower; nil: values is enough.
	widen kernel.Func[kernel.SparseArgs]
	// ones are values that are 1; nil: they differ.
	ones []byte
}

// on says whether rows are laid out.
func (s *staging) on() bool { return s.values != nil }

// manyOnes are as many ones as are laid out at once. They are set when first wanted: a variable with them in it would be
// in every program.
type manyOnes[T dtype.Float] struct {
	once sync.Once
	ones [stageEntries]T
}

var (
	ones32 manyOnes[float32]
	ones64 manyOnes[float64]
)

func (m *manyOnes[T]) bytes() []byte {
	m.once.Do(func() { call.SetOnes(m.ones[:]) })
	return call.SliceOf((*byte)(unsafe.Pointer(&m.ones)), len(m.ones)*call.SizeOf[T]())
}

func onesTo[T dtype.Float](_ *staging, _ *call.Scratch, dst, _ unsafe.Pointer, n int) {
	call.SetOnes(call.SliceOf((*T)(dst), n))
}

func valuesTo(s *staging, _ *call.Scratch, dst, src unsafe.Pointer, n int) {
	copy(call.SliceOf((*byte)(dst), n*s.size), call.SliceOf((*byte)(src), n*s.size))
}

// widenTo calls the kernel.
func widenTo(s *staging, w *call.Scratch, dst, src unsafe.Pointer, n int) {
	w.Widening.Values, w.Widening.C, w.Widening.N = src, dst, int64(n)
	s.widen(&w.Widening)
	w.Widening.Values, w.Widening.C = nil, nil // do not keep the caller's memory alive
}

func widenInGo[T dtype.Float, V dtype.F16 | dtype.BF16](_ *staging, _ *call.Scratch, dst, src unsafe.Pointer, n int) {
	mem.Widen(call.SliceOf((*T)(dst), n), src, 2, dtype.Of[V]())
}

// stageEntries is how many entries are laid out at once, but for a row that has more: 12 KB at most.
const stageEntries = 1024

// stagedRows computes rows from to to-1, some at a time.
func (p *rowProduct) stagedRows(w *call.Scratch, nv, from, to int, c unsafe.Pointer, fetch bool) {
	w.Pointers.Grow(4 * (stageEntries + 1))
	pointers := call.SliceOf((*int32)(w.Pointers.P), stageEntries+1)
	args := &w.Args
	args.Pointers = w.Pointers.P
	for row := from; row < to; {
		lie := call.SliceOf(call.Element[int32](p.a.Pointers, row), min(to-row, stageEntries)+1)
		first, n := lie[0], 1
		for ; n < len(lie); n++ {
			next := lie[n] - first
			if next > stageEntries && n > 1 {
				break
			}
			pointers[n] = next
		}
		end := row + n - 1
		pointers[0] = 0
		p.layOut(w, row, end, int(first), p.at(end))
		args.Rows, args.C = int64(end-row), unsafe.Add(c, (row-from)*p.c.RS)
		p.call(args, nv, fetch)
		row = end
	}
}

// stagedPiece sums entries from to to-1 of a row.
func (p *rowProduct) stagedPiece(w *call.Scratch, nv, row, from, to int, fetch bool) {
	w.Range2 = [2]int32{0, int32(to - from)}
	p.layOut(w, row, row+1, from, to)
	p.call(&w.Args, nv, fetch)
}

// layOut puts entries from to to-1 where a kernel reads them from 0 on. They are those of rows row to end-1,
// or some of one row.
func (p *rowProduct) layOut(w *call.Scratch, row, end, from, to int) {
	s, n, args := &p.stage, to-from, &w.Args
	if n == 0 {
		return // no entry is read, nor is any ahead of them
	}
	if s.first == nil {
		args.Indices = unsafe.Pointer(call.Element[int32](p.a.Indices, from))
	} else {
		w.Indices.Grow(4 * (n + p.ahead))
		args.Indices = w.Indices.P
	}
	if n*p.size <= len(s.ones) {
		args.Values = unsafe.Pointer(unsafe.SliceData(s.ones))
		return
	}
	w.Values.Grow(n * p.size)
	args.Values = w.Values.P
	if s.first == nil {
		s.values(s, w, args.Values, unsafe.Add(s.src, from*s.size), n)
		return
	}
	columns := call.SliceOf((*int32)(args.Indices), n+p.ahead)
	for r, at := row, 0; r < end; r++ {
		lo, hi := max(p.at(r), from), min(p.at(r+1), to)
		if lo < hi {
			lies := int(s.first[r]) + lo - p.at(r)
			copy(columns[at:], s.indices[lies:lies+hi-lo])
			s.values(s, w, unsafe.Add(args.Values, at*p.size), unsafe.Add(s.src, lies*s.size), hi-lo)
			at += hi - lo
		}
	}
	// The prefetch takes what comes next, as far as that is known.
	next := 0
	if end < p.a.Rows {
		next = copy(columns[n:], s.indices[s.first[end]:])
	}
	clear(columns[n+next:])
}
