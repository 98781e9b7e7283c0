package comm

// An Op is an operation of reductions on numbers, associative and commutative except for
// rounding. The order of operands depends only on the number of ranks and the lengths, never
// on which message came first. So a result is the same in every run and on all ranks. Ranks
// tell operations apart by their names.
type Op[T any] struct {
	Name  string
	Apply func(into, x []T) // into[i] = into[i] op x[i]; len(into) = len(x)

	known bool // by its name, to Native
}

// Sum adds. Integers wrap.
func Sum[T Number]() Op[T] {
	return Op[T]{Name: "sum", known: true, Apply: func(into, x []T) {
		for i, v := range x[:len(into)] {
			into[i] += v
		}
	}}
}

// Product multiplies. Integers wrap.
func Product[T Number]() Op[T] {
	return Op[T]{Name: "product", known: true, Apply: func(into, x []T) {
		for i, v := range x[:len(into)] {
			into[i] *= v
		}
	}}
}

// Max keeps the larger number, and NaN if one is.
func Max[T Number]() Op[T] {
	return Op[T]{Name: "max", known: true, Apply: func(into, x []T) {
		for i, v := range x[:len(into)] {
			into[i] = max(into[i], v)
		}
	}}
}

// Min keeps the smaller number, and NaN if one is.
func Min[T Number]() Op[T] {
	return Op[T]{Name: "min", known: true, Apply: func(into, x []T) {
		for i, v := range x[:len(into)] {
			into[i] = min(into[i], v)
		}
	}}
}

// checkOp refuses an operation that is none.
func checkOp[T any](c *Comm, what string, op Op[T]) error {
	if op.Apply == nil {
		return c.errorf(what, "the Op has no Apply; want Sum, Product, Max, Min or one like them")
	}
	return nil
}
