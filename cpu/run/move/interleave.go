package move

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Interleave sets element (k/by, j*by + k%by) of out to element (k, j) of x, and the rest of
// out's last row to 0. Instructions that multiply pairs of 16 bits or fours of 8 bits read this
// order, and so does [gemm.BatchReduce] for a B of pairs. x is m x n and out (m+by-1)/by x by*n,
// each with any strides.
//
// It is fast for pairs of two bytes and fours of one byte if rows of both are contiguous. If the
// columns of x are contiguous, it is fast where by elements have 2, 4 or 8 bytes together.
//
// It panics with a [layout.ShapeError], before an element is read, if by is less than 1
// or shapes do not agree. It also panics if two elements of out share a place, or out
// shares memory with x.
//
// [gemm.BatchReduce]: https://pkg.go.dev/github.com/tilesmith/tilesmith/gemm#BatchReduce
func Interleave[T dtype.Any](out, x layout.Matrix[T], by int) {
	const name = "move.Interleave"
	checked(name, &out, &x)
	interleaves(name, "x", x.Rows, x.Cols, "out", out.Rows, out.Cols, by)
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	done, size := 0, sizeOf[T]()
	switch {
	case out.ColStride != 1:
	case x.ColStride == 1:
		done = block{addr(out), addr(x), out.RowStride * size, x.RowStride * size, x.Rows, x.Cols, size}.weave(by, false)
	case x.RowStride == 1 && x.Rows >= by: // each column's are together already
		if (block{addr(out), addr(x), out.RowStride * size, x.ColStride * size, x.Cols, x.Rows / by, size * by}).transpose() {
			done = x.Rows / by * by
		}
	}
	var zero T
	for r := done; r < out.Rows*by; r++ {
		to := out.Data[r/by*out.RowStride+r%by*out.ColStride:]
		for j := range x.Cols {
			v := zero
			if r < x.Rows {
				v = x.Data[r*x.RowStride+j*x.ColStride]
			}
			to[j*by*out.ColStride] = v
		}
	}
}

// Deinterleave sets element (k, j) of out to element (k/by, j*by + k%by) of x. It is the
// inverse of [Interleave], on its conditions with x and out in each other's place. It
// does not look at what x has beyond out's rows.
func Deinterleave[T dtype.Any](out, x layout.Matrix[T], by int) {
	const name = "move.Deinterleave"
	checked(name, &out, &x)
	interleaves(name, "out", out.Rows, out.Cols, "x", x.Rows, x.Cols, by)
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	done, size := 0, sizeOf[T]()
	switch {
	case x.ColStride != 1:
	case out.ColStride == 1:
		done = block{addr(out), addr(x), out.RowStride * size, x.RowStride * size, out.Rows, out.Cols, size}.weave(by, true)
	case out.RowStride == 1 && out.Rows >= by:
		if (block{addr(out), addr(x), out.ColStride * size, x.RowStride * size, out.Rows / by, out.Cols, size * by}).transpose() {
			done = out.Rows / by * by
		}
	}
	for r := done; r < out.Rows; r++ {
		from := x.Data[r/by*x.RowStride+r%by*x.ColStride:]
		for j := range out.Cols {
			out.Data[r*out.RowStride+j*out.ColStride] = from[j*by*x.ColStride]
		}
	}
}

// interleaves refuses matrices of which one is not the other with so many rows in each.
func interleaves(name, plain string, m, n int, woven string, rows, cols, by int) {
	if by < 1 {
		check.Call(name).Refuse("by is %d; want 1 or more", by)
	}
	want := m / by
	if m%by > 0 {
		want++
	}
	if rows != want || cols%by != 0 || cols/by != n {
		check.Call(name).Refuse("%s is %d x %d and %s %d x %d; want %[4]s of %[8]d rows, with %[7]d elements for each column of %[1]s", plain, m, n, woven, rows, cols, by, want)
	}
}
