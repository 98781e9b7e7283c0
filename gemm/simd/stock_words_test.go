package simd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestStockWords: what a spec of narrow elements shares is, but for names, what it would have of
// its own, on every target that it is generated for: kernels that multiply, and those that
// pack each operand.
func TestStockWords(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("stock kernels are made again and compared")
	}
	stock := map[string]spec{
		"SGEMM": gemm.Spec[float32, float32, float32, float32]{Name: "S", Standalone: true},
		"BF16":  gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "S", Standalone: true},
		"I16":   gemm.Spec[int16, int16, int32, int32]{Name: "S", Standalone: true},
		"U8I8":  gemm.Spec[uint8, int8, int32, int32]{Name: "S", Standalone: true},
		"I8U8":  gemm.Spec[int8, uint8, int32, int32]{Name: "S", Standalone: true},
		"I8":    gemm.Spec[int8, int8, int32, int32]{Name: "S", Standalone: true},
		"U8":    gemm.Spec[uint8, uint8, int32, int32]{Name: "S", Standalone: true},
	}
	made := map[origin]*Module{}
	theirs := func(o *origin) *Module {
		if made[*o] == nil {
			all := slices.Concat(amd64.Targets(), arm64.Targets())
			at := slices.IndexFunc(all, func(c emit.Target) bool { return c.Name == o.ISA })
			made[*o] = lower(t, stock[o.Name], all[at])
		}
		return made[*o]
	}
	printed := map[*Module]map[string]string{}
	bodiesOf := func(m *Module) map[string]string {
		if printed[m] == nil {
			printed[m] = bodies(m)
		}
		return printed[m]
	}
	packers := func(m *Module) any { return &m.Pack }
	cases := []struct {
		name string
		spec spec
		// same says whether the operands have packers of one kind.
		same bool
	}{
		{"bf16", gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "X"}, true},
		{"i16", gemm.Spec[int16, int16, int32, int32]{Name: "X"}, true},
		{"u8 i8", gemm.Spec[uint8, int8, int32, int32]{Name: "X"}, false},
		{"i8 u8", gemm.Spec[int8, uint8, int32, int32]{Name: "X"}, false},
		{"i8", gemm.Spec[int8, int8, int32, int32]{Name: "X"}, true},
		{"u8", gemm.Spec[uint8, uint8, int32, int32]{Name: "X"}, true},
		{"i8 i16", gemm.Spec[int8, int16, int32, int32]{Name: "X"}, false},
		{"i16 u8", gemm.Spec[int16, uint8, int32, int32]{Name: "X"}, false},
	}
	for _, i := range level.Pick(len(cases), 0, 4) {
		c := cases[i]
		for _, target := range c.spec.Describe().Targets {
			t.Run(c.name+"/"+target.Name, func(t *testing.T) {
				m := lower(t, c.spec, target)
				own, alike := bodies(m), func(text string) string { return text }
				compare := func(what string, from *origin, have any, table func(m *Module) any) {
					if from == nil {
						t.Errorf("%s are its own", what)
						return
					}
					s := theirs(from)
					all, others, shared := bodiesOf(s), map[string]string{}, 0
					for at, name := range kernel.Names(table(s)) {
						others[at] = *name
					}
					for at, name := range kernel.Names(have) {
						other, there := others[at]
						delete(others, at)
						if !there || (*name == "") != (other == "") || alike(own[*name]) != alike(all[other]) {
							t.Errorf("%s: %s %q is not what %s on %s has there, %q", what, at, *name, from.in(""), from.ISA, other)
						}
						if *name != "" {
							shared++
						}
					}
					if len(others) > 0 {
						t.Errorf("%s: %s on %s also has %v", what, from.in(""), from.ISA, others)
					}
					if shared == 0 {
						t.Errorf("%s: none is shared", what)
					}
				}
				compare("kernels that multiply", m.microStock(), &m.Table, func(m *Module) any { return &m.Table })
				if s := theirs(m.microStock()); fmt.Sprint(m.MR, m.NV, m.VL, m.Head) != fmt.Sprint(s.MR, s.NV, s.VL, s.Head) {
					t.Errorf("tiles of %d rows and %d vectors of %d lanes behind %d rows, theirs %d, %d, %d and %d", m.MR, m.NV, m.VL, m.Head, s.MR, s.NV, s.VL, s.Head)
				}
				if m.Depth == 0 { // elements that are widened as they are packed, by kernels of its own
					if m.packStock(m.B) != nil {
						t.Error("it shares packers that widen nothing")
					}
					return
				}
				if m.Elem == dtype.F32 { // pairs of bf16 are moved as pairs of int16
					alike = asIntegers
				}
				compare("kernels that pack b", m.packStock(m.B), &m.Pack, packers)
				if m.PackA != nil {
					compare("kernels that pack a", m.packStock(m.A), m.PackA, packers)
				}
				if c.same && m.PackA != nil {
					t.Error("there are packers for each operand, of the same elements")
				}
			})
		}
	}
}

// bodies are the texts of a module's functions without names and comments above them.
func bodies(m *Module) map[string]string {
	all := map[string]string{}
	for _, f := range m.Funcs {
		g := *f
		g.Name, g.Doc = "f", ""
		all[f.Name] = g.String()
	}
	return all
}

var (
	bitcast = regexp.MustCompile(`(?m)^.*= bitcast .*\n`)
	value   = regexp.MustCompile(`%\d+`)
)

// asIntegers is the text of a function that moves pairs of bf16 as one that moves int16 has
// it: values have other numbers, because no bits are taken for other ones.
func asIntegers(text string) string {
	text = bitcast.ReplaceAllString(text, "")
	return strings.NewReplacer("bf16x", "i16x", "alpha: f32", "alpha: i32", "beta: f32", "beta: i32").Replace(value.ReplaceAllString(text, "%"))
}
