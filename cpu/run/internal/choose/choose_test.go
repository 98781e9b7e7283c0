package choose

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// TestPickRemembers: what one call asks for does not show in the next, whatever the
// order of the calls, and a variant that was not generated is an error each time.
func TestPickRemembers(t *testing.T) {
	if isa, _ := run.UseISA(); isa != "" {
		t.Skip("TILESMITH_ISA forces a variant")
	}
	type kernels struct{ isa string }
	isaOf := func(k *kernels) string { return k.isa }
	var variants []*kernels
	for _, isa := range run.ISAs() {
		if isa != run.Portable {
			variants = append(variants, &kernels{isa})
		}
	}
	var c Choice
	pick := func(isa string) string {
		if k := Pick(&c, "test", variants, isaOf, isa); k != nil {
			return k.isa
		}
		return run.Portable
	}
	for range 2 {
		for _, first := range run.ISAs() {
			for _, isa := range slices.Backward(run.ISAs()) {
				if have := pick(first); have != first {
					t.Errorf("%q is asked for and %q picked", first, have)
				}
				if have := pick(isa); have != isa {
					t.Errorf("after %q, %q is asked for and %q picked", first, isa, have)
				}
				if have, want := pick(""), run.ISAs()[0]; have != want {
					t.Errorf("nothing is asked for and %q picked, want %q", have, want)
				}
			}
		}
	}
	if len(variants) == 0 {
		return
	}
	some := variants[1:]
	for range 2 {
		func() {
			defer func() {
				if e, ok := recover().(run.ISAError); !ok || e.ISA != variants[0].isa || e.What != "test" || e.From != "Options.ISA" {
					t.Errorf("a variant that is not there: %v", e)
				}
			}()
			var c Choice
			Pick(&c, "test", some, isaOf, run.Portable)
			Pick(&c, "test", some, isaOf, variants[0].isa)
		}()
	}
	if n := testing.AllocsPerRun(100, func() {
		for _, isa := range run.ISAs() {
			Pick(&c, "test", variants, isaOf, isa)
		}
	}); n > 1 { // of ISAs
		t.Errorf("%v allocations", n)
	}
}
