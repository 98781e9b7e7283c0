package gemm

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Shape fixes dimensions of a product when it is generated; 0 leaves one to the run
// time.
type Shape = tiling.Shape

// Spec is a matrix product by its element types: of the operands, of the sums and
// of the result. Without an epilogue, and with one type for all four, it is
// out = alpha*a*b + beta*out; else out = epilogue(a*b). Zero fields are chosen.
type Spec[A, B, Acc, Out dtype.Elem] struct {
	Name     string        // a Go identifier; the generated function's name
	Operator Operator      // nil: by the types
	Epilogue Ending[Acc]   // an Epilogue[Acc, Out], or one that returns an Acc; nil: convert and store
	Shape    Shape         // of the only products that there will be; 0: run time
	Tile     tiling.Micro  // zero: by the target's registers
	GPU      tiling.GPU    // zero: by the elements' size and the GPU's shared memory
	Grouped  bool          // also NAMEGrouped, many products of any shapes in one call, on GPUs in one launch
	Targets  []emit.Target // nil: every CPU target that has something of its own for the types

	// Standalone puts every kernel into the generated package. Otherwise it shares those
	// that multiply and pack with the stock products of cpu/kern, where they are the same.
	Standalone bool

	// Structure says which elements there are of A, B and the result, if not all: symmetric and
	// triangular matrices, on CPUs. Without an epilogue sums are stored as they are.
	Structure Structure

	// Sparse says how A is stored where half of it is zero, on GPUs: see [Sparse24].
	Sparse Sparsity

	// Reduce sums the products of many pairs of blocks of the Shape, on CPUs.
	Reduce BatchReduce
}

// Kernel returns the spec's name.
func (s Spec[A, B, Acc, Out]) Kernel() string { return s.Name }

// CPUTargets are the targets that every kind of kernel is generated for where none are named.
func CPUTargets() []emit.Target { return []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON} }

// FixedShape returns the spec's shape.
func (s Spec[A, B, Acc, Out]) FixedShape() Shape { return s.Shape }

// TargetList returns the targets to generate for.
func (s Spec[A, B, Acc, Out]) TargetList() []emit.Target {
	if s.Targets != nil {
		return s.Targets
	}
	return s.Reduce.Targets(dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), s.Shape)
}

// TargetsFor are the targets of a spec that names none and has operands of types a and b with
// sums of acc, best first. They are [CPUTargets], and those that have dot products of the
// types or multiply whole tiles of them.
func TargetsFor(a, b, acc dtype.Type) []emit.Target {
	integer := func(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 || t == dtype.I16 }
	switch {
	case a == dtype.TypeBF16 && b == dtype.TypeBF16 && acc == dtype.F32:
		return []emit.Target{amd64.AMXBF16, amd64.AVX512BF16, amd64.AVX512, amd64.AVX2, arm64.NEONBF16, arm64.NEON}
	case integer(a) && integer(b) && acc == dtype.I32 && (a == dtype.I16 || b == dtype.I16):
		return []emit.Target{amd64.AVX512VNNI, amd64.AVX512, amd64.AVXVNNI, amd64.AVX2, arm64.NEON}
	case integer(a) && integer(b) && acc == dtype.I32:
		return []emit.Target{amd64.AMXINT8, amd64.AVX512VNNI, amd64.AVX512, amd64.AVXVNNI, amd64.AVX2, arm64.NEONI8MM, arm64.NEONDOT, arm64.NEON}
	}
	return CPUTargets()
}
