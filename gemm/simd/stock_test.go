package simd

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestStock: what a spec shares is, but for names, what it would have of its own.
func TestStock(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("stock kernels are made again and compared")
	}
	stock32 := gemm.Spec[float32, float32, float32, float32]{Name: "S", Standalone: true}
	stock64 := gemm.Spec[float64, float64, float64, float64]{Name: "S", Standalone: true}
	type made struct {
		*Module
		texts map[string]string
	}
	stock := map[string]made{}
	stockOf := func(s spec, target emit.Target) made {
		key := fmt.Sprint(s.Describe().A, s.Describe().Acc, target.Name)
		if _, ok := stock[key]; !ok {
			m := lower(t, s, target)
			stock[key] = made{m, texts(m)}
		}
		return stock[key]
	}
	for _, c := range []struct {
		name         string
		spec, stock  spec
		shares, pack bool
	}{
		{"plain", gemm.Spec[float32, float32, float32, float32]{Name: "X"}, stock32, true, true},
		{"epilogue", gemm.Spec[float32, float32, float32, float32]{Name: "X", Epilogue: gemm.Map1(act.ReLU[float32])}, stock32, true, true},
		{"epilogue, f64", gemm.Spec[float64, float64, float64, float64]{Name: "X", Epilogue: gemm.Map1(act.ReLU[float64]).RowMax("peak")}, stock64, true, true},
		{"bf16", gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "X"}, stock32, true, false},
		{"one f16", gemm.Spec[float32, dtype.F16, float32, float32]{Name: "X"}, stock32, true, false},
		{"tile", gemm.Spec[float32, float32, float32, float32]{Name: "X", Tile: tiling.Micro{MR: 4, NV: 1}}, stock32, false, false},
		{"shape", gemm.Spec[float32, float32, float32, float32]{Name: "X", Shape: gemm.Shape{N: 40, K: 8}}, stock32, false, false},
		{"standalone", gemm.Spec[float32, float32, float32, float32]{Name: "X", Standalone: true}, stock32, false, false},
	} {
		for _, target := range gemm.CPUTargets() {
			t.Run(c.name+"/"+target.Name, func(t *testing.T) {
				m, s := lower(t, c.spec, target), stockOf(c.stock, target)
				if packs := m.packStock(m.B) != nil; m.Stock != c.shares || packs != c.pack {
					t.Fatalf("shares kernels %v, packers %v; want %v and %v", m.Stock, packs, c.shares, c.pack)
				}
				own := map[*emit.Func]bool{}
				for _, f := range m.Own() {
					own[f] = true
				}
				if !m.Stock {
					if len(own) != len(m.Funcs) {
						t.Errorf("%d of %d kernels are its own", len(own), len(m.Funcs))
					}
					return
				}
				theirs := maps.Clone(s.texts)
				widen := ""
				if m.Widening != nil {
					w := stockOf(narrowSpecs[m.B], target)
					widen = (&lowering{name: w.Name, target: target}).prefix()
					maps.Copy(theirs, w.texts)
				}
				shared := 0
				for _, f := range m.Funcs {
					if own[f] {
						continue
					}
					shared++
					name := strings.Replace(f.Name, "x_", "s_", 1)
					if strings.HasSuffix(name, "widen") {
						name = strings.Replace(name, "s_"+target.Name, widen, 1)
					}
					if have, want := textOf(f, f.Name), theirs[name]; have != want {
						t.Errorf("%s is not the stock kernel %s:\n%s\nwant\n%s", f.Name, name, have, want)
					}
				}
				if shared < 40 {
					t.Errorf("only %d kernels are shared", shared)
				}
				// The tables name the same kernels in the same places.
				tables := func(m *Module) string {
					return strings.ReplaceAll(fmt.Sprint(m.MR, m.NV, m.VL, m.Entries), "x_", "s_")
				}
				if have, want := tables(m), tables(s.Module); have != want {
					t.Errorf("tables: %s, want %s", have, want)
				}
			})
		}
	}
}

// textOf is a function's text without its name.
func textOf(f *emit.Func, name string) string { return strings.ReplaceAll(f.String(), name, "f") }

func texts(m *Module) map[string]string {
	all := map[string]string{}
	for _, f := range m.Funcs {
		all[f.Name] = textOf(f, f.Name)
	}
	return all
}
