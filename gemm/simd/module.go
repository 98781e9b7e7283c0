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
	Shape  gemm.Shape
	Funcs  []*emit.Func
	kernel.MicroKernels[string]
	kernel.Packers[string]
	Epi      string // "" if Fusion is nil
	EpiLanes int
	// Fixed computes dense products of Shape, by Blocking; "" if there is no such kernel.
	Fixed    string
	Blocking tiling.Blocking
	// Stock says that the kernels that multiply are, but for their names, those of the
	// stock product with the same type of sums; those that pack are, too, if A and B have
	// that type. Standalone is the spec's.
	Stock, Standalone bool
}

// Own lists the functions that a generated package of the module needs: not those that it
// shares.
func (m *Module) Own() []*emit.Func {
	if !m.Stock {
		return m.Funcs
	}
	var own []*emit.Func
	for _, f := range m.Funcs {
		packs := f.Name == m.PackCols || f.Name == m.PackColsA || slices.Contains(m.PackRows, f.Name) || slices.Contains(m.PackRowsA, f.Name)
		if f.Name == m.Epi || packs && !m.StockPackers() {
			own = append(own, f)
		}
	}
	return own
}

// StockPackers reports whether the kernels that pack are the stock ones.
func (m *Module) StockPackers() bool { return m.Stock && m.A == m.Elem && m.B == m.Elem }
