package simd

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// maxPlus is the semiring of longest paths: acc = max(acc, x + y).
type maxPlus struct{ elem emit.Elem }

func (o maxPlus) String() string               { return "maxplus." + o.elem.String() }
func (o maxPlus) Types() (a, b, acc emit.Elem) { return o.elem, o.elem, o.elem }

func (o maxPlus) Identity(b *emit.Builder, t emit.Type) *emit.Value {
	return b.Const(t, math.Inf(-1))
}

func (o maxPlus) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return b.Op("max", emit.Attr{}, []emit.Type{acc.Type}, acc, b.Add(x, y))[0]
}

// A new operator goes through the same main loop, and through the backend.
func TestOperator(t *testing.T) {
	check := func(c call, f *emit.Func) error {
		return c.against(f, func(i, j int) float64 {
			acc := math.Inf(-1)
			for k := range c.k {
				acc = max(acc, number(1, i, k)+number(2, k, j))
			}
			return acc
		})
	}
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		tile := tiling.Registers(target.Regs)
		switch target {
		case amd64.AVX2:
			tile.MR-- // the sum needs a register, and a mask of AVX2 is one as well
		case arm64.NEON:
			tile.MR -= 3 // and a comparison that chooses the greater
		}
		for _, c := range []struct {
			spec spec
			want [2]string // the two instructions of a step, on amd64
		}{
			{gemm.Spec[float32, float32, float32, float32]{Name: "Longest", Operator: maxPlus{emit.F32}, Tile: tile}, [2]string{"VADDPS", "VMAXPS"}},
			{gemm.Spec[float64, float64, float64, float64]{Name: "Longest", Operator: maxPlus{emit.F64}, Tile: tile}, [2]string{"VADDPD", "VMAXPD"}},
		} {
			m := lower(t, c.spec, target)
			full := m.Tile(kernel.Panel, m.MR, m.NV)
			tail := m.Tile(kernel.Tail, 2, m.NV)
			for _, k := range m.kernels() {
				if k.f.Name != full && k.f.Name != tail {
					continue
				}
				k.check = check
				if err := k.run(k.f); err != nil {
					t.Error(err)
				}
			}
			var asm strings.Builder
			backend := gemmtest.Backend(target)
			for _, f := range m.Funcs {
				if err := emit.Run(f, backend.Passes(target), nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := backend.Print(&asm, target, "", m.Funcs); err != nil {
				t.Fatal(err)
			}
			if target.Arch != amd64.AVX2.Arch {
				continue
			}
			_, text, _ := strings.Cut(asm.String(), "·"+full+"(SB)")
			text, _, _ = strings.Cut(text, "RET")
			steps := m.MR * m.NV
			copies := 1 + 4 // rounds of four steps of k, and what is left one by one
			if steps > 20 {
				copies = 1 + 2
			}
			for _, mnemonic := range c.want {
				if n := strings.Count(text, "\t"+mnemonic+" "); n != steps*copies {
					t.Errorf("%s: %s has %d %s, want %d", target.Name, full, n, mnemonic, steps*copies)
				}
			}
			// Only the update of C multiplies and adds.
			if n := strings.Count(text, "\tVFMADD"); n != steps {
				t.Errorf("%s: %s has %d fused multiply-adds, want %d", target.Name, full, n, steps)
			}
		}
	}
}

// What max and min in the op table mean, which is what VMAXPS and VMINPS do.
func TestMaxMin(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	f64 := emit.Scalar(emit.F64)
	for _, c := range []struct{ x, y, max, min float64 }{
		{1, 2, 2, 1}, {2, 1, 2, 1}, {-inf, inf, inf, -inf}, {3, nan, nan, nan}, {nan, 3, 3, 3}, {0, zero, zero, zero}, {zero, 0, 0, 0}, {5e-324, 0, 5e-324, 0},
	} {
		out := emit.NewMemory("C", emit.Generic, 16)
		f, err := emit.Build("f", []emit.Arg{{Name: "c", Type: emit.Ptr}, {Name: "x", Type: f64, Offset: 8}, {Name: "y", Type: f64, Offset: 16}}, func(b *emit.Builder) {
			x, y, p := b.Param("x", f64), b.Param("y", f64), b.Param("c", emit.Ptr)
			b.Store(b.Op("max", emit.Attr{}, []emit.Type{f64}, x, y)[0], emit.At(p, 0))
			b.Store(b.Op("min", emit.Attr{}, []emit.Type{f64}, x, y)[0], emit.At(p, 8))
		})
		if err != nil {
			t.Fatal(err)
		}
		m := &emit.Machine{}
		m.Bind("c", emit.PtrTo(out, 0))
		m.Bind("x", emit.F64Word(c.x))
		m.Bind("y", emit.F64Word(c.y))
		if err := m.Run(f); err != nil {
			t.Fatal(err)
		}
		var have [2]float64
		out.Decode(have[:])
		for i, want := range []float64{c.max, c.min} {
			if math.Float64bits(have[i]) != math.Float64bits(want) {
				t.Errorf("%s(%g, %g) = %g, want %g", []string{"max", "min"}[i], c.x, c.y, have[i], want)
			}
		}
	}
}
