package spblas

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// AggregateSampled is all variants of one generated sampled product. Like a
// [SampledSet] it is a package-level variable of generated code.
type AggregateSampled[T dtype.Float] struct {
	Name     string
	Variants []*run.SampledKernels
	Pattern  bool // values of the sparse matrix are not read
	Features int  // columns of a and b; 0: any
	Epilogue kernel.EpiKernel
	Epis     []*run.EpiVariant

	choice, epi choose.Choice
}

// Multiply computes what [SampledSet.SDDMM] does.
func (s *AggregateSampled[T]) Multiply(opt run.Options, out []T, m sparse.Matrix[T], a, b layout.Matrix[T]) {
	s.checkCall(opt, a.Cols)
	set := SampledSet[T]{Name: s.Name, Variants: s.Variants}
	set.SDDMM(opt, !s.Pattern, out, m, a, b)
}

func (s *AggregateSampled[T]) checkCall(opt run.Options, n int) {
	switch {
	case s.Features != 0 && n != s.Features:
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf("a has %d columns, the kernel is generated for %d; leave Features 0 for any number", n, s.Features)})
	case opt.Scaled && s.Epilogue != nil:
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	}
}

// SampledEpilogue is the [run.Epilogue] of a sampled product: outputs and operands have
// one element for each entry of the sparse matrix, as a matrix of one row has, but
// for those of its rows and columns.
type SampledEpilogue struct {
	epi    run.Epilogue
	m, n   int // of the sparse matrix
	gather [kernel.MaxSlots]gathered
}

// gathered is an operand with an element for each row or column.
type gathered struct {
	of   gatherOf
	p    unsafe.Pointer
	size int
}

type gatherOf uint8

const (
	notGathered gatherOf = iota
	ofRows
	ofColumns
)

// NewSampledEpilogue begins the epilogue of a call of the kernel called name for a
// matrix of rows x cols with so many entries.
func NewSampledEpilogue(name string, rows, cols, entries int) SampledEpilogue {
	return SampledEpilogue{epi: run.NewEpilogue(name, 1, entries), m: rows, n: cols}
}

// EntryOut adds an output.
func EntryOut[T dtype.Elem](e *SampledEpilogue, name string, x []T) {
	e.long(name, len(x), e.epi.Cols, "entries")
	run.Out(&e.epi, name, layout.RowMajor(x, 1, len(x)))
}

// PerEntry adds an operand with one element for each entry.
func PerEntry[T dtype.Elem](e *SampledEpilogue, name string, x []T) {
	e.long(name, len(x), e.epi.Cols, "entries")
	run.Full(&e.epi, name, layout.RowMajor(x, 1, len(x)))
}

// EntryRow adds an operand with one element for each row of the sparse matrix.
func EntryRow[T dtype.Elem](e *SampledEpilogue, name string, x []T) {
	e.long(name, len(x), e.m, "rows")
	addGathered(e, name, x, ofRows)
}

// EntryColumn adds an operand with one element for each column of the sparse matrix.
func EntryColumn[T dtype.Elem](e *SampledEpilogue, name string, x []T) {
	e.long(name, len(x), e.n, "columns")
	addGathered(e, name, x, ofColumns)
}

// EntryScalar adds an operand with one element.
func EntryScalar[T dtype.Elem](e *SampledEpilogue, x T) { run.Scalar(&e.epi, x) }

func (e *SampledEpilogue) long(name string, have, want int, what string) {
	if have != want {
		panic(layout.ShapeError{What: e.epi.Name, Why: fmt.Sprintf("%s has %d elements, s has %d %s", name, have, want, what)})
	}
}

func addGathered[T dtype.Elem](e *SampledEpilogue, name string, x []T, of gatherOf) {
	var z T
	p := unsafe.Pointer(unsafe.SliceData(x))
	e.gather[e.epi.N] = gathered{of, p, int(unsafe.Sizeof(z))}
	u := epi.Memory{Name: name, P: p, Size: uintptr(len(x)) * unsafe.Sizeof(z)}
	e.epi.Add(kernel.Slot{}, u)
}

// Fuse computes the products of rows of a and b that s has entries for and hands each
// to the epilogue once. The rules of [SampledSet.SDDMM] hold for the sums.
func (s *AggregateSampled[T]) Fuse(opt run.Options, e *SampledEpilogue, m sparse.Matrix[T], a, b layout.Matrix[T]) {
	fail := func(format string, args ...any) {
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf(format, args...)})
	}
	if a.Rows != m.Rows() || b.Rows != m.Cols() || a.Cols != b.Cols {
		fail("s is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x f, n x f", m.Rows(), m.Cols(), a.Rows, a.Cols, b.Rows, b.Cols)
	}
	if err := a.Check("a"); err != nil {
		fail("%v", err)
	}
	if err := b.Check("b"); err != nil {
		fail("%v", err)
	}
	if opt.B != nil {
		fail("Options.B is for dense products; this one has no use for a packed b")
	}
	s.checkCall(opt, a.Cols)
	e.epi.CheckOverlap(epi.MemoryOf("a", a), epi.MemoryOf("b", b))
	kern := choose.Pick(&s.choice, s.Name, s.Variants, func(k *run.SampledKernels) string { return k.ISA }, opt.ISA)
	if m.NNZ() == 0 {
		return
	}
	raw := m.Raw()
	d := &fusedSampled[T]{raw: raw, weigh: !s.Pattern, gather: e.gather}
	d.f.begin(&s.epi, &e.epi, s.Epilogue, s.Epis, opt.ISA)
	if kern != nil && a.Cols > 0 && copies(a, b) {
		a, b = contiguousRows(a), contiguousRows(b)
		d.asm = &sampled{raw: raw, pointers: rowPointers(raw), kern: kern, size: dtype.Of[T]().Size(), features: a.Cols, weigh: d.weigh,
			a: mem.OperandOf(a), b: mem.OperandOf(b), alpha: mem.BitsOf(T(1)), mode: kernel.ModeStore, ahead: fetchDistance(a.Cols * dtype.Of[T]().Size())}
		d.asm.panels = mem.SplitUp(mem.Ceil(a.Cols, kern.VL), len(kern.First))
	}
	d.a, d.b = a, b
	work.Run(d, sparseThreads(opt, float64(raw.NNZ)*float64(max(a.Cols, 1))))
}
