package fn

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// TestNear: what is known of numbers makes exponentials and quotients shorter, and what is not known does not.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		text        string
		near, short bool // a quotient far from the ends; an exponential without limits
	}{
		{"1 / (1 + float32(math.Exp(float64(x))))", false, false}, // infinite above 88
		{"1 / (1 + float32(math.Exp(float64(min(max(x, -87), 87)))))", true, true},
		{"1 / (1 + float32(math.Exp(float64(min(max(x, -100), 87)))))", true, false},
		{"1 / (1 + float32(math.Exp(float64(min(max(x, -87), 89)))))", false, false},
		{"1 / min(max(x, 0), 1)", false, false},
		{"1 / min(max(x, 1e-37), 1e37)", true, false},
		{"1 / max(min(x, -1e-37), -1e37)", true, false},
		{"3 / min(max(x, 1e-37), 1e37)", false, false},
		{"3 / min(max(x, 1e-17), 1e17)", true, false},
		{"x / min(max(x, 1e-17), 1e17)", false, false}, // x may be 0
		{"min(max(x, 1e-17), 1e17) / 7", true, false},
	} {
		p, _ := snippet(t, "package fuzzed\n\nimport \"math\"\n\nvar _ = math.Pi\n\nfunc f(x float32) float32 { return "+c.text+" }\n")
		f, err := p.Lookup(Ref{Name: "f"})
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		k, err := emit.Build("f", []emit.Arg{{Name: "p", Type: emit.Pointer(emit.Generic, 4)}}, func(b *emit.Builder) {
			at := emit.At(b.Param("p", emit.Pointer(emit.Generic, 4)), 0)
			y, err := f.Emit(b, 1, []*emit.Value{b.Load(emit.Scalar(emit.F32), at)})
			if err != nil {
				t.Fatal(err)
			}
			b.Store(y[0], at)
		})
		if err != nil {
			t.Fatal(err)
		}
		text := k.String()
		if near := strings.Contains(text, "{near}"); near != c.near {
			t.Errorf("%s: near %v, want %v\n%s", c.text, near, c.near, text)
		}
		if strings.Contains(c.text, "Exp") {
			if short := strings.Count(text, " = mul ") == 1; short != c.short {
				t.Errorf("%s: an exponential without limits %v, want %v\n%s", c.text, short, c.short, text)
			}
		}
	}
}
