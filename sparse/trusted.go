package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// Trusted returns the matrix whose row i has the entries pointers[i] to pointers[i+1]-1
// of indices and values. It takes over the slices, copies nothing and does not check every
// index. It is for kernels that have just made these arrays, the reverse of [Matrix.Raw];
// otherwise use [FromCSR].
//
// The caller guarantees that pointers ascend, that every column is below cols, and that no
// row has a column twice. If sorted, the columns of each row ascend. The caller must never
// write to pointers and indices again. It may write values while nobody reads them, since
// no address depends on one. Trusted panics if the lengths do not fit together.
func Trusted[T dtype.Value](rows, cols int, pointers, indices []int32, values []T, sorted bool) Matrix[T] {
	const where = "sparse.Trusted"
	if err := CheckSize(where, rows, cols); err != nil {
		panic(err)
	}
	if len(pointers) != rows+1 || pointers[0] != 0 || int(pointers[rows]) != len(indices) || len(indices) != len(values) {
		panic(Errorf(ErrLength, where, "one pointer more than rows, the last of them the number of both", "%d pointers, %d indices and %d values for %d x %d",
			len(pointers), len(indices), len(values), rows, cols))
	}
	return Matrix[T]{shape{&csr{rows: rows, cols: cols, pointers: pointers, indices: indices, unsorted: !sorted}}, values}
}
