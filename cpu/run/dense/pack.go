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
		return j.copyWords(w, &w.abuf, a, rows, first, k)
	}
	return j.copyRows(w, &w.abuf, a, j.ta, rows, k, packersA(j.kern))
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
		args.K, args.LdB, args.LdC = int64(rows), int64(a.CS), int64(ld)
		for x := 0; x < k; x += vl {
			args.B, args.C, args.N = unsafe.Add(a.P, x*a.CS), unsafe.Add(out, x*p.size), int64(min(vl, k-x))
			pack.One(kernel.Columns)(args)
		}
	default:
		for i := range rows {
			gatherRow(unsafe.Add(out, i*ld), unsafe.Add(a.P, i*a.RS), k, a.CS, t)
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

// gatherRow copies n elements of type t that lie stride bytes apart; narrow ones
// become float32.
func gatherRow(dst, src unsafe.Pointer, n, stride int, t dtype.Type) {
	switch t {
	case dtype.F64:
		for i, d := 0, unsafe.Slice((*float64)(dst), n); i < n; i++ {
			d[i] = *(*float64)(unsafe.Add(src, i*stride))
		}
	case dtype.C128:
		for i, d := 0, unsafe.Slice((*complex128)(dst), n); i < n; i++ {
			d[i] = *(*complex128)(unsafe.Add(src, i*stride))
		}
	case dtype.C64:
		for i, d := 0, unsafe.Slice((*complex64)(dst), n); i < n; i++ {
			d[i] = *(*complex64)(unsafe.Add(src, i*stride))
		}
	case dtype.F32:
		for i, d := 0, unsafe.Slice((*float32)(dst), n); i < n; i++ {
			d[i] = *(*float32)(unsafe.Add(src, i*stride))
		}
	case dtype.TypeBF16:
		for i, d := 0, unsafe.Slice((*float32)(dst), n); i < n; i++ {
			d[i] = (*dtype.BF16)(unsafe.Add(src, i*stride)).Float32()
		}
	case dtype.TypeF16:
		for i, d := 0, unsafe.Slice((*float32)(dst), n); i < n; i++ {
			d[i] = (*dtype.F16)(unsafe.Add(src, i*stride)).Float32()
		}
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

// pack fills one panel. It copies rows of B, transposes columns in registers, does
// anything else element by element, and widens what was packed narrow.
func (j *part) pack(w *worker, dst unsafe.Pointer, panel, k, kc, cols, ld int) {
	vl := j.kern.VL
	col := j.plan.vecs.At(panel) * vl
	if j.bs != 0 {
		j.mirrored(w, dst, ld, j.b, j.bs, k, col, kc, cols, j.kern.Pack)
		return
	}
	if j.deep > 1 {
		j.packWords(w, dst, k, kc, col, cols, ld)
		return
	}
	src := j.b.At(k, col)
	args := &w.pack
	args.K = int64(kc)
	switch {
	case j.narrow(): // widened from where it was packed
		from, stride := j.asPacked(panel, k, kc)
		packRows(args, j.kern.Pack.Of(kernel.Panel), vl, from, stride, dst, ld, cols)
	case j.b.CS == j.tb.Size():
		packRows(args, j.kern.Pack.Of(kernel.Panel), vl, src, j.b.RS, dst, ld, cols)
	case j.b.RS == j.tb.Size():
		for c := 0; c < cols; c += vl {
			args.B, args.LdB = unsafe.Add(src, c*j.b.CS), int64(j.b.CS)
			args.C, args.LdC = unsafe.Add(dst, c*j.size), int64(ld)
			args.N = int64(min(vl, cols-c))
			j.kern.Pack.One(kernel.Columns)(args)
		}
	default:
		for i := range kc {
			gatherRow(unsafe.Add(dst, i*ld), unsafe.Add(src, i*j.b.RS), cols, j.b.CS, j.tb)
		}
	}
}
