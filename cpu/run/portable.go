package run

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// portable is the product in plain Go: the whole of it on machines without
// generated kernels.
func portable[T dtype.Elem](threads int, alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	var buf genericBuf[T]
	generic(alpha, a, b, beta, out, &buf)
}
