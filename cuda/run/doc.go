// Package run launches generated GPU kernels: it is what the sub-package gpu of a
// spec's package imports, besides cuda. Generated code describes its kernels in a
// [Set], and each of its functions is one [Call]. You give it operands, in order.
// [Call.Launch] checks them, chooses the kernel for the way they lie in memory, and
// queues it.
//
//	func DenseGELU(s cuda.Stream, out, a, b cuda.Matrix[float32], bias cuda.Slice[float32]) error {
//		c := run.Begin(&denseGELUSet, s, run.Options{})
//		run.Out(c, out)
//		run.A(c, a)
//		run.B(c, b)
//		run.PerColumn(c, bias)
//		return c.Launch()
//	}
//
// Wrong arguments are an error and never a panic. The error names the operand and says
// what would be right. A call that returns nil has been queued; the stream reports what
// goes wrong later. Once a kernel has been loaded, a call allocates nothing.
package run
