package run

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Packed is a second operand b in the order in which kernels read it, for products
// that use one b many times, such as the weights of a layer. It is a copy: changing
// b later does not change it. Put it into Options.B of calls with a matrix of the
// same shape; any number of them may use it at once. It belongs to the variant that
// packed it. The result has the same bits as without it. Products with few rows or
// columns read b itself, which is as fast.
type Packed struct {
	kern *Kernels // nil for the portable code, which needs no packing
	k, n int
	kc   int
	vecs split
	t    dtype.Type
	buf  buffer
}

// Pack packs b for later calls of the kernel. opt.ISA chooses the variant, its other
// fields do not matter. It panics with a [layout.ShapeError] if b is too short, or if
// the copy would take more than 1 GB and more than four times what b's slice does: a
// stride of 0 makes a b of any size out of one element, and a column is padded to a
// vector.
func (s *Set[T]) Pack(opt Options, b layout.Matrix[T]) *Packed {
	return pack(s.Name, s.pick(opt.ISA), dtype.Of[T]().Size(), b)
}

// Pack is described with [Set.Pack].
func (s *Fused[A, B, Acc, Out]) Pack(opt Options, b layout.Matrix[B]) *Packed {
	return pack(s.Name, s.best.pick(s.Name, s.Variants, opt.ISA), dtype.Of[Acc]().Size(), b)
}

func pack[T dtype.Elem](name string, kern *Kernels, size int, b layout.Matrix[T]) *Packed {
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	p := &Packed{kern: kern, k: b.Rows, n: b.Cols, t: dtype.Of[T]()}
	if kern == nil || b.Rows == 0 || b.Cols == 0 {
		return p
	}
	normalize(&b)
	p.kc, p.vecs = depth(b.Rows), splitUp(ceil(b.Cols, kern.VL), kern.NV)
	bytes := volume(b.Rows, ceil(b.Cols, kern.VL), kern.VL, size)
	checkPack(name, b.Rows, b.Cols, bytes, volume(len(b.Data), p.t.Size()))
	p.buf.grow(bytes)
	j := &part{product: product{kern: kern, size: size, tb: p.t, b: operandOf(b), n: b.Cols, k: b.Rows, pre: p}}
	w := workers.get()
	defer workers.put(w)
	for k := 0; k < p.k; k += p.kc {
		kc := min(p.kc, p.k-k)
		for panel := range p.vecs.count {
			dst, cols := p.panel(panel, k, kc, size)
			j.pack(w, dst, k, kc, p.vecs.at(panel)*kern.VL, cols, ceil(cols, kern.VL)*kern.VL*size)
		}
	}
	w.pack.B, w.pack.C = nil, nil
	return p
}

// depth returns how deep the k-blocks of a product are.
func depth(k int) int {
	if k > tiling.KCMax {
		return ceil(k, ceil(k, tiling.KCMax))
	}
	return max(1, k)
}

// panel returns where the panel of the k-block from k on lies, and how many columns
// of it are real.
func (p *Packed) panel(panel, k, kc, size int) (at unsafe.Pointer, cols int) {
	vl := p.kern.VL
	v0, v1 := p.vecs.at(panel), p.vecs.at(panel+1)
	perRow := p.vecs.at(p.vecs.count) * vl * size
	return unsafe.Add(p.buf.p, k*perRow+kc*v0*vl*size), min(v1*vl, p.n) - v0*vl
}

// use checks that p fits a call and returns it, or nil if there is nothing to use.
func (p *Packed) use(name string, kern *Kernels, t dtype.Type, k, n int) *Packed {
	if p == nil {
		return nil
	}
	if p.k != k || p.n != n || p.t != t {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("Options.B was packed from %d x %d of %v, b is %d x %d of %v", p.k, p.n, p.t, k, n, t)})
	}
	if p.kern != kern {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("Options.B was packed by another kernel or for another ISA (%s) than runs now (%s)", isaOf(p.kern), isaOf(kern))})
	}
	if kern == nil || k == 0 {
		return nil
	}
	return p
}

func isaOf(k *Kernels) string {
	if k == nil {
		return Portable
	}
	return k.ISA
}
