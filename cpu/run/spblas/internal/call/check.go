package call

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// RefuseShared refuses a result that shares memory with an operand.
func RefuseShared[T dtype.Float](c check.Call, to string, out layout.Matrix[T], outBy int, from string, x layout.Matrix[T], by, count int) {
	a, sideBySide := merged(out, outBy, count)
	b, both := merged(x, by, count)
	shared := mem.Touch(mem.Series(&out, outBy, count), mem.Series(&x, by, count))
	if shared && sideBySide && both { // as q, k and v do that are columns of one matrix
		shared = mem.Overlaps(a, b)
	}
	if shared {
		c.Refuse("%s shares memory with %s; copy it first", to, from)
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

// CheckSparse is what every product of a sparse m x k matrix checks first.
func CheckSparse[T dtype.Value, B dtype.Any](name string, opt run.Options, out *layout.Matrix[T], m, k int, b *layout.Matrix[B]) {
	c := check.Call(name)
	CheckOptions(c, &opt, "")
	run.CheckReal(name, &opt.Scaling)
	if k != b.Rows || out.Rows != m || out.Cols != b.Cols {
		c.Refuse("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", out.Rows, out.Cols, m, k, b.Rows, b.Cols)
	}
	check.Written(c, "out", out)
	check.Read(c, "b", b)
	if check.Meet(out, b) {
		c.Refuse("out shares memory with b; copy b first")
	}
}

// CheckOptions refuses options that no sparse product has, and factors, if why says why this one has none.
func CheckOptions(c check.Call, opt *run.Options, why string) {
	run.CheckThreads(string(c), opt.Threads)
	c.Unpacked(opt, "Options.B is for dense products, a sparse one has no use for a packed b; leave it nil")
	if why != "" {
		c.Unscaled(opt, why)
	}
}

// CheckFuse is what every fused product of a sparse m x k matrix checks first.
func CheckFuse[T dtype.Elem](e *epilogue.Epilogue, opt run.Options, vector bool, m, k int, b *layout.Matrix[T]) {
	c := check.Call(e.Name)
	CheckOptions(c, &opt, "")
	if vector && (k != b.Rows || m != e.Cols) {
		c.Refuse("y has %d elements, a is %d x %d, x has %d; want m, m x k, k", e.Cols, m, k, b.Rows)
	}
	if !vector && (k != b.Rows || m != e.Rows || b.Cols != e.Cols) {
		c.Refuse("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", e.Rows, e.Cols, m, k, b.Rows, b.Cols)
	}
	check.Read(c, "b", b)
	CheckEnd(e, b.Cols, epi.Memory{}, epi.MemoryOf("b", *b))
}

// CheckEnd refuses a result that is too large, of which rows of so many sums are made, and outputs that share memory.
func CheckEnd(e *epilogue.Epilogue, cols int, a, b epi.Memory) {
	if mem.Volume(e.Rows, max(e.Cols, cols), 8*mem.Line) == math.MaxInt { // outputs may be reductions, which do not bound it
		check.Call(e.Name).Refuse("a result of %d x %d is too large; want fewer rows or columns", e.Rows, e.Cols)
	}
	e.CheckOverlap(a, b)
}

// CheckPortable refuses a forced instruction set of what has portable code only.
func CheckPortable(c check.Call, opt *run.Options) {
	if opt.ISA != "" && opt.ISA != run.Portable {
		c.RefuseOption("Options.ISA is %q, this has portable code only; leave it empty, or want %q", opt.ISA, run.Portable)
	}
}
