package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Spec is a matrix product out = alpha*a*b + beta*out by its element types: of
// the operands, of the accumulator and of the result. Zero fields are chosen.
type Spec[A, B, Acc, Out dtype.Elem] struct {
	Name     string        // a Go identifier; the generated function's name
	Operator Operator      // nil: by the types
	Tile     tiling.Micro  // zero: by the target's registers
	Targets  []emit.Target // nil: every CPU target
}

// Module is a lowered spec for one target: its functions, and which of them is
// which in a [tiling.Kernels].
type Module struct {
	Name   string
	Target emit.Target
	Elem   dtype.Type
	Tile   tiling.Micro
	VL     int
	Funcs  []*emit.Func
	// Names of functions, indexed as the fields of tiling.Kernels.
	Full     [][]string
	Tail     [][]string
	PackRows []string
	PackCols string
}

// Kernel returns the spec's name.
func (s Spec[A, B, Acc, Out]) Kernel() string { return s.Name }

// CPUTargets are the targets of a spec that names none.
func CPUTargets() []emit.Target { return []emit.Target{amd64.AVX512, amd64.AVX2} }

// TargetList returns the targets to generate for.
func (s Spec[A, B, Acc, Out]) TargetList() []emit.Target {
	if s.Targets == nil {
		return CPUTargets()
	}
	return s.Targets
}

// Lower gives the spec its meaning on one target. The error says which tile,
// type or limit stands in the way.
func (s Spec[A, B, Acc, Out]) Lower(t emit.Target) (*Module, error) {
	a, b, acc, out := dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc](), dtype.Of[Out]()
	op := s.Operator
	if op == nil {
		var err error
		if op, err = pick(a, b, acc, out); err != nil {
			return nil, fmt.Errorf("gemm: %s: %w", s.Name, err)
		}
	}
	if x, y, z := op.Types(); x != elemOf(a) || y != elemOf(b) || z != elemOf(acc) || z != elemOf(out) {
		return nil, fmt.Errorf("gemm: %s: operator %v is for %v, %v and %v, the spec has %v, %v, %v and %v", s.Name, op, x, y, z, a, b, acc, out)
	}
	tile := s.Tile
	if tile == (tiling.Micro{}) {
		tile = tiling.Registers(t.Regs)
	}
	if tile.MR < 1 || tile.NV < 1 || tile.MR*tile.NV+tile.NV+1 > t.Regs {
		return nil, fmt.Errorf("gemm: %s: a tile of %d rows and %d vectors needs %d registers (accumulators, a row of B, one broadcast), %s has %d",
			s.Name, tile.MR, tile.NV, tile.MR*tile.NV+tile.NV+1, t.Name, t.Regs)
	}
	l := &lowering{name: s.Name, target: t, op: op, elem: elemOf(acc), tile: tile, vl: t.Lanes(elemOf(acc))}
	m := &Module{Name: s.Name, Target: t, Elem: acc, Tile: tile, VL: l.vl}
	return m, l.module(m)
}
