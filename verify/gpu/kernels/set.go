package kernels

import (
	"strings"

	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gpu"
)

// Spec is a [gemm.Spec].
type Spec interface {
	Describe() gemm.Description
}

// Translate puts an epilogue's function into the IR, as package gen/fn does, which
// needs the function's source.
type Translate = func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error)

// Set does what generated code of the package pkg has as literals: it lowers, prints
// and describes the kernels of a spec. Without an epilogue translate is nil.
func Set(pkg string, s Spec, translate Translate) (*run.Set, error) {
	return SetFor(pkg, s, translate, ptx.SM80)
}

// SetFor is [Set] for a target of later GPUs.
func SetFor(pkg string, s Spec, translate Translate, t emit.Target) (*run.Set, error) {
	m, err := gpu.Lower(s.Describe(), t)
	if err != nil {
		return nil, err
	}
	fs := m.Funcs()
	target := run.Target{Pad: m.Pad.Name}
	for _, k := range m.Kernels {
		x := run.Kernel{
			Name: k.Func.Name, Tile: k.Tile, Threads: k.Func.Threads, Shared: k.Func.Shared,
			Unit: k.B.Unit, AK: k.A.KMajor, BK: k.B.KMajor, Wide: k.Wide, Grouped: k.Grouped,
		}
		if k.Split {
			x.Parts = run.Part{Name: k.Parts.Name, Shared: k.Parts.Shared}
		}
		target.Kernels = append(target.Kernels, x)
	}
	for _, j := range m.Joins {
		target.Joins = append(target.Joins, j.Name)
	}
	for _, f := range fs {
		if translate != nil {
			if err := f.Inline(translate); err != nil {
				return nil, err
			}
		}
		if err := emit.Run(f, ptx.Backend{}.Passes(m.Target), nil); err != nil {
			return nil, err
		}
	}
	var text strings.Builder
	if err := (ptx.Backend{}).Print(&text, m.Target, "", fs); err != nil {
		return nil, err
	}
	target.PTX = text.String()
	set := &run.Set{Name: pkg + "." + m.Name, A: m.A, B: m.B, Acc: m.Acc, Plain: m.Fusion == nil, Targets: []run.Target{target}}
	for _, s := range m.Slots {
		set.Slots = append(set.Slots, slot(m, s))
	}
	return set, nil
}

func slot(m *gpu.Module, s gpu.Slot) run.Slot {
	slot := run.Slot{Name: s.Name, Type: s.Type}
	switch s.Kind {
	case gpu.OutputSlot:
		slot.Kind = run.Output
		return slot
	case gpu.OperandSlot:
		slot.Kind = map[gemm.Pattern]run.Kind{gemm.RowPattern: run.Row, gemm.ColumnPattern: run.Column, gemm.FullPattern: run.Full, gemm.ScalarPattern: run.Scalar}[s.Pattern]
		return slot
	case gpu.ZeroSlot:
		slot.Kind = run.Scalar
		return slot
	case gpu.MetaSlot:
		slot.Kind = run.Meta
		return slot
	case gpu.HiddenSlot:
		slot.Kind = run.Hidden
		return slot
	case gpu.SecondSlot:
		slot.Kind = run.Second
	default:
		slot.Kind = run.Partial
	}
	r := m.Fusion.Reduces[s.Reduce]
	slot.Col = r.Col
	switch {
	case r.Op.Arg():
		slot.Reduce = run.Indices
	case r.Op == gemm.LogSumExp:
		slot.Reduce = run.Pairs
	}
	return slot
}
