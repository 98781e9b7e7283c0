package graph

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SDDMM is all variants of the sampled product of two dense matrices. A package-level
// variable holds one for each element type, and generated code one for each spec.
type SDDMM[T dtype.Float] struct {
	Name     string
	Variants []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly
	Pattern  bool                                            // values of the sparse matrix are not read
	Features int                                             // columns of a and b; 0: any
	// Epilogue is the epilogue in Go, nil if there is none, and Epis its kernels.
	Epilogue kernel.Func[kernel.EpiArgs]
	Epis     []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	choice, epi choose.Choice
	calls       mem.Pool[sampled[T]] // so that a call allocates nothing
}

// Multiply computes out[k] = the product of row i of a with row j of b, for every entry
// k = (i, j) of s in the order of s.All. Unless only the pattern counts, it multiplies
// by the entry's value. With opt.Scaling it is alpha times that plus beta*out[k]. s is
// m x n, a is m x f, b is n x f, with any strides.
//
// An element's sum over f is made in an order that depends on f and the variant
// only. Assembly fuses each product with its addition, the portable code rounds it
// first. The sum of no features is 0, which values and alpha multiply as they do any
// other sum: 0*Inf is NaN. Nothing is multiplied if alpha is 0. beta = 0 does not read out.
// Copies of a and b, which it needs if rows are not contiguous, take no more memory than
// they or 64 MB each. Multiply panics with a [layout.ShapeError] before
// any element is read, in these cases: shapes do not agree, a slice is too short, or out
// shares memory with a or b.
func (set *SDDMM[T]) Multiply(opt run.Options, out []T, s sparse.Matrix[T], a, b layout.Matrix[T]) {
	set.multiply(opt, out, s.Raw(), a, b)
}

// MultiplyPattern is Multiply of a pattern.
func (set *SDDMM[T]) MultiplyPattern(opt run.Options, out []T, s sparse.Pattern, a, b layout.Matrix[T]) {
	set.multiply(opt, out, s.Raw(), a, b)
}

func (set *SDDMM[T]) multiply(opt run.Options, out []T, s sparse.Raw, a, b layout.Matrix[T]) {
	name := opt.Name(set.Name)
	set.check(name, opt, s, &a, &b)
	if len(out) != s.NNZ {
		check.Call(name).Refuse("out has %d values, s has %d entries; want as many", len(out), s.NNZ)
	}
	if mem.Touch(out, a.Data) || mem.Touch(out, b.Data) {
		check.Call(name).Refuse(check.Overlap)
	}
	kern := set.pick(name, opt.ISA)
	alpha, beta, mode := kernel.FactorsOf[T](&opt.Scaling)
	if len(out) == 0 {
		return
	}
	if alpha == 0 {
		mem.Scale(layout.RowMajor(out, 1, len(out)), beta)
		return
	}
	d := set.calls.Get()
	d.weigh, d.out, d.scale = !set.Pattern && s.Values != nil, unsafe.Pointer(unsafe.SliceData(out)), opt.Scaling
	d.alpha, d.beta, d.mode = mem.BitsOf(alpha), mem.BitsOf(beta), mode
	d.run(call.ThreadsFor(opt, float64(s.NNZ)*float64(a.Cols)), kern, s, a, b)
	set.release(d)
}

// release keeps a call for another.
func (set *SDDMM[T]) release(d *sampled[T]) {
	*d = sampled[T]{}
	set.calls.Put(d)
}

// Fuse computes the products of rows of a and b that s has entries for and hands each
// to the epilogue once. The rules of [SDDMM.Multiply] hold for the sums.
func (set *SDDMM[T]) Fuse(opt run.Options, e *Epilogue, s sparse.Matrix[T], a, b layout.Matrix[T]) {
	set.check(e.epi.Name, opt, s.Raw(), &a, &b)
	e.epi.CheckOverlap(epi.MemoryOf("a", a), epi.MemoryOf("b", b))
	kern := set.pick(e.epi.Name, opt.ISA)
	if s.NNZ() == 0 {
		return
	}
	d := set.calls.Get()
	d.weigh, d.alpha, d.mode = !set.Pattern, mem.BitsOf(T(1)), kernel.ModeStore
	d.fuse(e, &set.epi, set.Epilogue, set.Epis, opt.ISA)
	d.run(call.ThreadsFor(opt, float64(s.NNZ())*float64(max(a.Cols, 1))), kern, s.Raw(), a, b)
	d.fused.release()
	set.release(d)
}

// pick returns the variant to run, nil for the portable code.
func (set *SDDMM[T]) pick(name, isa string) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	return choose.Table(&set.choice, name, set.Variants, isa)
}

// check refuses operands that do not fit, and what the kernels are not generated for.
func (set *SDDMM[T]) check(name string, opt run.Options, s sparse.Raw, a, b *layout.Matrix[T]) {
	c := check.Call(name)
	call.CheckOptions(c, &opt, "")
	if set.Epilogue != nil {
		c.Unscaled(&opt, check.Fused)
	}
	run.CheckReal(name, &opt.Scaling)
	switch {
	case set.Features != 0 && a.Cols != set.Features:
		c.Refuse("a has %d columns, the kernel is generated for %d; leave Features 0 for any number", a.Cols, set.Features)
	case a.Rows != s.Rows || b.Rows != s.Cols || a.Cols != b.Cols:
		c.Refuse("s is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x f, n x f", s.Rows, s.Cols, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	check.Read(c, "a", a)
	check.Read(c, "b", b)
}
