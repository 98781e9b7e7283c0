package dense

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestPick: what Options.ISA asks for is what runs, or it is an error.
func TestPick(t *testing.T) {
	k512, k2 := &kernel.Kernels{ISA: "avx512"}, &kernel.Kernels{ISA: "avx2"}
	isas := run.ISAs()
	for _, tc := range []struct {
		name     string
		variants []*kernel.Kernels
		isa      string
		want     string // "" is a panic
	}{
		{"both", []*kernel.Kernels{k512, k2}, "avx512", "avx512"},
		{"both", []*kernel.Kernels{k512, k2}, "avx2", "avx2"},
		{"both", []*kernel.Kernels{k512, k2}, run.Portable, run.Portable},
		{"both", []*kernel.Kernels{k512, k2}, "sse9", ""},
		{"both", []*kernel.Kernels{k512, k2}, "AVX2", ""},
		{"avx2 only", []*kernel.Kernels{k2}, "avx512", ""},
		{"avx2 only", []*kernel.Kernels{k2}, "avx2", "avx2"},
		{"none", nil, run.Portable, run.Portable},
		{"none", nil, "avx2", ""},
	} {
		want := tc.want
		if !slices.Contains(isas, want) {
			want = ""
		}
		s := &Set[float32]{Name: "gemm.Test", Variants: tc.variants}
		have := ""
		value := panicOf(func() {
			have = run.Portable
			if k := s.pick(s.Name, tc.isa); k != nil {
				have = k.ISA
			}
		})
		if value != nil {
			have = ""
			err, ok := value.(run.ISAError)
			if !ok || err.ISA != tc.isa || !slices.Contains(err.Have, run.Portable) || !strings.Contains(err.Error(), fmt.Sprintf("%q", tc.isa)) {
				t.Errorf("%s: ISA %q panics with %v, want an ISAError that names it and what there is", tc.name, tc.isa, value)
			}
		}
		if have != want {
			t.Errorf("%s: ISA %q picks %q, want %q", tc.name, tc.isa, have, want)
		}
	}
	// Without a wish, the best that there is.
	if isa, _ := run.UseISA(); isa != "" {
		return
	}
	for _, variants := range [][]*kernel.Kernels{{k512, k2}, {k2}, nil} {
		want := run.Portable
		for _, v := range slices.Backward(variants) {
			if slices.Contains(isas, v.ISA) {
				want = v.ISA
			}
		}
		s := &Set[float32]{Variants: variants}
		for range 2 { // the second time from memory
			have := run.Portable
			if k := s.pick(s.Name, ""); k != nil {
				have = k.ISA
			}
			if have != want {
				t.Errorf("of %d variants %q is picked, want %q", len(variants), have, want)
			}
		}
	}
}

// TestISAOption: a call with an ISA that is not to be had panics and does nothing.
func TestISAOption(t *testing.T) {
	s := &Set[float64]{Name: "gemm.Test"}
	out := layout.RowMajor([]float64{math.Pi}, 1, 1)
	one := layout.RowMajor([]float64{1}, 1, 1)
	value := panicOf(func() { s.Gemm(run.Options{ISA: "sve"}, out, one, one) })
	have := fmt.Sprint(value)
	want := fmt.Sprintf(`gemm.Test: Options.ISA asks for the instruction set "sve"; want one that kernel, machine and build have: %s`, strings.Join(run.ISAs(), ", "))
	if have != want {
		t.Errorf("panic %s, want %s", have, want)
	}
	if out.Data[0] != math.Pi {
		t.Errorf("out is %v, want it untouched", out.Data[0])
	}
	s.Gemm(run.Options{ISA: run.Portable}, out, one, one)
	if out.Data[0] != 1 {
		t.Errorf("with ISA %q, out is %v, want 1", run.Portable, out.Data[0])
	}
}

// TestISAEnvironment: TILESMITH_ISA and GODEBUG, which count for a process.
func TestISAEnvironment(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("GODEBUG is already set")
	}
	isas := run.ISAs()
	list := func(s []string) string { return fmt.Sprint(s) }
	for _, isa := range []string{"avx512", "avx2", run.Portable, "bogus", "avx"} {
		have := child(t, "pick", "TILESMITH_ISA="+isa)
		want := list(isas) + " " + isa
		if !slices.Contains(isas, isa) {
			want = fmt.Sprintf("ISAError tilesmith: TILESMITH_ISA asks for the instruction set %q; want one that kernel, machine and build have: %s", isa, strings.Join(isas, ", "))
		}
		if have != want {
			t.Errorf("TILESMITH_ISA=%s: %s, want %s", isa, have, want)
		}
	}
	without := func(off ...string) []string { // and without what extends them
		return slices.DeleteFunc(slices.Clone(isas), func(s string) bool {
			i := isaset.ByName(s)
			return slices.ContainsFunc(off, func(o string) bool { return i.Includes(o) })
		})
	}
	for _, tc := range []struct {
		godebug string
		want    []string
	}{
		{"", isas},
		{"cpu.avx512f=off", without("avx512")},
		{"cpu.avx512vl=off", without("avx512")},
		{"cpu.avx2=off", without("avx2")},
		{"cpu.avx512vnni=off", without("avx512vnni")},
		{"cpu.avx512bf16=off", without("avx512bf16")},
		{"cpu.avx512f=off,cpu.avx2=off", []string{run.Portable}},
		{"cpu.fma=off", []string{run.Portable}},
	} {
		if have, want := child(t, "pick", "GODEBUG="+tc.godebug), list(tc.want)+" "+tc.want[0]; have != want {
			t.Errorf("GODEBUG=%s: %s, want %s", tc.godebug, have, want)
		}
	}
	if slices.Contains(isas, "avx2") {
		have := child(t, "pick", "GODEBUG=cpu.avx2=off", "TILESMITH_ISA=avx2")
		if !strings.HasPrefix(have, "ISAError tilesmith: TILESMITH_ISA asks for the instruction set \"avx2\"") {
			t.Errorf("TILESMITH_ISA=avx2 where GODEBUG turns it off: %s, want an ISAError", have)
		}
	}
}
