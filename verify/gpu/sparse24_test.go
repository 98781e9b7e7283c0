package gpu

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

func sparseTile(size int) tiling.GPU {
	return tiling.GPU{BM: 32, BN: 64, BK: 128 / size, WM: 32, WN: 32, Stages: 3}
}

func plain24[Acc dtype.Sum, A sparse24.Elem, B, C dtype.Elem](set *run.Set) Case {
	return Plain24[Acc](set, func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Sparse24[A], b cuda.Matrix[B]) error {
		call := run.Begin(set, s, opt)
		run.Out(call, out)
		run.A24(call, a)
		run.B(call, b)
		return call.Launch()
	})
}

type bf16 = dtype.BF16

// sparseTypes are the sparse products of every type, and one with an epilogue.
func sparseTypes() []typed {
	return []typed{
		typedOf(gemm.Spec[bf16, bf16, float32, bf16]{Name: "SparseBF16", Sparse: gemm.Sparse24, GPU: sparseTile(2)}, ptx.SM80, nil, plain24[float32, bf16, bf16, bf16]),
		typedOf(gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "SparseF16", Sparse: gemm.Sparse24, GPU: sparseTile(2)}, ptx.SM80, nil, plain24[float32, dtype.F16, dtype.F16, float32]),
		typedOf(gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "SparseF16Sums", Operator: gemm.F16Sums, Sparse: gemm.Sparse24, GPU: sparseTile(2)}, ptx.SM80, nil,
			func(set *run.Set) Case {
				return plain24[float32, dtype.F16, dtype.F16, float32](set).With(F16Sums)
			}),
		typedOf(gemm.Spec[float32, float32, float32, float32]{Name: "SparseTF32", Operator: gemm.TF32, Sparse: gemm.Sparse24, GPU: sparseTile(4)}, ptx.SM80, nil,
			func(set *run.Set) Case {
				return plain24[float32, float32, float32, float32](set).With(TF32)
			}),
		typedOf(gemm.Spec[uint8, int8, int32, int32]{Name: "SparseU8I8", Sparse: gemm.Sparse24, GPU: sparseTile(1)}, ptx.SM80, nil, plain24[int32, uint8, int8, int32]),
		typedOf(gemm.Spec[dtype.F8E5M2, dtype.F8E4M3, float32, bf16]{Name: "SparseE5M2E4M3", Sparse: gemm.Sparse24, GPU: sparseTile(1)}, ptx.SM89, nil, plain24[float32, dtype.F8E5M2, dtype.F8E4M3, bf16]),
		sparseLayer(),
	}
}

func addScaled(sum, bias, scale float32) float32 { return (sum + bias) * scale }

// sparseLayer ends in an epilogue, and reduces its rows.
func sparseLayer() typed {
	spec := gemm.Spec[bf16, bf16, float32, float32]{Name: "SparseLayer", Sparse: gemm.Sparse24, GPU: sparseTile(2),
		Epilogue: gemm.Map3(addScaled, gemm.PerColumn[float32]("bias"), gemm.PerRow[float32]("scale")).RowMax("peak")}
	translate := func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
		return []*emit.Value{b.Mul(b.Add(op.Args[0], op.Args[1]), op.Args[2])}, nil
	}
	return typedOf(spec, ptx.SM80, translate, func(set *run.Set) Case {
		return Pruned[bf16](Case{Kernels: set, Strict: true,
			Launch: func(c *Call) error {
				call := run.Begin(set, c.Stream, c.Options)
				run.Out(call, Out[float32](c, 0))
				run.A24(call, A24[bf16](c))
				run.B(call, B[bf16](c))
				run.PerColumn(call, Column[float32](c, 1))
				run.PerRow(call, Row[float32](c, 2))
				run.Reduced(call, Reduced[float32](c, 3))
				return call.Launch()
			},
			Case: check.Case{Name: "SparseLayer", A: dtype.TypeBF16, B: dtype.TypeBF16, Acc: dtype.F32,
				Slots: []check.Slot{{Type: dtype.F32, Out: true}, {Type: dtype.F32, Col: true}, {Type: dtype.F32, Row: true},
					{Name: "peak", Type: dtype.F32, Reduced: true, Reduce: reduce.Max, Row: true}},
				Results: func(p *check.Problem, sum float64, i, j int) []float64 {
					return []float64{float64(addScaled(float32(sum), float32(p.At(1, i, j)), float32(p.At(2, i, j))))}
				},
			},
		})
	})
}

// What is not stored is not multiplied; what is stored and zero is.
func TestSparseSpecials(t *testing.T) {
	set := setOf(t, gemm.Spec[bf16, bf16, float32, float32]{Name: "SparseSpecials", Sparse: gemm.Sparse24, GPU: sparseTile(2)}, nil, ptx.SM80)
	d, err := emu.Open(emu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	one, inf := dtype.ToBF16[float32](1), dtype.ToBF16(float32(math.Inf(1)))
	a, b := layout.New[bf16](2, 4), layout.New[bf16](4, 1)
	a.Set(0, 2, one) // stored with the zero after it
	a.Set(1, 2, one)
	a.Set(1, 3, one)
	for k, x := range []bf16{inf, inf, one, one} {
		b.Set(k, 0, x)
	}
	m, err := sparse24.Pack(a)
	if err != nil {
		t.Fatal(err)
	}
	up, err := cuda.UploadSparse24(s, m)
	if err != nil {
		t.Fatal(err)
	}
	y, err := cuda.From(s, b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cuda.New[float32](d, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	product := func(opt run.Options) error {
		call := run.Begin(set, s, opt)
		run.Out(call, out)
		run.A24(call, up)
		run.B(call, y)
		return call.Launch()
	}
	if err := product(run.Options{}); err != nil {
		t.Fatal(err)
	}
	have, err := out.Data.Download(s)
	if err != nil || have[0] != 1 || have[1] != 2 {
		t.Errorf("%v, %v; want 1 and 2", have, err)
	}

	// A dense a is refused, and a sparse one where a dense one is wanted.
	call := run.Begin(set, s, run.Options{})
	run.Out(call, out)
	dense, err := cuda.New[bf16](d, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	run.A(call, dense)
	run.B(call, y)
	if err := call.Launch(); err == nil || !strings.Contains(err.Error(), "the metadata of a was not handed over") {
		t.Error(err)
	}
	call = run.Begin(kernels.MatMulBF16.Kernels(), s, run.Options{})
	run.A24(call, up)
	if err := call.Launch(); err == nil {
		t.Error("a sparse a is taken by a dense product")
	}
}
