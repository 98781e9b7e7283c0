package spblas

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// checkSparse is what every product of a sparse m x k matrix checks first.
func checkSparse[T dtype.Value, B dtype.Any](name string, opt run.Options, out *layout.Matrix[T], m, k int, b *layout.Matrix[B]) {
	fail := func(why string) { panic(layout.ShapeError{What: name, Why: why}) }
	checkOptions(name, &opt)
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

// checkOptions refuses options that no sparse product has.
func checkOptions(name string, opt *run.Options) {
	run.CheckThreads(name, opt.Threads)
	if opt.B != nil {
		panic(run.OptionError{What: name, Why: "Options.B is for dense products, a sparse one has no use for a packed b; leave it nil"})
	}
}

// refuseScales panics if a product with an epilogue is to have alpha and beta.
func refuseScales(name string, opt *run.Options, fused bool) {
	if fused && opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	}
}

// checkFuse is what every fused product of a sparse m x k matrix checks first.
func checkFuse[T dtype.Elem](e *epilogue.Epilogue, opt run.Options, vector bool, m, k int, b *layout.Matrix[T]) {
	fail := func(why string) { panic(layout.ShapeError{What: e.Name, Why: why}) }
	checkOptions(e.Name, &opt)
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

// checkFormat refuses a matrix in another format than a kernel is generated for.
func checkFormat[T dtype.Float](name, want string, a sparse.Packed[T]) {
	if have := a.Format().Name; have != want {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("a is in the format %q, the kernel is for %q; convert it with Matrix().To", have, want)})
	}
}
