package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A large b of f16 or bf16 keeps its type when it is packed, if there are kernels that widen
// what they load. It takes half the memory, and with few rows, where reading b takes the time, half of
// the time. With many rows, or with an alpha or beta, which those kernels do not know, its panels are
// widened like those of a b that was not packed. The planner weighs that. The bits are the same:
// widening is exact.

// staysNarrow reports whether b does. It does not if it is small, because products by it may be
// small, nor if kernels that widen have none for its panels.
func (j *part) staysNarrow() bool {
	w, vecs := j.kern.Widening, &j.plan.vecs
	if w == nil || j.tb.Size() == j.size || max(j.k, j.n) <= smallSide || float64(j.k)*float64(j.n)*float64(j.size) < tiling.SkinnyBytes {
		return false
	}
	least := vecs.At(vecs.Count) - vecs.At(vecs.Count-1)
	return w.Tile(kernel.Panel, 1, least) != nil
}

// narrow reports whether b is packed, of elements that are narrower than the sums.
func (p *product) narrow() bool { return p.pre != nil && p.pre.Size < p.size }

// ready reports whether b is packed for the kernels of every plan.
func (p *product) ready() bool { return p.pre != nil && p.pre.Size == p.size }

// widens reports whether kernels can read b as it is packed and widen it.
func (p *product) widens() bool { return p.narrow() && p.mode == kernel.ModeStore && !p.joins }

// micro are the kernels that multiply: those that widen b, or those of packed and of wide
// elements.
func (j *part) micro() *kernel.Table[kernel.Func[kernel.Args]] {
	if j.narrow() && !j.plan.packB {
		return j.kern.Widening
	}
	return j.kern.Table
}

// asPacked returns a panel of a b that was packed, kc steps from step k on, and the bytes from row to
// row.
func (p *product) asPacked(panel, k, kc int) (unsafe.Pointer, int) {
	at, cols := p.pre.Panel(panel, k, kc)
	return at, mem.Ceil(cols, p.kern.VL) * p.kern.VL * p.pre.Size
}

// inPlace returns a panel of a b that is not copied.
func (j *part) inPlace(panel, k, kc int) (unsafe.Pointer, int64) {
	if j.narrow() {
		at, ld := j.asPacked(panel, k, kc)
		return at, int64(ld)
	}
	return j.b.At(k, j.plan.vecs.At(panel)*j.kern.VL), int64(j.b.RS)
}

// packNarrow fills a panel with kc rows of cols elements of src, rows ld bytes apart and
// filled up with zeros. Elements are copied as 16 bits, whatever they are.
func packNarrow(dst unsafe.Pointer, src mem.Operand, kc, cols, ld int) {
	const size = 2
	if src.CS == size {
		for i := range kc {
			row := unsafe.Slice((*byte)(unsafe.Add(dst, i*ld)), ld)
			clear(row[copy(row, unsafe.Slice((*byte)(src.At(i, 0)), cols*size)):])
		}
		return
	}
	rows, columns := 0, 0 // transposed by fours
	if src.RS == size {
		rows, columns = kc&^3, cols&^3
		for c := 0; c < columns; c += 4 {
			transposeFours(unsafe.Add(dst, c*size), ld, src.At(0, c), src.CS, rows)
		}
	}
	for i := range kc {
		row := unsafe.Slice((*uint16)(unsafe.Add(dst, i*ld)), ld/size)
		clear(row[cols:])
		c := columns
		if i >= rows {
			c = 0
		}
		for ; c < cols; c++ {
			row[c] = *(*uint16)(src.At(i, c))
		}
	}
}

// transposeFours writes n elements of each of four columns as n rows of four elements of 16 bits. The
// columns are apart bytes apart at from, the rows ld bytes apart. n is a multiple of 4. Machines that have
// kernels are little-endian.
func transposeFours(dst unsafe.Pointer, ld int, from unsafe.Pointer, apart, n int) {
	const even, low = 0x0000ffff0000ffff, 0x00000000ffffffff
	x0, x1, x2, x3 := from, unsafe.Add(from, apart), unsafe.Add(from, 2*apart), unsafe.Add(from, 3*apart)
	for i := 0; i < n; i += 4 {
		a, b := *(*uint64)(unsafe.Add(x0, 2*i)), *(*uint64)(unsafe.Add(x1, 2*i))
		c, d := *(*uint64)(unsafe.Add(x2, 2*i)), *(*uint64)(unsafe.Add(x3, 2*i))
		ab02, ab13 := a&even|b&even<<16, a>>16&even|b&^even
		cd02, cd13 := c&even|d&even<<16, c>>16&even|d&^even
		to := unsafe.Add(dst, i*ld)
		*(*uint64)(to) = ab02&low | cd02<<32
		*(*uint64)(unsafe.Add(to, ld)) = ab13&low | cd13<<32
		*(*uint64)(unsafe.Add(to, 2*ld)) = ab02>>32 | cd02&^low
		*(*uint64)(unsafe.Add(to, 3*ld)) = ab13>>32 | cd13&^low
	}
}
