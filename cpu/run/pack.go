package run

import (
	"runtime"
	"unsafe"
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
		if a.cs == size {
			copy(unsafe.Slice((*byte)(dst), k*size), unsafe.Slice((*byte)(src), k*size))
		} else {
			gatherRow(dst, src, k, a.cs, size)
		}
	}
	return operand{w.abuf.p, ld, size}
}

// gatherRow copies n elements that lie stride bytes apart.
func gatherRow(dst, src unsafe.Pointer, n, stride, size int) {
	if size == 4 {
		for i, d := 0, unsafe.Slice((*float32)(dst), n); i < n; i++ {
			d[i] = *(*float32)(unsafe.Add(src, i*stride))
		}
		return
	}
	for i, d := 0, unsafe.Slice((*float64)(dst), n); i < n; i++ {
		d[i] = *(*float64)(unsafe.Add(src, i*stride))
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
	pl, vl := &j.plan, j.kern.VL
	ld := ceil(cols, vl) * vl * j.size
	// The panels of a k-block lie one after another, and so do the k-blocks.
	first := pl.vecs.at(j.panels.from)
	perRow := (pl.vecs.at(j.panels.to) - first) * vl * j.size
	v0 := pl.vecs.at(panel)
	dst := unsafe.Add(j.bbuf.p, (k-j.k0)*perRow+kc*(v0-first)*vl*j.size)
	kb := (k - j.k0) / pl.kc
	state := &j.packed[kb*(j.panels.to-j.panels.from)+panel-j.panels.from]
	for spins := 0; state.Load() != packed; spins++ {
		if state.CompareAndSwap(unpacked, packing) {
			j.pack(w, dst, k, kc, v0*vl, cols, ld)
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
	src := j.b.at(k, col)
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
		for i := range kc {
			gatherRow(unsafe.Add(dst, i*ld), unsafe.Add(src, i*j.b.rs), cols, j.b.cs, j.size)
		}
	}
	*args = Args{}
}
