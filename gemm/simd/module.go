package simd

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Module is a product lowered for one target: its functions, and which of them is
// which in a [kernel.Kernels].
type Module struct {
	Name   string
	Target emit.Target
	A, B   dtype.Type
	Elem   dtype.Type // of the sums
	Op     gemm.Operator
	Fusion *gemm.Fusion // nil: alpha and beta

	Structure            gemm.Structure
	Shape                gemm.Shape
	Funcs                []*emit.Func
	kernel.Table[string] // of micro-kernels
	Pack                 kernel.Table[string]
	PackA                *kernel.Table[string] // nil: Pack is for both operands
	Widening             *kernel.Table[string] // nil: packing widens B
	Triangles            *kernel.Table[string] // nil: nothing is divided
	Flip                 uint32                // see kernel.Kernels
	FlipCopy             bool
	Epi                  string // "" if Fusion is nil
	EpiLanes             int
	// Fixed computes dense products of Shape by Blocking. It is "" if there is no such
	// kernel.
	Fixed    string
	Blocking tiling.Blocking
	// Reduced sums products of blocks of Shape, by Blocking; it is the only kernel but Epi then, and Reduce
	// says how blocks lie. "" if there is none.
	Reduced string
	Reduce  gemm.BatchReduce
	// Stock says that the kernels that multiply are, but for their names, those of a
	// product of cpu/kern; those that pack may be, too. Standalone is the spec's, and
	// Home the package that is generated into, if it is known: a package shares nothing with
	// itself.
	Stock, Standalone bool
	Home              string
	Grouped           bool // there is a function for groups of products
}

// Own lists the functions that a generated package of the module needs: not those that it
// shares.
func (m *Module) Own() []*emit.Func {
	shared := map[string]bool{}
	share := func(from *origin, table any) {
		for _, name := range kernel.Names(table) {
			shared[*name] = shared[*name] || !m.owns(from)
		}
	}
	share(m.microStock(), &m.Table)
	share(m.packStock(m.B), &m.Pack)
	if m.PackA != nil {
		share(m.packStock(m.A), m.PackA)
	}
	if m.Widening != nil {
		share(m.wideningStock(), m.Widening)
	}
	if m.Triangles != nil {
		share(m.microStock(), m.Triangles)
	}
	return slices.DeleteFunc(slices.Clone(m.Funcs), func(f *emit.Func) bool { return shared[f.Name] })
}
