package gpu

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/driver"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// tileOf is a tile for elements of so many bytes that is as small as can be.
func tileOf(size int) tiling.GPU {
	return tiling.GPU{BM: 32, BN: 64, BK: 64 / size, WM: 32, WN: 32, Stages: 3}
}

func plainOf[Acc dtype.Sum, A, B, C dtype.Elem](set *run.Set) Case {
	return PlainOf[Acc](set, func(s cuda.Stream, opt run.Options, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B]) error {
		call := run.Begin(set, s, opt)
		run.Out(call, out)
		run.A(call, a)
		run.B(call, b)
		return call.Launch()
	})
}

// A typed is the kernels of one combination of types, for one target.
type typed struct {
	spec      kernels.Spec
	target    emit.Target
	translate kernels.Translate
	check     func(t *testing.T, set *run.Set)
	sample    func(t *testing.T, set *run.Set, turn int)
	family    func(t testing.TB, c typed) family
}

func typedOf(spec kernels.Spec, target emit.Target, translate kernels.Translate, c func(set *run.Set) Case) typed {
	return typed{spec, target, translate,
		func(t *testing.T, set *run.Set) { Check(t, driver.Open, c(set)) },
		func(t *testing.T, set *run.Set, turn int) {
			sampleOf(t, c(set), turn)
			onDriver(t, driver.Open, c(set))
		},
		func(t testing.TB, ty typed) family { return familyOf(t, ty.spec, ty.target, ty.translate, c) }}
}

// types are the products of every type that tensor cores have, beside bf16 and f16, and one
// with a tile of as few rows as an instruction has.
func types() []typed {
	return []typed{
		typedOf(gemm.Spec[float32, float32, float32, float32]{Name: "MatMulTF32", Operator: gemm.TF32, GPU: tileOf(4)}, ptx.SM80, nil,
			func(set *run.Set) Case {
				return plainOf[float32, float32, float32, float32](set).With(TF32)
			}),
		typedOf(gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "MatMulF16Sums", Operator: gemm.F16Sums, GPU: tileOf(2)}, ptx.SM80, nil,
			func(set *run.Set) Case {
				return plainOf[float32, dtype.F16, dtype.F16, float32](set).With(F16Sums)
			}),
		typedOf(gemm.Spec[float64, float64, float64, float64]{Name: "MatMulF64", GPU: tileOf(8)}, ptx.SM80, nil, plainOf[float64, float64, float64, float64]),
		typedOf(gemm.Spec[float64, float64, float64, float64]{Name: "MatMulF64x16", GPU: tiling.GPU{BM: 32, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 2}}, ptx.SM90, nil, plainOf[float64, float64, float64, float64]),
		typedOf(gemm.Spec[int8, int8, int32, int32]{Name: "MatMulI8", GPU: tileOf(1)}, ptx.SM80, nil, plainOf[int32, int8, int8, int32]),
		typedOf(gemm.Spec[int8, uint8, int32, int32]{Name: "MatMulI8U8", GPU: tileOf(1)}, ptx.SM80, nil, plainOf[int32, int8, uint8, int32]),
		typedOf(gemm.Spec[uint8, uint8, int32, int32]{Name: "MatMulU8", GPU: tileOf(1)}, ptx.SM80, nil, plainOf[int32, uint8, uint8, int32]),
		requantised(),
		zeroed("ZeroPoints", "az", "bz"), zeroed("ZeroOfA", "az", ""), zeroed("ZeroOfB", "", "bz"),
		typedOf(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16FewRows", GPU: tiling.GPU{BM: 16, BN: 64, BK: 32, WM: 16, WN: 32, Stages: 3}}, ptx.SM80, nil,
			plainOf[float32, dtype.BF16, dtype.BF16, dtype.BF16]),
		typedOf(gemm.Spec[dtype.F8E4M3, dtype.F8E4M3, float32, dtype.BF16]{Name: "MatMulE4M3", GPU: tileOf(1)}, ptx.SM89, nil, plainOf[float32, dtype.F8E4M3, dtype.F8E4M3, dtype.BF16]),
		typedOf(gemm.Spec[dtype.F8E5M2, dtype.F8E4M3, float32, float32]{Name: "MatMulE5M2E4M3", GPU: tileOf(1)}, ptx.SM89, nil, plainOf[float32, dtype.F8E5M2, dtype.F8E4M3, float32]),
	}
}

// requantise is what a layer of 8-bit integers ends in: a bias, a scale, and the nearest int8.
func requantise(sum, bias int32, scale float32) int8 {
	x := math.RoundToEven(float64(float32(sum+bias) * scale))
	return int8(max(-128, min(127, x)))
}

func requantised() typed {
	spec := gemm.Spec[uint8, int8, int32, int8]{Name: "Requantised", GPU: tileOf(1),
		Epilogue: gemm.Map3(requantise, gemm.PerColumn[int32]("bias"), gemm.PerRow[float32]("scale"))}
	translate := func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
		x := b.Mul(b.Cvt(emit.F32, "rne", b.Add(op.Args[0], op.Args[1])), op.Args[2])
		c := func(v float64) *emit.Value { return b.Const(x.Type, v) }
		x = b.Op("round", emit.Attr{Name: "rne"}, []emit.Type{x.Type}, x)[0]
		x = b.Select(b.Cmp("lt", c(127), x), c(127), x)
		x = b.Select(b.Cmp("lt", x, c(-128)), c(-128), x)
		return []*emit.Value{b.Trunc(emit.I8, b.Cvt(emit.I32, "trunc", x))}, nil
	}
	return typedOf(spec, ptx.SM80, translate, func(set *run.Set) Case {
		return Case{Kernels: set, Strict: true,
			Launch: func(c *Call) error {
				call := run.Begin(set, c.Stream, c.Options)
				run.Out(call, Out[int8](c, 0))
				run.A(call, A[uint8](c))
				run.B(call, B[int8](c))
				run.PerColumn(call, Column[int32](c, 1))
				run.PerRow(call, Row[float32](c, 2))
				return call.Launch()
			},
			Case: check.Case{Name: "Requantised", A: dtype.U8, B: dtype.I8, Acc: dtype.I32, Strict: true,
				Slots: []check.Slot{{Type: dtype.I8, Out: true}, {Type: dtype.I32, Col: true}, {Type: dtype.F32, Row: true}},
				Results: func(p *check.Problem, sum float64, i, j int) []float64 {
					return []float64{float64(requantise(int32(sum), int32(p.At(1, i, j)), float32(p.Load(2, 0, i))))}
				},
			},
		}
	})
}

// zeroed is a product of bytes above zero points, whose function adds a number, so that scalars
// of both kinds are handed over.
func zeroed(name, az, bz string) typed {
	spec := gemm.Spec[uint8, int8, int32, int32]{Name: name, GPU: tileOf(1), Grouped: az != "" && bz != "",
		Epilogue: gemm.Map2(func(sum, more int32) int32 { return sum + more }, gemm.Scalar[int32]("more")).ZeroPoints(az, bz)}
	translate := func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
		return []*emit.Value{b.Add(op.Args[0], op.Args[1])}, nil
	}
	atB, zeroType := 2, dtype.I8 // of the slots of zero points
	if az != "" {
		atB, zeroType = 3, dtype.U8
	}
	return typedOf(spec, ptx.SM80, translate, func(set *run.Set) Case {
		return Case{Kernels: set, Strict: true,
			Launch: func(c *Call) error {
				call := run.Begin(set, c.Stream, c.Options)
				run.Out(call, Out[int32](c, 0))
				run.A(call, A[uint8](c))
				run.B(call, B[int8](c))
				run.One(call, Scalar[int32](c, 1))
				if az != "" {
					run.One(call, Scalar[uint8](c, 2)|128)
				}
				if bz != "" {
					run.One(call, Scalar[int8](c, atB))
				}
				return call.Launch()
			},
			Case: check.Case{Name: name, A: dtype.U8, B: dtype.I8, Acc: dtype.I32, Strict: true,
				Slots: []check.Slot{{Type: dtype.I32, Out: true}, {Type: dtype.I32}, {Type: zeroType}, {Type: dtype.I8}},
				Zeros: func(p *check.Problem) (za, zb float64) {
					if az != "" {
						za = float64(uint8(p.At(2, 0, 0)) | 128) // which is no int8
					}
					if bz != "" {
						zb = p.At(atB, 0, 0)
					}
					return za, zb
				},
				Results: func(p *check.Problem, sum float64, i, j int) []float64 {
					return []float64{float64(int32(sum) + int32(p.At(1, i, j)))}
				},
			},
		}
	})
}

// work is how much a trial multiplies, with its group.
func work(tr Trial) int {
	n := (tr.Shape.K + 16) * tr.Shape.M * tr.Shape.N * max(tr.Batch, 1)
	for _, x := range tr.Group {
		n += work(x)
	}
	return n
}

// sampleOf runs each kernel of a case once on the emulator, with one of the smallest quarter of its trials, and every third of
// the other trials: which, depends on turn.
func sampleOf(t *testing.T, c Case, turn int) {
	t.Run("device=emu", func(t *testing.T) {
		h, err := cuda.ReadHeader(c.Kernels.Targets[0].PTX)
		if err != nil {
			t.Fatal(err)
		}
		d, err := emu.Open(emu.Options{Seed: 1, Async: emu.Latest, Major: h.Major, Minor: h.Minor})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		defer c.Kernels.Forget(d)
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		all := Trials(c, d.Info(), false)
		for i := 0; i < len(all); {
			n := 1 // trials of one kernel follow each other
			for i+n < len(all) && all[i].Kernel != "" && all[i+n].Kernel == all[i].Kernel {
				n++
			}
			turn++
			of := slices.Clone(all[i : i+n])
			slices.SortStableFunc(of, func(x, y Trial) int { return cmp.Compare(work(x), work(y)) })
			if tr := of[turn%((n+3)/4)]; tr.Kernel != "" || turn%3 == 0 {
				if err := tr.Run(s); err != nil {
					t.Errorf("%v: %v", tr, err)
				}
			}
			i += n
		}
	})
}

// TestTypes: the kernels of every type that tensor cores have. A long test makes all trials of the types that have
// their turn.
func TestTypes(t *testing.T) {
	all := append(types(), sparseTypes()...)
	whole := level.Pick(len(all), 0, 0)
	for _, i := range level.Of([]int{3, 14}, upTo(len(all)), upTo(len(all))) {
		c := all[i]
		t.Run(fmt.Sprint(c.spec.Describe().Name, " ", c.target.Name), func(t *testing.T) {
			set := setOf(t, c.spec, c.translate, c.target)
			if slices.Contains(whole, i) {
				c.check(t, set)
			} else {
				c.sample(t, set, i)
			}
		})
	}
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

var sets sync.Map // of functions that return a set, by the names of spec and target

// setOf is the set of a spec, which is made once: that takes longer than most of what a test does with it.
func setOf(t testing.TB, spec kernels.Spec, translate kernels.Translate, target emit.Target) *run.Set {
	t.Helper()
	made, _ := sets.LoadOrStore(spec.Describe().Name+" "+target.Name, sync.OnceValues(func() (*run.Set, error) {
		return kernels.SetFor("mutants", spec, translate, target)
	}))
	set, err := made.(func() (*run.Set, error))()
	if err != nil {
		t.Fatal(err)
	}
	return set
}
