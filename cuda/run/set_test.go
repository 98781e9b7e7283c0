package run_test

import (
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// spec is what has a meaning on a GPU.
type spec interface {
	LowerGPU(emit.Target) (*gemm.GPUModule, error)
}

// newSet does what generated code has as literals: it lowers, prints and describes
// the kernels of a spec. translate puts the epilogue's function into the IR.
func newSet(s spec, translate func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error)) (*run.Set, error) {
	m, err := s.LowerGPU(ptx.SM80)
	if err != nil {
		return nil, err
	}
	fs := m.Funcs()
	target := run.Target{}
	for _, k := range m.Kernels {
		target.Kernels = append(target.Kernels, run.Kernel{
			Name: k.Func.Name, Tile: k.Tile, Threads: k.Func.Threads, Shared: k.Func.Shared,
			Unit: k.A.Unit, AK: k.A.KMajor, BK: k.B.KMajor, Wide: k.Wide,
		})
	}
	for _, j := range m.Joins {
		target.Joins = append(target.Joins, j.Name)
	}
	for _, f := range fs {
		if translate != nil {
			if err := emit.Inline(f, translate); err != nil {
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
	set := &run.Set{Name: "test." + m.Name, A: m.A, B: m.B, Plain: m.Body == nil, Targets: []run.Target{target}}
	for _, s := range m.Slots {
		slot := run.Slot{Name: s.Name, Type: s.Type}
		switch s.Kind {
		case gemm.OutputSlot:
			slot.Kind = run.Output
		case gemm.OperandSlot:
			slot.Kind = map[gemm.Pattern]run.Kind{gemm.RowPattern: run.Row, gemm.ColumnPattern: run.Column, gemm.FullPattern: run.Full, gemm.ScalarPattern: run.Scalar}[s.Pattern]
		default:
			slot.Kind = run.Partial
			if s.Kind == gemm.IndexSlot {
				slot.Kind = run.Index
			}
			r := m.Body.Reduces[s.Reduce]
			slot.Col = r.Col
			if r.Op == gemm.ArgMax || r.Op == gemm.ArgMin {
				slot.Reduce = run.Indices
			}
		}
		set.Slots = append(set.Slots, slot)
	}
	return set, nil
}

// cached makes a set once for all tests.
func cached(s spec, translate func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error)) func() *run.Set {
	return sync.OnceValue(func() *run.Set {
		set, err := newSet(s, translate)
		if err != nil {
			panic(err)
		}
		return set
	})
}

// The functions below are what generated code looks like.

var matMulBF16 = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16"}, nil)

func MatMulBF16(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[dtype.BF16]) error {
	c := run.Begin(matMulBF16(), s, opt)
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}

// addBias is an epilogue; addBiasIR is what gen makes of it.
func addBias(acc, bias float32) float32 { return acc + bias }

func addBiasIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	return []*emit.Value{b.Add(op.Args[0], op.Args[1])}, nil
}

var biased = cached(gemm.Spec[float32, float32, float32, float32]{Name: "Biased",
	Epilogue: gemm.Map2(addBias, gemm.PerColumn[float32]("bias")).RowMax("peak").RowArgMax("at").ColSum("sums")}, addBiasIR)

func Biased(s cuda.Stream, out cuda.Matrix[float32], peak cuda.Slice[float32], at cuda.Slice[int32], sums cuda.Slice[float32], a, b cuda.Matrix[float32], bias cuda.Slice[float32]) error {
	c := run.Begin(biased(), s, run.Options{})
	run.Out(c, out)
	run.Reduced(c, peak)
	run.Reduced(c, at)
	run.Reduced(c, sums)
	run.A(c, a)
	run.B(c, b)
	run.PerColumn(c, bias)
	return c.Launch()
}

var matMulF32 = cached(gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32"}, nil)

func MatMulF32(s cuda.Stream, out, a, b cuda.Matrix[float32]) error {
	c := run.Begin(matMulF32(), s, run.Options{})
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}
