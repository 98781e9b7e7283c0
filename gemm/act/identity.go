package act

// Identity returns x: the epilogue of a product that stores its sums as they are.
func Identity[T float32 | float64](x T) T { return x }
