package lapack

// SetLeast changes the order of matrices from which on vectors are rotated here, and returns what undoes it.
func SetLeast(n int) (undo func()) {
	old := least
	least = n
	return func() { least = old }
}
