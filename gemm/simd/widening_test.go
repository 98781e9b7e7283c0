package simd

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// narrowSpecs are products whose B is widened.
var narrowSpecs = map[dtype.Type]spec{
	dtype.TypeF16:  gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "F16"},
	dtype.TypeBF16: gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "BF16"},
}

// widening lists the kernels that widen, with their calls.
func (m *Module) widening() []checked {
	byName := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	base := call{elem: gemm.ElemOf(m.Elem), vl: m.VL}
	var out []checked
	for _, t := range m.Widening.Entries {
		if t.F == "" {
			continue
		}
		c := base
		c.mr, c.nv = t.MR, t.NV
		calls := microCalls(c, edges(m.VL))
		for i := range calls { // they know no alpha and no beta
			calls[i].alpha, calls[i].beta = 1, 1
		}
		from := gemm.ElemOf(m.B)
		out = append(out, checked{byName[t.F], func(c call, f *emit.Func) error { return c.widened(f, from) }, calls})
	}
	return out
}

// widened is micro for a packed B of elements of type from: whole vectors of them, of which
// those beyond n hold what no element may see.
func (c call) widened(f *emit.Func, from emit.Elem) error {
	rows, cols, wide := c.mr*c.tiles, (c.nv-1)*c.vl+c.n, c.nv*c.vl
	a, _, out := c.operands(rows, cols)
	size := int64(from.Bytes())
	b := newArray("B", from, size, int64(c.k), int64(wide), int64(wide+5)*size, size)
	b.fill(c.k, wide, func(k, j int) float64 {
		if j >= cols {
			return 1000
		}
		return number(2, k, j)
	})
	if err := c.machine(a, b, out).Run(f); err != nil {
		return err
	}
	return c.finished(out, rows, cols, dotted(c.k))
}

// Every kernel that widens against plain loops.
func TestLowerWidening(t *testing.T) {
	for e, s := range narrowSpecs {
		for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
			m := lower(t, s, target)
			if m.Widening == nil {
				if _, fma := m.Op.(gemm.FMA); fma {
					t.Errorf("%v on %s has no kernels that widen", e, target.Name)
				}
				continue
			}
			t.Run(fmt.Sprintf("%v/%s", e, target.Name), func(t *testing.T) {
				t.Parallel()
				ks := m.widening()
				if want := m.MR * 2; len(ks) != want {
					t.Errorf("%d kernels widen, want %d", len(ks), want)
				}
				for _, k := range ks {
					k.calls = some(k.calls)
					if err := k.run(k.f); err != nil {
						t.Error(err)
					}
				}
				if w := m.Widening; isaset.Plain(m.Target.Name) != m.Target.Name || w.MR != m.MR || w.NV != m.NV || w.VL != m.VL {
					t.Errorf("kernels of %d x %d vectors of %d lanes widen on %s, others have %d x %d of %d", w.MR, w.NV, w.VL, m.Target.Name, m.MR, m.NV, m.VL)
				}
			})
		}
	}
}
