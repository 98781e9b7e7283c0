package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// SegmentReduce describes the reduction of rows that belong together, such as the nodes of each
// graph of a batch or the tokens of each sentence: row s of out is epilogue(reduction of rows offsets[s] to
// offsets[s+1]-1 of x), column by column. The generated function takes out, m x h, the m+1 offsets,
// which are 0, then none less than the one before, and last x's rows, then x, n x h, and the
// epilogue's operands. A segment without rows is what Reduce says of a row without
// entries. cpu.SegmentMax also says which rows the greatest come from.
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
