package run

import (
	"runtime"
	"unsafe"
)

// copyA copies a block of A to contiguous rows, which the micro-kernel reads best:
// one line serves many steps of k. The row length avoids powers of two, which
// would put all rows of a tile into the same few cache sets.
func (j *part) copyA(w *worker, a operand, rows, k int) operand {
	vl := j.kern.VL
	ld := (ceil(k, vl)*vl*j.size+line-1)/line*line + line
	w.abuf.grow(rows * ld)
	args := &w.pack
	switch {
	case a.cs == j.size:
		args.K = int64(rows)
		strip := j.kern.NV * vl
		for x := 0; x < k; x += strip {
			packRows(args, j.kern, unsafe.Add(a.p, x*j.size), a.rs, unsafe.Add(w.abuf.p, x*j.size), ld, min(strip, k-x))
		}
	case a.rs == j.size:
		args.K, args.LdB, args.LdC = int64(rows), int64(a.cs), int64(ld)
		for x := 0; x < k; x += vl {
			args.B, args.C, args.N = unsafe.Add(a.p, x*a.cs), unsafe.Add(w.abuf.p, x*j.size), int64(min(vl, k-x))
			j.kern.PackCols(args)
		}
	default:
		for i := range rows {
			gatherRow(unsafe.Add(w.abuf.p, i*ld), unsafe.Add(a.p, i*a.rs), k, a.cs, j.size)
		}
	}
	return operand{w.abuf.p, ld, j.size}
}

// packRows copies args.K rows of cols elements, filling up the last vector.
func packRows(args *Args, kern *Kernels, src unsafe.Pointer, stride int, dst unsafe.Pointer, ld, cols int) {
	nv := ceil(cols, kern.VL)
	args.B, args.LdB, args.C, args.LdC, args.N = src, int64(stride), dst, int64(ld), int64(cols-(nv-1)*kern.VL)
	kern.PackRows[nv-1](args)
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
		packRows(args, j.kern, src, j.b.rs, dst, ld, cols)
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
	args.B, args.C = nil, nil
}
