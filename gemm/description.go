package gemm

import (
	"fmt"
	"go/token"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Description is a [Spec] without its type parameters: what lowers it reads.
type Description struct {
	Name       string
	A, B       dtype.Type // of the operands
	Acc, Out   dtype.Type // of the sums and of the result
	Operator   Operator   // nil: by the types
	Fusion     *Fusion    // of the epilogue; nil: there is none
	Shape      Shape
	Tile       tiling.Micro
	GPU        tiling.GPU
	Grouped    bool          // there is a function for groups of products too, and on GPUs kernels for it
	Targets    []emit.Target // every CPU target if the spec names none
	Standalone bool
	Sparse     Sparsity
	Structure  Structure
	Reduce     BatchReduce
}

// Describe returns the spec without its type parameters. Targets and what Fusion points
// to are the spec's own, but for an epilogue that is rounded.
func (s Spec[A, B, Acc, Out]) Describe() Description {
	var fusion *Fusion
	if s.Epilogue != nil {
		fusion = s.Epilogue.Fusion().Into(dtype.Of[Out]())
	}
	return Description{
		Name: s.Name, A: dtype.Of[A](), B: dtype.Of[B](), Acc: dtype.Of[Acc](), Out: dtype.Of[Out](),
		Operator: s.Operator, Fusion: fusion, Shape: s.Shape, Tile: s.Tile, GPU: s.GPU, Grouped: s.Grouped,
		Targets: s.TargetList(), Standalone: s.Standalone, Sparse: s.Sparse, Structure: s.Structure, Reduce: s.Reduce,
	}
}

// Check returns what is wrong with the description whatever it is lowered for, or nil.
func (d Description) Check() error {
	if !token.IsIdentifier(d.Name) {
		return fmt.Errorf("gemm: a spec is called %q; its name must be a Go identifier", d.Name)
	}
	if err := d.check(); err != nil {
		return fmt.Errorf("gemm: %s: %w", d.Name, err)
	}
	return nil
}

func (d Description) check() error {
	if s, ok := d.Operator.(Semiring); ok {
		if err := s.Check(); err != nil {
			return err
		}
	}
	if err := d.checkPairs(); err != nil {
		return err
	}
	if err := d.checkSparse(); err != nil {
		return err
	}
	if err := d.checkStructure(); err != nil {
		return err
	}
	if err := checkShape(d.Shape); err != nil {
		return err
	}
	if err := d.checkBatchReduce(); err != nil || d.Fusion == nil {
		return err
	}
	if d.Fusion.Acc != d.Acc || d.Fusion.Out != d.Out {
		return fmt.Errorf("the epilogue turns %v into %v, the sums are %v and the result is %v", d.Fusion.Acc, d.Fusion.Out, d.Acc, d.Out)
	}
	if err := d.checkZeros(); err != nil {
		return d.Fusion.At(err)
	}
	return d.Fusion.Check()
}

// checkShape refuses shapes that cannot be.
func checkShape(s Shape) error {
	if s.M < 0 || s.N < 0 || s.K < 0 {
		return fmt.Errorf("the shape %d x %d x %d has a negative dimension; 0 leaves one to the run time", s.M, s.N, s.K)
	}
	const most = 1 << 24
	if s.M > most || s.N > most || s.K > most {
		return fmt.Errorf("the shape %d x %d x %d has a dimension above %d; leave it to the run time", s.M, s.N, s.K, most)
	}
	const elements = 1 << 28 // of a matrix: 1 or 2 GB, beyond which a test of it is no use
	if max(float64(s.M)*float64(s.N), float64(s.M)*float64(s.K), float64(s.K)*float64(s.N)) > elements {
		return fmt.Errorf("the shape %d x %d x %d has a matrix of more than %d elements; leave a dimension to the run time", s.M, s.N, s.K, elements)
	}
	return nil
}
