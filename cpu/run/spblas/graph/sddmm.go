package graph

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
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
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out has %d values, s has %d entries; want as many", len(out), s.NNZ)})
	}
	if mem.Touch(out, a.Data) || mem.Touch(out, b.Data) {
		panic(layout.ShapeError{What: name, Why: "out shares memory with an operand; copy the operand first"})
	}
	kern, weigh := set.pick(name, opt.ISA), !set.Pattern && s.Values != nil
	alpha, beta, mode := kernel.FactorsOf[T](&opt.Scaling)
	if len(out) == 0 {
		return
	}
	if alpha == 0 {
		mem.Scale(layout.RowMajor(out, 1, len(out)), beta)
		return
	}
	threads := call.ThreadsFor(opt, float64(len(out))*float64(a.Cols))
	if kern == nil || a.Cols == 0 || !call.Copies(a, b) { // no sums are 0, and huge ones read a and b where they lie
		p := &sampled[T]{weigh: weigh, alpha: alpha, beta: beta, out: out, raw: s, a: a, b: b}
		p.tasks.Run(p, threads, mem.Ceil(len(out), sddmmChunk*sddmmTask))
		return
	}
	d := sddmmCalls.Get()
	defer func() { *d = sddmmCall{}; sddmmCalls.Put(d) }()
	a, b = call.ContiguousRows(a), call.ContiguousRows(b)
	d.begin(kern, s, mem.OperandOf(a), mem.OperandOf(b), dtype.Of[T]().Size(), a.Cols)
	d.weigh, d.out = weigh, unsafe.Pointer(unsafe.SliceData(out))
	d.alpha, d.beta, d.mode = mem.BitsOf(alpha), mem.BitsOf(beta), mode
	if total := int64(b.Rows) * int64(a.Cols*d.size); tiling.FetchesRows(machine.This(), total) {
		d.ahead = call.FetchDistance(a.Cols*d.size, total)
	}
	d.tasks.Run(d, threads, mem.Ceil(d.raw.NNZ, sddmmChunk*sddmmTask))
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
	raw, size := s.Raw(), dtype.Of[T]().Size()
	d := &sampled[T]{raw: raw, weigh: !set.Pattern, gather: e.gather}
	d.f.Begin(&set.epi, &e.epi, set.Epilogue, set.Epis, opt.ISA)
	if kern != nil && a.Cols > 0 && call.Copies(a, b) {
		a, b = call.ContiguousRows(a), call.ContiguousRows(b)
		d.asm = &sddmmCall{weigh: d.weigh, alpha: mem.BitsOf(T(1)), mode: kernel.ModeStore, ahead: call.FetchDistance(a.Cols*size, int64(b.Rows)*int64(a.Cols*size))}
		d.asm.begin(kern, raw, mem.OperandOf(a), mem.OperandOf(b), size, a.Cols)
	}
	d.a, d.b = a, b
	d.tasks.Run(d, call.ThreadsFor(opt, float64(raw.NNZ)*float64(max(a.Cols, 1))), mem.Ceil(raw.NNZ, sddmmChunk*sddmmTask))
}

// pick returns the variant to run, nil for the portable code.
func (set *SDDMM[T]) pick(name, isa string) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	return choose.Table(&set.choice, name, set.Variants, isa)
}

// check refuses operands that do not fit, and what the kernels are not generated for.
func (set *SDDMM[T]) check(name string, opt run.Options, s sparse.Raw, a, b *layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf(format, args...)})
	}
	call.CheckOptions(name, &opt)
	call.RefuseScales(name, &opt, set.Epilogue != nil)
	run.CheckReal(name, &opt.Scaling)
	switch {
	case set.Features != 0 && a.Cols != set.Features:
		fail("a has %d columns, the kernel is generated for %d; leave Features 0 for any number", a.Cols, set.Features)
	case a.Rows != s.Rows || b.Rows != s.Cols || a.Cols != b.Cols:
		fail("s is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x f, n x f", s.Rows, s.Cols, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	if err := a.Check("a"); err != nil {
		fail("%v", err)
	}
	if err := b.Check("b"); err != nil {
		fail("%v", err)
	}
}
