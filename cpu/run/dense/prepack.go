package dense

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Pack packs b for later calls of the kernel. opt.ISA chooses the variant, its other
// fields do not matter. It panics with a [layout.ShapeError] if b is too short, or if
// the copy would take more than 1 GB and more than four times what b's slice does: a
// stride of 0 makes a b of any size out of one element, and a column is padded to a
// vector.
func (s *Set[T]) Pack(opt run.Options, b layout.Matrix[T]) *run.Packed {
	return pack(s.Name, s.pick(opt.ISA), dtype.Of[T]().Size(), b)
}

// Pack is described with [Set.Pack].
func (s *Fused[A, B, Acc, Out]) Pack(opt run.Options, b layout.Matrix[B]) *run.Packed {
	return pack(s.Name, pickKernels(&s.choice, s.Name, s.Variants, opt.ISA), dtype.Of[Acc]().Size(), b)
}

func pack[T dtype.Elem](name string, kern *run.Kernels, size int, b layout.Matrix[T]) *run.Packed {
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	p := &run.Packed{Kern: kern, K: b.Rows, N: b.Cols, T: dtype.Of[T]()}
	if kern == nil || b.Rows == 0 || b.Cols == 0 {
		return p
	}
	mem.Normalize(&b)
	p.KC, p.Vecs = depth(b.Rows), mem.SplitUp(mem.Ceil(b.Cols, kern.VL), kern.NV)
	bytes := mem.Volume(b.Rows, mem.Ceil(b.Cols, kern.VL), kern.VL, size)
	checkPack(name, b.Rows, b.Cols, bytes, mem.Volume(len(b.Data), p.T.Size()))
	p.Buf.Grow(bytes)
	j := &part{product: product{kern: kern, size: size, tb: p.T, b: mem.OperandOf(b), n: b.Cols, k: b.Rows, pre: p}}
	w := workers.Get()
	defer workers.Put(w)
	for k := 0; k < p.K; k += p.KC {
		kc := min(p.KC, p.K-k)
		for panel := range p.Vecs.Count {
			dst, cols := p.Panel(panel, k, kc, size)
			j.pack(w, dst, k, kc, p.Vecs.At(panel)*kern.VL, cols, mem.Ceil(cols, kern.VL)*kern.VL*size)
		}
	}
	w.pack.B, w.pack.C = nil, nil
	return p
}

// depth returns how deep the k-blocks of a product are.
func depth(k int) int {
	if k > tiling.KCMax {
		return mem.Ceil(k, mem.Ceil(k, tiling.KCMax))
	}
	return max(1, k)
}

// usePacked checks that p fits a call and returns it, or nil if there is nothing to use.
func usePacked(p *run.Packed, name string, kern *run.Kernels, t dtype.Type, k, n int) *run.Packed {
	if p == nil {
		return nil
	}
	if p.K != k || p.N != n || p.T != t {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("Options.B was packed from %d x %d of %v, b is %d x %d of %v", p.K, p.N, p.T, k, n, t)})
	}
	if p.Kern != kern {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("Options.B was packed by another kernel or for another ISA (%s) than runs now (%s)", isaOf(p.Kern), isaOf(kern))})
	}
	if kern == nil || k == 0 {
		return nil
	}
	return p
}

func isaOf(k *run.Kernels) string {
	if k == nil {
		return run.Portable
	}
	return k.ISA
}
