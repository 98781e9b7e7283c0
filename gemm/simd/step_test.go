package simd

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// logAdd is the logarithm of a sum of numbers that have logarithms x and y.
func logAdd(x, y float32) float32 {
	most, least := float64(max(x, y)), float64(min(x, y))
	if math.IsInf(most, 0) {
		return float32(most)
	}
	return float32(most + math.Log1p(math.Exp(least-most)))
}

func logMul(x, y float32) float32 { return x + y }

var logSum = semiring.Semiring[float32]{Name: "logsum", Zero: float32(math.Inf(-1)), Plus: logAdd, Times: logMul}

// foreign is a translator for which every Go function is a chain of additions.
type foreign struct {
	unit.Translator
	widest    emit.Elem
	additions int
}

func (x foreign) Widest(any) (emit.Elem, error)         { return x.widest, nil }
func (x foreign) Fits(emit.Target, ...*emit.Func) error { return nil }

func (x foreign) Inline(fs ...*emit.Func) error {
	for _, f := range fs {
		if err := f.Inline(func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
			v := op.Args[0]
			for range x.additions {
				v = b.Add(v, op.Args[1])
			}
			return []*emit.Value{v}, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// TestWideStep: if a step of float32 computes in float64, vectors have as many lanes as a register of
// float64, and every kernel, those that pack too, is right with them.
func TestWideStep(t *testing.T) {
	wide := Options{Widest: func(any) (emit.Elem, error) { return emit.F64, nil }}
	for _, target := range []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON} {
		d := gemm.Spec[float32, float32, float32, float32]{Name: "Log", Operator: gemm.Over(logSum), Tile: tiling.Micro{MR: 2, NV: 2}}.Describe()
		m, err := Lower(d, target, wide)
		if err != nil {
			t.Fatal(err)
		}
		if want := target.Lanes(emit.F64); m.VL != want {
			t.Errorf("%s: vectors of %d lanes, want %d", target.Name, m.VL, want)
		}
		for _, k := range m.kernels() {
			if len(k.calls) > 0 && k.calls[0].mr > 0 {
				k.check = func(c call, f *emit.Func) error {
					c.join = func(old, acc float64) float64 { return float64(logAdd(float32(old), float32(acc))) }
					return c.against(f, func(i, j int) float64 {
						acc := logSum.Zero
						for k := range c.k {
							acc = logAdd(acc, logMul(float32(number(1, i, k)), float32(number(2, k, j))))
						}
						return float64(acc)
					})
				}
			}
			if err := k.run(k.f); err != nil {
				t.Errorf("%s: %v", k.f.Name, err)
			}
		}
	}
}

// TestLongStep: the tile is the largest that registers allow for a small step. The larger a step is, the
// fewer sums a tile has, and the kernels of a tile that the spec does not name have no more operations of
// Go functions than they should.
func TestLongStep(t *testing.T) {
	last := 0
	for _, additions := range []int{smallStep / 2, 20, 80, mostApplied} {
		for _, named := range []tiling.Micro{{}, {MR: 3, NV: 2}} {
			if additions == mostApplied && named != (tiling.Micro{}) {
				continue // much text
			}
			c := &unit.Context{Translator: foreign{widest: emit.F32, additions: additions}}
			m, err := lowerFor(c, gemm.Spec[float32, float32, float32, float32]{Name: "Log", Operator: gemm.Over(logSum), Tile: named}.Describe(), amd64.AVX2)
			if err != nil {
				t.Fatal(err)
			}
			tile, n := tiling.Micro{MR: m.MR, NV: m.NV}, 0
			for _, f := range m.Funcs {
				n += operations(f)
			}
			step, err := StepOf(m.Op.(gemm.Semiring), c.Inline)
			if err != nil || step.Operations != 2*additions || step.Plus != additions {
				t.Fatalf("a step is %+v, %v", step, err)
			}
			usual := tiling.Registers(amd64.AVX2.Regs)
			switch {
			case named != tiling.Micro{}:
				if tile != named {
					t.Errorf("%d additions: tile %v, and the spec names %v", additions, tile, named)
				}
			case !step.Large():
				if tile != usual {
					t.Errorf("%d additions: tile %v, want %v", additions, tile, usual)
				}
				last = tile.MR * tile.NV
			case tile.MR*tile.NV >= last && last > 1:
				t.Errorf("%d additions: tile %v has as many sums as that of a smaller step", additions, tile)
			case n > 2*mostApplied && tile != tiling.Micro{MR: 1, NV: 1}: // and as many that load and store
				t.Errorf("%d additions: %d operations in kernels for tile %v", additions, n, tile)
			default:
				last = tile.MR * tile.NV
			}
		}
	}
	if last != 1 {
		t.Errorf("the tile of a huge step has %d sums", last)
	}
}
