package dense

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Pack packs b for later calls of the kernel with this b. opt.ISA chooses the variant;
// Threads, Scaling and B belong to products, and Pack refuses them with a
// [run.OptionError]. It panics with a [layout.ShapeError] if b is too short, or if
// the copy would take more than 1 GB and more than four times what b's slice does: a
// stride of 0 makes a b of any size out of one element, and a column is padded to a
// vector.
func (s *Set[T]) Pack(opt run.Options, b layout.Matrix[T]) *run.Packed {
	name := opt.Name(s.Name)
	checkPackOptions(name, &opt)
	return pack(name, unsafe.Pointer(s), s.pick(name, opt.ISA), dtype.Of[T]().Size(), b)
}

// Pack is described with [Set.Pack].
func (s *Fused[A, B, Acc, Out]) Pack(opt run.Options, b layout.Matrix[B]) *run.Packed {
	name := opt.Name(s.Name)
	checkPackOptions(name, &opt)
	return pack(name, unsafe.Pointer(s), pickKernels(&s.choice, name, s.Variants, opt.ISA), dtype.Of[Acc]().Size(), b)
}

// checkPackOptions refuses options that say how a product runs.
func checkPackOptions(name string, opt *run.Options) {
	if opt.Threads != 0 || opt.Scaling.On() || opt.B != nil {
		panic(run.OptionError{What: name, Why: "Options.Threads, Scaling and B belong to products; want only ISA and Caller where b is packed"})
	}
}

// pack packs b for the set of kernels at owner.
func pack[T dtype.Elem](name string, owner unsafe.Pointer, kern *run.Kernels, size int, b layout.Matrix[T]) *run.Packed {
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	p := &run.Packed{Kern: kern, K: b.Rows, N: b.Cols, T: dtype.Of[T](), Owner: owner, By: name, Of: mem.PlaceOf(&b)}
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

// usePacked checks that p is b, packed for the set of kernels at owner and the variant
// kern, and returns it, or nil if there is nothing to use.
func usePacked[T dtype.Elem](p *run.Packed, name string, owner unsafe.Pointer, kern *run.Kernels, b *layout.Matrix[T]) *run.Packed {
	if p == nil {
		return nil
	}
	refuse := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: "Options.B " + fmt.Sprintf(format, args...)})
	}
	t, place := dtype.Of[T](), mem.PlaceOf(b)
	switch {
	case p.Owner == nil:
		refuse("was not made by a function that packs; want what the Pack of this kernel returns")
	case p.K != b.Rows || p.N != b.Cols || p.T != t:
		refuse("was packed from %d x %d of %v, b is %d x %d of %v; pack this b", p.K, p.N, p.T, b.Rows, b.Cols, t)
	case p.Of.P != place.P:
		refuse("was packed from another matrix than b, at another address; pack this b, or leave Options.B nil")
	case p.Of != place:
		refuse("was packed from a matrix with strides (%d, %d), b has (%d, %d); pack this b, or leave Options.B nil", p.Of.RS, p.Of.CS, place.RS, place.CS)
	case p.Owner != owner:
		refuse("was packed by %s for another kernel; pack b with the Pack of this one", p.By)
	case p.Kern != kern:
		refuse("was packed for the instruction set %s, this call runs on %s; pack b for this one", isaOf(p.Kern), isaOf(kern))
	case kern == nil || p.K == 0:
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
