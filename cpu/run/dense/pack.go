package dense

import (
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// copyBlock copies a block of A to contiguous rows, which the micro-kernel reads best:
// one line serves many steps of k. a begins at A's row and has
// k of these, from step first of A on.
func (j *part) copyBlock(w *worker, a mem.Operand, row, rows, first, k int) mem.Operand {
	switch {
	case j.as != 0:
		return j.copySymmetric(w, row, rows, first, k)
	case j.at != 0:
		return j.copyTriangular(w, row, rows, first, k)
	case j.deep > 1:
		out := j.copyWords(w, &w.abuf, a, rows, first, k)
		if zip := j.kern.One(kernel.ZipRows); zip != nil {
			j.zipTiles(&w.pack, zip, out, row, rows, k)
		}
		return out
	}
	return j.copyRows(w, &w.abuf, a, j.ta, rows, k, packersA(j.kern))
}

// zipTiles brings the rows of each tile together, two by two: words of a copy of rows from the first of a tile on.
func (j *part) zipTiles(args *kernel.Args, zip kernel.Func[kernel.Args], a mem.Operand, row, rows, k int) {
	split := &j.plan.rows
	args.LdC, args.N = int64(a.RS), int64(k/j.kern.AtOnce)
	for t := split.Of(row); t < split.Count && split.At(t) < row+rows; t++ {
		args.C, args.K = a.At(split.At(t)-row, 0), int64((split.At(t+1)-split.At(t))/2)
		zip(args)
	}
}

// panel returns where kernels read a panel of B, and the bytes from row to row: in place, packed
// for all workers, or packed for this one.
func (j *part) panel(w *worker, panel, k, kc, cols int) (unsafe.Pointer, int64) {
	switch pl := &j.plan; {
	case !pl.packB:
		return j.inPlace(panel, k, kc)
	case pl.deepB && !j.ready():
		return j.packOwn(w, panel, k, kc, cols)
	}
	return j.packPanel(w, panel, k, kc, cols)
}

// copyRows copies rows x k elements, narrow ones widened, to contiguous rows in buf.
func (p *product) copyRows(w *worker, buf *mem.Buffer, a mem.Operand, t dtype.Type, rows, k int, pack *kernel.Table[kernel.Func[kernel.Args]]) mem.Operand {
	ld := p.copiedRow(k)
	buf.Grow(rows * ld)
	p.copyRowsTo(w, buf.P, ld, a, t, rows, k, pack)
	return mem.Operand{P: buf.P, RS: ld, CS: p.size}
}

// copyRowsTo is copyRows to rows that are ld bytes apart.
func (p *product) copyRowsTo(w *worker, out unsafe.Pointer, ld int, a mem.Operand, t dtype.Type, rows, k int, pack *kernel.Table[kernel.Func[kernel.Args]]) {
	vl := p.kern.VL
	args := &w.pack
	switch {
	case a.CS == t.Size():
		args.K = int64(rows)
		strip := p.kern.NV * vl
		for x := 0; x < k; x += strip {
			packRows(args, pack.Of(kernel.Panel), vl, unsafe.Add(a.P, x*a.CS), a.RS, unsafe.Add(out, x*p.size), ld, min(strip, k-x))
		}
	case a.RS == t.Size():
		args.K = int64(rows)
		mem.Columns(pack.One(kernel.Columns), args, vl, p.size, a.P, a.CS, out, ld, k)
	default:
		for i := range rows {
			gatherRow(unsafe.Add(out, i*ld), unsafe.Add(a.P, i*a.RS), k, a.CS, p.size, t)
		}
	}
}

// copiedRow is the distance in bytes between rows of a copy of A that are k long.
// It avoids powers of two, which would put all rows of a tile into the same few
// cache sets.
func (p *product) copiedRow(k int) int {
	vl := p.kern.VL
	return (mem.Ceil(k, vl)*vl*p.size+mem.Line-1)/mem.Line*mem.Line + mem.Line
}

// packRows copies args.K rows of cols elements, filling up the last vector.
func packRows(args *kernel.Args, kernels []kernel.Entry[kernel.Func[kernel.Args]], vl int, src unsafe.Pointer, stride int, dst unsafe.Pointer, ld, cols int) {
	nv := mem.Ceil(cols, vl)
	args.B, args.LdB, args.C, args.LdC, args.N = src, int64(stride), dst, int64(ld), int64(cols-(nv-1)*vl)
	kernels[nv-1].F(args)
}

// gatherRow copies n elements of type t that lie stride bytes apart, as elements of size bytes: narrower ones are
// widened.
func gatherRow(dst, src unsafe.Pointer, n, stride, size int, t dtype.Type) {
	switch {
	case t == dtype.C128:
		mem.Gather(unsafe.Slice((*complex128)(dst), n), src, stride)
	case t == dtype.C64:
		mem.Gather(unsafe.Slice((*complex64)(dst), n), src, stride)
	case size == dtype.F64.Size():
		mem.Widen(unsafe.Slice((*float64)(dst), n), src, stride, t)
	default:
		mem.Widen(unsafe.Slice((*float32)(dst), n), src, stride, t)
	}
}

// States of a panel of packed B.
const (
	unpacked = iota
	packing
	packed
)

// packPanel returns the packed panel of B for the k-block that begins at row k, and
// packs it if nobody has. A worker that finds another one packing it waits: that
// takes microseconds.
func (j *part) packPanel(w *worker, panel, k, kc, cols int) (unsafe.Pointer, int64) {
	pl, ld := &j.plan, mem.Ceil(cols, j.kern.VL)*j.kern.VL*j.size
	if j.ready() {
		return j.packedAt(panel, k, kc), int64(ld)
	}
	dst := j.packedAt(panel, k, kc)
	kb := (k - j.k0) / pl.kc
	state := &j.packed[kb*(j.panels.To-j.panels.From)+panel-j.panels.From]
	for spins := 0; state.Load() != packed; spins++ {
		if state.CompareAndSwap(unpacked, packing) {
			j.pack(w, dst, panel, k, kc, cols, ld)
			state.Store(packed)
			break
		}
		if spins > 100 {
			if j.crew.Failed() {
				panic(work.GivingUp{})
			}
			runtime.Gosched()
		}
	}
	return dst, int64(ld)
}

// packedAt returns where the packed panel for the k-block at k lies. The panels of a
// k-block lie one after another, and so do the k-blocks.
func (j *part) packedAt(panel, k, kc int) unsafe.Pointer {
	if j.ready() || j.narrow() && !j.plan.packB {
		at, _ := j.asPacked(panel, k, kc)
		return at
	}
	vecs, vl := &j.plan.vecs, j.kern.VL
	first := vecs.At(j.panels.From)
	perRow := (vecs.At(j.panels.To) - first) * vl * j.size
	kb := (k - j.k0) / j.plan.kc
	return unsafe.Add(j.bbuf.P, (k-j.k0+kb*j.head())*perRow+(kc+j.head())*(vecs.At(panel)-first)*vl*j.size)
}

// packOwn packs a panel of one k-block into the worker's memory.
func (j *part) packOwn(w *worker, panel, k, kc, cols int) (unsafe.Pointer, int64) {
	ld := mem.Ceil(cols, j.kern.VL) * j.kern.VL * j.size
	w.bbuf.Grow((kc + j.head()) * ld)
	j.pack(w, w.bbuf.P, panel, k, kc, cols, ld)
	return w.bbuf.P, int64(ld)
}

// A source makes packed panels of B. It fills kc rows, ld bytes apart, with elements of rows from k on and of cols columns from
// col on, and the last vector of each row with any numbers.
type source interface {
	panel(j *part, w *worker, dst unsafe.Pointer, k, kc, col, cols, ld int)
}

// pack fills one panel. It copies rows of B, transposes columns in registers, does
// anything else element by element, and widens what was packed narrow. A source does it its own way.
func (j *part) pack(w *worker, dst unsafe.Pointer, panel, k, kc, cols, ld int) {
	vl := j.kern.VL
	col := j.plan.vecs.At(panel) * vl
	if j.source != nil {
		j.source.panel(j, w, dst, k, kc, col, cols, ld)
		return
	}
	src := mem.Operand{P: j.b.At(k, col), RS: j.b.RS, CS: j.b.CS}
	if j.narrow() { // widened from where it was packed
		src.P, src.RS = j.asPacked(panel, k, kc)
		src.CS = j.tb.Size()
	}
	j.copyRowsTo(w, dst, ld, src, j.tb, kc, cols, j.kern.Pack)
}
