package call

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// RefuseShared refuses a result that shares memory with an operand.
func RefuseShared[T dtype.Float](name, to string, out layout.Matrix[T], outBy int, from string, x layout.Matrix[T], by, count int) {
	a, sideBySide := merged(out, outBy, count)
	b, both := merged(x, by, count)
	shared := mem.Touch(HeadsOf(out, outBy, count), HeadsOf(x, by, count))
	if shared && sideBySide && both { // as q, k and v do that are columns of one matrix
		shared = mem.Overlaps(a, b)
	}
	if shared {
		panic(layout.ShapeError{What: name, Why: to + " shares memory with " + from + "; copy it first"})
	}
}

// merged is the one matrix that count matrices are that lie side by side, or all in one place; else ok is false.
func merged[T dtype.Float](m layout.Matrix[T], apart, count int) (all layout.Matrix[T], ok bool) {
	switch {
	case m.Rows == 0 || m.Cols == 0 || apart == 0 || count == 1:
		return m, true
	case apart == m.Cols*m.ColStride:
		m.Cols *= count
		return m, true
	}
	return m, false
}

// HeadsOf is what count matrices that begin so far apart span.
func HeadsOf[T dtype.Float](m layout.Matrix[T], apart, count int) []T {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return m.Data[:(count-1)*apart+(m.Rows-1)*m.RowStride+(m.Cols-1)*m.ColStride+1]
}

// CheckSparse is what every product of a sparse m x k matrix checks first.
func CheckSparse[T dtype.Value, B dtype.Any](name string, opt run.Options, out *layout.Matrix[T], m, k int, b *layout.Matrix[B]) {
	fail := func(why string) { panic(layout.ShapeError{What: name, Why: why}) }
	CheckOptions(name, &opt)
	run.CheckReal(name, &opt.Scaling)
	if k != b.Rows || out.Rows != m || out.Cols != b.Cols {
		fail(fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", out.Rows, out.Cols, m, k, b.Rows, b.Cols))
	}
	if err := out.CheckOut("out"); err != nil {
		fail(err.Error())
	}
	if err := b.Check("b"); err != nil {
		fail(err.Error())
	}
	if mem.Touch(out.Data, b.Data) && mem.Overlaps(*out, *b) {
		fail("out shares memory with b; copy b first")
	}
}

// CheckOptions refuses options that no sparse product has.
func CheckOptions(name string, opt *run.Options) {
	run.CheckThreads(name, opt.Threads)
	if opt.B != nil {
		panic(run.OptionError{What: name, Why: "Options.B is for dense products, a sparse one has no use for a packed b; leave it nil"})
	}
}

// RefuseScales panics if a product with an epilogue is to have alpha and beta.
func RefuseScales(name string, opt *run.Options, fused bool) {
	if fused && opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	}
}

// CheckFuse is what every fused product of a sparse m x k matrix checks first.
func CheckFuse[T dtype.Elem](e *run.Epilogue, opt run.Options, vector bool, m, k int, b *layout.Matrix[T]) {
	fail := func(why string) { panic(layout.ShapeError{What: e.Name, Why: why}) }
	CheckOptions(e.Name, &opt)
	if vector && (k != b.Rows || m != e.Cols) {
		fail(fmt.Sprintf("y has %d elements, a is %d x %d, x has %d; want m, m x k, k", e.Cols, m, k, b.Rows))
	}
	if !vector && (k != b.Rows || m != e.Rows || b.Cols != e.Cols) {
		fail(fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", e.Rows, e.Cols, m, k, b.Rows, b.Cols))
	}
	if err := b.Check("b"); err != nil {
		fail(err.Error())
	}
	if mem.Volume(e.Rows, max(e.Cols, b.Cols), 8*mem.Line) == math.MaxInt { // outputs may be reductions, which do not bound it
		fail(fmt.Sprintf("a result of %d x %d is too large; want fewer rows or columns", e.Rows, e.Cols))
	}
	e.CheckOverlap(epi.Memory{}, epi.MemoryOf("b", *b))
}

// CheckPortable refuses a forced instruction set of what has portable code only.
func CheckPortable(name string, opt run.Options) {
	if opt.ISA != "" && opt.ISA != run.Portable {
		panic(run.OptionError{What: name, Why: fmt.Sprintf("Options.ISA is %q, this has portable code only; leave it empty, or want %q", opt.ISA, run.Portable)})
	}
}
