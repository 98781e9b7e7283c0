package spec

import "github.com/tilesmith/tilesmith/layout/dtype"

// SegmentReduce describes the reduction of rows that belong together, such as the nodes of each
// graph of a batch or the tokens of each sentence. Row s of out is epilogue(reduction of rows
// offsets[s] to offsets[s+1]-1 of x), column by column. The generated function takes out (m x h),
// the m+1 offsets, x (n x h) and the epilogue's operands. Offsets begin with 0, do not descend, and
// end with the number of rows of x. A segment without rows gets what Reduce says of a row without
// entries. cpu.SegmentMax also returns the rows of the maxima.
type SegmentReduce[T dtype.Float] struct {
	Name     string
	Features int         // columns of x and out; 0: known at run time
	Reduce   Reducer     // nil: Plus
	Epilogue Epilogue[T] // of each element, after the last row of its segment; nil: store
	Targets  Targets

	Standalone bool
}

// Kernel returns the spec's name.
func (s SegmentReduce[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s SegmentReduce[T]) Describe() Description {
	return describe[T](Description{
		Operation: OpSegments, Name: s.Name, Features: s.Features, Pattern: true, Reduce: s.Reduce,
		Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone,
	})
}
