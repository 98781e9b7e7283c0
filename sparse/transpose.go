package sparse

// Transpose returns the transposed matrix. It is sorted, whatever m is; duplicates
// stay, in their order. CSC of m is CSR of it.
func (m Matrix[T]) Transpose() Matrix[T] { return Matrix[T](csr[T](m).transpose(nil)) }

// TransposeFrom returns also where each value comes from: value k of the transposed
// matrix is value from[k] of m. With it, values that change while the structure does
// not are moved without another Transpose; see WithValues.
func (m Matrix[T]) TransposeFrom() (t Matrix[T], from []int32) {
	from = make([]int32, m.NNZ())
	return Matrix[T](csr[T](m).transpose(from)), from
}
