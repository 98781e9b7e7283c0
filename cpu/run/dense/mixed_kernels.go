package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// assembled computes the product with kernels, and reports whether there are any for it: not
// where there is nothing to sum.
func (c *mixedCall[Acc]) assembled(threads int, out, a, b operand[Acc]) bool {
	if c.kern == nil || a.Cols == 0 || c.alpha == 0 {
		return false
	}
	if !out.narrow() {
		c.multiply(threads, out, a, b)
		return true
	}
	if c.rounded(threads, out, a, b) {
		return true
	}
	// Sums of another type than the result are made apart, some rows of them at once.
	j := jobs.Get()
	rows := max(1, min(out.Rows, budget.Panel/mem.Volume(out.Cols, dtype.Of[Acc]().Size())))
	j.partial.Grow(mem.Volume(rows, out.Cols, dtype.Of[Acc]().Size()))
	plain := *c
	plain.alpha, plain.beta = 1, 0
	for i := 0; i < out.Rows; i += rows {
		end := min(i+rows, out.Rows)
		sums := layout.RowMajor(unsafe.Slice((*Acc)(j.partial.P), (end-i)*out.Cols), end-i, out.Cols)
		plain.multiply(threads, unconverted(sums), a.Slice(i, end, 0, a.Cols), b)
		for from := 0; from < out.Cols; from += genericNC {
			to := min(from+genericNC, out.Cols)
			part := out.Slice(i, end, from, to)
			part.finish(c.alpha, sums.Slice(0, end-i, from, to), c.beta)
		}
	}
	putJob(j)
	return true
}

// rounded computes the product with an epilogue that rounds the sums of a tile while they are in
// L1. It needs such an epilogue, and one that can do what is asked for.
func (c *mixedCall[Acc]) rounded(threads int, out, a, b operand[Acc]) bool {
	f := c.to.of(c.kern)
	if f == nil || c.alpha != 1 || c.beta != 0 {
		return false
	}
	pre := c.byRows(&out, &a, &b)
	if out.ColStride != 1 {
		return false
	}
	j := jobs.Get()
	j.product = c.product(pre, out, a, b)
	to := out.place()
	j.fused = epi.Fusion{On: true, Asm: f, Portable: c.to.Portable, N: 1, Contiguous: true}
	j.fused.Slots[0] = kernel.Slot{P: to.P, Rs: int64(to.RS), Cs: int64(to.CS)}
	j.fused.Prepare(&j.partial, out.Rows, out.Cols, 0, 0, c.kern.VL)
	j.compute(threads)
	putJob(j)
	return true
}

// multiply is assembled for a result of the type of the sums.
func (c *mixedCall[Acc]) multiply(threads int, out, a, b operand[Acc]) {
	pre := c.byRows(&out, &a, &b)
	j := jobs.Get()
	j.product = c.product(pre, out, a, b)
	switch {
	case c.beta != 0:
		j.mode = kernel.ModeUpdate
	case c.alpha != 1:
		j.mode = kernel.ModeScale
	}
	j.compute(threads)
	putJob(j)
}

// byRows makes a product whose result lies by columns one of transposes, whose result lies
// by rows, if that is possible. It returns the packed form of what is now b.
func (c *mixedCall[Acc]) byRows(out, a, b *operand[Acc]) *run.Packed {
	out.normalize()
	a.normalize()
	b.normalize()
	if out.ColStride != 1 && out.RowStride == 1 && a.elem() == b.elem() {
		*out, *a, *b = out.T(), b.T(), a.T()
		return nil // it is of the operand that comes first now
	}
	return c.pre
}

func (c *mixedCall[Acc]) product(pre *run.Packed, out, a, b operand[Acc]) product {
	p := product{
		kern: c.kern, size: dtype.Of[Acc]().Size(), ta: a.elem(), tb: b.elem(),
		a: a.place(), b: b.place(), c: out.place(), m: out.Rows, n: out.Cols, k: a.Cols,
		alpha: bitsOf(c.alpha), beta: bitsOf(c.beta), one: bitsOf(Acc(1)), pre: pre, integers: dtype.Of[Acc]() == dtype.I32,
	}
	p.deepen()
	return p
}

// bitsOf returns the bits of a scalar, low bytes first.
func bitsOf[T dtype.Sum](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

// elem is the type of the elements in memory.
func (o *operand[T]) elem() dtype.Type {
	if o.narrow() {
		return o.t
	}
	return dtype.Of[T]()
}

// place is the operand, which is not empty, without its type.
func (o *operand[T]) place() mem.Operand {
	p, size := o.p, o.elem().Size()
	if !o.narrow() {
		p = unsafe.Pointer(unsafe.SliceData(o.Data))
	}
	return mem.Operand{P: p, RS: o.RowStride * size, CS: o.ColStride * size}
}
