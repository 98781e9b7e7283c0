package dense

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Pack packs b for later calls of the kernel with this b, whatever their result is, into p,
// whose memory it takes: no product may have p any more. nil is a new one. opt.ISA chooses the
// variant; Threads, Scaling and B belong to products, and Pack refuses them with a
// [run.OptionError]. It panics with a [layout.ShapeError] if b is too short, or if
// the copy would take more than 1 GB and more than four times what b's slice does. A
// stride of 0 makes a b of any size out of one element, and a column is padded to a
// vector.
func Pack[T dtype.AnySum, B dtype.Elem](s *Set[T], p *run.Packed, opt run.Options, b layout.Matrix[B]) *run.Packed {
	name, acc := opt.Name(s.Name), dtype.Of[T]()
	a, _ := s.types()
	s.checkTypes(name, a, dtype.Of[B](), acc)
	checkPackOptions(name, &opt)
	if p == nil {
		p = new(run.Packed)
	}
	pack(p, name, unsafe.Pointer(s), s.pick(name, opt.ISA), acc.Size(), b)
	p.Wraps = acc == dtype.I32 && b.Rows > sums.SafeDepth(a, dtype.Of[B]())
	if s.ColumnSums && p.Kern != nil && p.K > 0 && p.N > 0 {
		p.Sums = make([]int32, b.Cols)
		columnSums(p.Kern, a, work.Allowed(0), plain.As[int32](b), p.Sums)
	}
	return p
}

// checkPackOptions refuses options that say how a product runs.
func checkPackOptions(name string, opt *run.Options) {
	if opt.Threads != 0 || opt.Scaling.On() || opt.B != nil {
		check.Call(name).RefuseOption("Options.Threads, Scaling and B belong to products; want only ISA and Caller where b is packed")
	}
}

// pack packs b for the set of kernels at owner, into p.
func pack[T dtype.Elem](p *run.Packed, name string, owner unsafe.Pointer, kern *kernel.Kernels, size int, b layout.Matrix[T]) *run.Packed {
	check.Call(name).Error(b.Check("b"))
	*p = run.Packed{Kern: kern, K: b.Rows, N: b.Cols, T: dtype.Of[T](), Owner: owner, By: name, Of: mem.PlaceOf(&b), Buf: p.Buf}
	if kern == nil || b.Rows == 0 || b.Cols == 0 {
		return p
	}
	mem.Normalize(&b)
	steps := kern.Steps(b.Rows)
	p.KC, p.Vecs = depth(steps, kern.AtOnce), mem.SplitUp(mem.Ceil(b.Cols, kern.VL), kern.NV)
	j := &part{product: product{kern: kern, size: size, tb: p.T, b: mem.OperandOf(b), n: b.Cols, k: b.Rows}, plan: plan{vecs: p.Vecs}}
	narrow := j.staysNarrow()
	if narrow {
		size = p.T.Size()
	}
	p.Size = size
	bytes := mem.Volume(steps+mem.Ceil(steps, p.KC)*kern.Head, mem.Ceil(b.Cols, kern.VL), kern.VL, size)
	checkPack(name, b.Rows, b.Cols, bytes, mem.Volume(len(b.Data), p.T.Size()))
	p.Buf.Grow(bytes)
	j.deepen()
	w := workers.Get()
	defer workers.Put(w)
	for k := 0; k < steps; k += p.KC {
		kc := min(p.KC, steps-k)
		for panel := range p.Vecs.Count {
			dst, cols := p.Panel(panel, k, kc)
			ld := mem.Ceil(cols, kern.VL) * kern.VL * size
			if narrow {
				packNarrow(dst, mem.Operand{P: j.b.At(k, p.Vecs.At(panel)*kern.VL), RS: j.b.RS, CS: j.b.CS}, kc, cols, ld)
			} else {
				j.pack(w, dst, panel, k, kc, cols, ld)
			}
		}
	}
	w.pack.B, w.pack.C = nil, nil
	return p
}

// depth returns how deep the k-blocks of a product are, for kernels that read so many steps
// at once.
func depth(k, atOnce int) int {
	most := tiling.KCMax
	if atOnce > 1 {
		most = tiling.KCTiles
	}
	if k > most {
		kc := mem.Ceil(k, mem.Ceil(k, most))
		return mem.Ceil(kc, max(1, atOnce)) * max(1, atOnce)
	}
	return max(1, k)
}

// usePacked checks that p is b, packed for the set of kernels at owner and the variant
// kern. It returns p, or nil if there is nothing to use.
func usePacked[T dtype.Elem](p *run.Packed, name string, owner unsafe.Pointer, kern *kernel.Kernels, b *layout.Matrix[T]) *run.Packed {
	if p == nil {
		return nil
	}
	return checkPacked(p, name, owner, kern, dtype.Of[T](), b.Rows, b.Cols, mem.PlaceOf(b))
}

// checkPacked is usePacked for a b of that type, size and place.
func checkPacked(p *run.Packed, name string, owner unsafe.Pointer, kern *kernel.Kernels, t dtype.Type, rows, cols int, place mem.Place) *run.Packed {
	refuse := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: "Options.B " + fmt.Sprintf(format, args...)})
	}
	switch {
	case p.Owner == nil:
		refuse("was not made by a function that packs; want what the Pack of this kernel returns")
	case p.K != rows || p.N != cols || p.T != t:
		refuse("was packed from %d x %d of %v, b is %d x %d of %v; pack this b", p.K, p.N, p.T, rows, cols, t)
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
