package choose

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/isaset"
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

// TestExtensions: asked for a set, a kernel without such a variant runs that of what the
// set extends, and no more than that; nothing asked for is the first that there is.
func TestExtensions(t *testing.T) {
	if isa, _ := run.UseISA(); isa != "" {
		t.Skip("TILESMITH_ISA forces a variant")
	}
	for _, i := range isaset.All {
		base := isaset.Plain(i.Name)
		if base == i.Name || !slices.Contains(run.ISAs(), i.Name) {
			continue
		}
		type kernels struct{ isa string }
		isaOf := func(k *kernels) string { return k.isa }
		var plain, both Choice
		one, two := []*kernels{{base}}, []*kernels{{i.Name}, {base}}
		for range 2 {
			for _, asked := range []string{base, i.Name} {
				if have := Pick(&plain, "test", one, isaOf, asked); have == nil || have.isa != base {
					t.Errorf("%s is asked for of a kernel with %s: %v", asked, base, have)
				}
				if have := Pick(&both, "test", two, isaOf, asked); have == nil || have.isa != asked {
					t.Errorf("%s is asked for of a kernel with both: %v", asked, have)
				}
				if have := Known(&both, two, isaOf, asked); have == nil || have.isa != asked {
					t.Errorf("%s is remembered as %v", asked, have)
				}
			}
		}
		if have := Pick(&both, "test", two, isaOf, ""); have.isa != i.Name && !slowDots(i.Name) {
			t.Errorf("nothing is asked for: %v", have)
		}
		func() {
			defer func() {
				if _, ok := recover().(run.ISAError); !ok {
					t.Errorf("%s is not refused of a kernel that has %s only", base, i.Name)
				}
			}()
			Pick(new(Choice), "test", two[:1], isaOf, base)
		}()
	}
}

// TestSlowDots: what a processor is slow at is not its choice while there is something else
// as wide, and still one's own.
func TestSlowDots(t *testing.T) {
	defer func(f func(string) bool) { slowDots = f }(slowDots)
	slowDots = func(isa string) bool { return isa == "avx512bf16" }
	if !slices.Contains(run.ISAs(), "avx512bf16") {
		t.Skip("this machine or build has no avx512bf16")
	}
	for _, c := range []struct {
		variants []string
		want     int
	}{
		{[]string{"avx512bf16", "avx512", "avx2"}, 2}, {[]string{"avx512bf16", "avx2"}, 1}, {[]string{"avx512bf16"}, 1}, {[]string{"avx512vnni", "avx512"}, 1},
	} {
		if slices.ContainsFunc(c.variants, func(isa string) bool { return !slices.Contains(run.ISAs(), isa) }) {
			continue
		}
		if have := best(c.variants); have != c.want {
			t.Errorf("of %v it is number %d, want %d", c.variants, have, c.want)
		}
	}
}
