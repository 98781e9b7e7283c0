package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Kernels that take several k a step see words of 32 bits, the elements of a step: see
// [kernel.Kernels]. A product of theirs is one of 4-byte elements, with k and the strides
// along it counted in steps. The rest of k in the last step, and operands that lie
// neither by rows nor by columns, are made into words in Go.

// deepen counts k, and strides along it, in steps of the kernels.
func (p *product) deepen() {
	if p.kern == nil || p.kern.Depth < 2 {
		return
	}
	p.deep, p.elems, p.source = p.kern.Depth, p.k, steps{}
	p.k = p.kern.Steps(p.k)
	p.a.CS *= p.deep
	p.b.RS *= p.deep
}

// perStep is how many bytes an element of a step has in an operand of elements of type t.
func (p *product) perStep(t dtype.Type) int { return t.Size() * max(1, p.deep) }

// head is how many rows of a packed panel stand in front of its words.
func (p *product) head() int { return p.kern.Head }

// factor is what kernels find in Alpha where the product has alpha: their word, if they XOR
// one with A's.
func (p *product) factor(alpha uint64) uint64 {
	if p.kern.Head > 0 {
		return uint64(p.kern.Flip)
	}
	return alpha
}

// whole is how many of kc steps from step k on have all of their elements, and begun how many
// have any. After these are zeros, for kernels that read several steps at once.
func (p *product) whole(k, kc int) int { return max(0, min(kc, p.elems/p.deep-k)) }
func (p *product) begun(k, kc int) int { return min(kc, mem.Ceil(p.elems, p.deep)-k) }

// packersA are the kernels that pack A.
func packersA(kern *kernel.Kernels) *kernel.Table[kernel.Func[kernel.Args]] {
	if kern.PackA != nil {
		return kern.PackA
	}
	return kern.Pack
}

// copiers are those of them that copy rows.
func copiers(pack *kernel.Table[kernel.Func[kernel.Args]]) []kernel.Entry[kernel.Func[kernel.Args]] {
	if words := pack.Of(kernel.Copy); len(words) > 0 {
		return words
	}
	return pack.Of(kernel.Panel)
}

// copyWords copies rows x kc words of a, whose first step is step k of A, to where kernels
// read them best. These are rows of words, or columns of words if A's columns are contiguous
// and one word is read at once. They are flipped, if kernels do not do that.
func (p *product) copyWords(w *worker, buf *mem.Buffer, a mem.Operand, rows, k, kc int) mem.Operand {
	out := p.copyAsWords(w, buf, a, rows, k, kc)
	if p.kern.FlipCopy {
		lines, n := rows, kc
		if out.RS == p.size && out.CS != p.size {
			lines, n = kc, rows
		}
		for i := range lines {
			flipWords(unsafe.Add(out.P, i*max(out.RS, out.CS)), n, p.kern.Flip)
		}
	}
	return out
}

// flipWords XORs n words with one.
func flipWords(p unsafe.Pointer, n int, by uint32) {
	words := unsafe.Slice((*uint32)(p), n)
	for i := range words {
		words[i] ^= by
	}
}

// copyAsWords is copyWords without that.
func (p *product) copyAsWords(w *worker, buf *mem.Buffer, a mem.Operand, rows, k, kc int) mem.Operand {
	packers, vl, size, whole := packersA(p.kern), p.kern.VL, p.ta.Size(), p.whole(k, kc)
	strip := p.kern.NV * vl
	args := &w.pack
	byColumns := a.RS == size && a.CS != size*p.deep
	if byColumns && p.kern.AtOnce < 2 {
		out := mem.Operand{RS: p.size, CS: p.copiedRow(rows)}
		buf.Grow(kc * out.CS)
		out.P = buf.P
		p.wordColumns(args, packers, a, out, rows, whole)
		if whole < kc {
			p.gatherWords(out.At(0, whole), p.size, a.At(0, whole), a.RS, a.CS/p.deep, rows, k+whole, p.ta)
		}
		return out
	}
	out := mem.Operand{RS: p.copiedRow(kc), CS: p.size}
	turned := mem.Operand{RS: p.size, CS: p.copiedRow(rows)} // of columns of words
	if byColumns {
		buf.Grow(rows*out.RS + whole*turned.CS)
	} else {
		buf.Grow(rows * out.RS)
	}
	out.P = buf.P
	switch {
	case byColumns:
		turned.P = unsafe.Add(buf.P, rows*out.RS)
		p.wordColumns(args, packers, a, turned, rows, whole)
		args.K = int64(rows) // steps are what columns are to the kernel
		mem.Columns(packers.One(kernel.Columns), args, vl, p.size, turned.P, turned.CS, out.P, out.RS, whole)
	case a.CS != size*p.deep:
		whole = 0
	default:
		args.K = int64(rows)
		for x := 0; x < whole; x += strip {
			packRows(args, copiers(packers), vl, a.At(0, x), a.RS, out.At(0, x), out.RS, min(strip, whole-x))
		}
	}
	begun := p.begun(k, kc)
	for s := whole; s < begun; s++ {
		p.gatherWords(out.At(0, s), out.RS, a.At(0, s), a.RS, a.CS/p.deep, rows, k+s, p.ta)
	}
	if begun < kc {
		for i := range rows {
			clear(unsafe.Slice((*uint32)(out.At(i, begun)), kc-begun))
		}
	}
	return out
}

// wordColumns makes steps columns of words, out.CS apart, of rows of a, whose columns are
// contiguous.
func (p *product) wordColumns(args *kernel.Args, packers *kernel.Table[kernel.Func[kernel.Args]], a, out mem.Operand, rows, steps int) {
	vl := p.kern.VL
	strip := p.kern.NV * vl
	args.K = int64(steps)
	for x := 0; x < rows && steps > 0; x += strip {
		packWordRows(args, packers.Of(kernel.Panel), vl, p.ta.Size(), a.At(x, 0), a.CS/p.deep, out.At(x, 0), out.CS, min(strip, rows-x))
	}
}

// packWordRows makes args.K rows of cols words of rows of elements of so many bytes that lie
// stride apart.
func packWordRows(args *kernel.Args, kernels []kernel.Entry[kernel.Func[kernel.Args]], vl, size int, src unsafe.Pointer, stride int, dst unsafe.Pointer, ld, cols int) {
	args.LdB, args.LdC = int64(stride), int64(ld)
	nv := cols / vl
	if nv > 0 {
		args.B, args.C = src, dst
		kernels[nv-1].F(args)
	}
	if cols -= nv * vl; cols > 0 {
		args.B, args.C, args.N = unsafe.Add(src, nv*vl*size), unsafe.Add(dst, nv*vl*wordSize), int64(cols)
		kernels[len(kernels)-1].F(args)
	}
}

const wordSize = 4

// steps is the source of words: of kc steps of B from step k on. Start values come first, if kernels begin with them, and then
// words.
type steps struct{}

func (steps) panel(j *part, w *worker, dst unsafe.Pointer, k, kc, col, cols, ld int) {
	vl, size, head := j.kern.VL, j.tb.Size(), dst
	if j.head() > 0 {
		dst = unsafe.Add(dst, ld)
	}
	src, whole := j.b.At(k, col), j.whole(k, kc)
	args := &w.pack
	args.K = int64(whole)
	switch {
	case whole == 0:
	case j.b.CS == size:
		packWordRows(args, j.kern.Pack.Of(kernel.Panel), vl, size, src, j.b.RS/j.deep, dst, ld, cols)
	case j.b.RS == size*j.deep:
		mem.Columns(j.kern.Pack.One(kernel.Columns), args, vl, wordSize, src, j.b.CS, dst, ld, cols)
	default:
		whole = 0
	}
	begun := j.begun(k, kc)
	for s := whole; s < begun; s++ {
		row := unsafe.Add(dst, s*ld)
		j.gatherWords(row, wordSize, j.b.At(k+s, col), j.b.CS, j.b.RS/j.deep, cols, k+s, j.tb)
		clear(unsafe.Slice((*uint32)(row), ld/wordSize)[cols:])
	}
	if begun < kc {
		clear(unsafe.Slice((*byte)(unsafe.Add(dst, begun*ld)), (kc-begun)*ld))
	}
	if zips := j.kern.Of(kernel.Zip); len(zips) > 0 {
		args.C, args.LdC, args.K = dst, int64(ld), int64(kc/2)
		zips[ld/(vl*wordSize)-1].F(args)
	}
	if j.head() > 0 {
		j.startValues(w, head, kc, ld)
	}
}

// startValues fills in the start values of a packed panel. They undo the change of A's words, which
// is as if 128 were added to each element, or subtracted from it. So the kernel itself makes the sums
// of the columns, times as much, of a row of such words.
func (j *part) startValues(w *worker, panel unsafe.Pointer, kc, ld int) {
	row := unsafe.Slice((*int32)(panel), ld/wordSize)
	clear(row)
	if j.kern.Flip == 0 {
		return
	}
	for i := range w.flip {
		w.flip[i] = j.kern.Flip
	}
	args := &w.pack
	args.A, args.B, args.C = unsafe.Pointer(&w.flip), panel, panel
	args.RsA, args.CsA, args.LdB, args.LdC, args.K = 0, 0, int64(ld), int64(ld), int64(kc)
	args.Tiles, args.N, args.Mode, args.Alpha, args.Next, args.NextStep = 1, int64(j.kern.VL), kernel.ModeStore, 0, 0, 0
	j.kern.Tile(kernel.Panel, 1, ld/(j.kern.VL*wordSize))(args)
	args.A = nil
	for i := range row {
		row[i] = -row[i]
	}
}

// gatherWords makes n words, apart bytes apart, of step k from elements of type t. Those
// of one word are ks bytes apart; the first ones are stride bytes apart from src on.
func (p *product) gatherWords(dst unsafe.Pointer, apart int, src unsafe.Pointer, stride, ks, n, k int, t dtype.Type) {
	some := min(p.deep, p.elems-k*p.deep)
	bits := 32 / p.deep
	for i := range n {
		from, word := unsafe.Add(src, i*stride), uint32(0)
		for q := range some {
			word |= elementBits(unsafe.Add(from, q*ks), t) & (1<<bits - 1) << (q * bits)
		}
		*(*uint32)(unsafe.Add(dst, i*apart)) = word
	}
}

// elementBits returns an element, of integers as a wider one.
func elementBits(p unsafe.Pointer, t dtype.Type) uint32 {
	switch t {
	case dtype.I8:
		return uint32(*(*int8)(p))
	case dtype.U8:
		return uint32(*(*uint8)(p))
	}
	return uint32(*(*uint16)(p))
}
