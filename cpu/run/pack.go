package run

import (
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// copyA copies a block of A so that its lines are near each other: rows if they
// are contiguous, else columns. The line length avoids powers of two, which would
// put all lines into the same few cache sets. A block with neither stride 1 is
// gathered by rows.
func (w *worker) copyA(a operand, rows, k, size int) operand {
	if a.rs == size && a.cs != size { // k columns of rows contiguous elements
		t := w.copyA(operand{a.p, a.cs, a.rs}, k, rows, size)
		return operand{t.p, t.cs, t.rs}
	}
	ld := (k*size+line-1)/line*line + line
	if ld%256 == 0 {
		ld += line
	}
	w.abuf.grow(rows * ld)
	for i := range rows {
		src, dst := unsafe.Add(a.p, i*a.rs), unsafe.Add(w.abuf.p, i*ld)
		switch {
		case a.cs == size:
			copy(unsafe.Slice((*byte)(dst), k*size), unsafe.Slice((*byte)(src), k*size))
		case size == 4:
			gatherRow[float32](dst, src, k, a.cs)
		default:
			gatherRow[float64](dst, src, k, a.cs)
		}
	}
	return operand{w.abuf.p, ld, size}
}

func gatherRow[T dtype.Elem](dst, src unsafe.Pointer, n, stride int) {
	for i, d := 0, unsafe.Slice((*T)(dst), n); i < n; i++ {
		d[i] = *(*T)(unsafe.Add(src, i*stride))
	}
}

// gather copies k x cols elements with any strides into rows of ld bytes.
func gather[T dtype.Elem](dst, src unsafe.Pointer, k, cols, rs, cs, ld int) {
	for i := range k {
		gatherRow[T](unsafe.Add(dst, i*ld), unsafe.Add(src, i*rs), cols, cs)
	}
}

// States of a panel of packed B.
const (
	unpacked = iota
	packing
	packed
)

// packPanel returns the packed panel of B for k-block kb, which begins at row k,
// and packs it if nobody has. A worker that finds another one packing it waits:
// that takes microseconds.
func (j *part) packPanel(w *worker, kb, panel, k, kc, cols int) (unsafe.Pointer, int64) {
	nr := j.kern.NV * j.kern.VL
	nv := ceil(cols, j.kern.VL)
	ld := nv * j.kern.VL * j.size
	// Panels of a k-block lie one after another; only the last may be narrower.
	off := (kb*j.plan.kc*j.panels*nr + panel*kc*nr) * j.size
	dst := unsafe.Add(j.bbuf.p, off)
	state := &j.packed[kb*j.panels+panel]
	for spins := 0; state.Load() != packed; spins++ {
		if state.CompareAndSwap(unpacked, packing) {
			j.pack(w, dst, k, kc, panel*nr, cols, ld)
			state.Store(packed)
			break
		}
		if spins > 100 {
			runtime.Gosched()
		}
	}
	return dst, int64(ld)
}

// pack fills one panel: rows of B by copying, columns by transposing in
// registers, anything else element by element.
func (j *part) pack(w *worker, dst unsafe.Pointer, k, kc, col, cols, ld int) {
	vl := j.kern.VL
	src := j.b.at(k, j.j0+col)
	args := &w.pack
	args.K = int64(kc)
	switch {
	case j.b.cs == j.size:
		nv := ceil(cols, vl)
		args.B, args.LdB, args.C, args.N = src, int64(j.b.rs), dst, int64(cols-(nv-1)*vl)
		j.kern.PackRows[nv-1](args)
	case j.b.rs == j.size:
		for c := 0; c < cols; c += vl {
			args.B, args.LdB = unsafe.Add(src, c*j.b.cs), int64(j.b.cs)
			args.C, args.LdC = unsafe.Add(dst, c*j.size), int64(ld)
			args.N = int64(min(vl, cols-c))
			j.kern.PackCols(args)
		}
	default:
		j.gather(dst, src, kc, cols, j.b.rs, j.b.cs, ld)
	}
	*args = Args{}
}
