package isaset

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestOrder: names are unique, a set stands behind what it extends with nothing of another kind
// between, and each architecture is in one place.
func TestOrder(t *testing.T) {
	var names, architectures, plain []string
	for _, i := range All {
		if slices.Contains(names, i.Name) || ByName(i.Name) != i {
			t.Errorf("%s is there twice, or not by its name", i.Name)
		}
		if e := i.Extends; e != nil && (!slices.Contains(names, e.Name) || e.GOARCH != i.GOARCH || e.Bits != i.Bits || e.Regs != i.Regs) {
			t.Errorf("%s %+v extends %s %+v, which does not stand before it", i.Name, i, e.Name, e)
		}
		names = append(names, i.Name)
		architectures = append(architectures, i.GOARCH)
		plain = append(plain, Plain(i.Name))
	}
	for what, list := range map[string][]string{"architectures": architectures, "families": plain} {
		distinct := slices.Clone(list)
		slices.Sort(distinct)
		if runs := slices.Compact(slices.Clone(list)); len(runs) != len(slices.Compact(distinct)) {
			t.Errorf("the %s are mixed: %v", what, runs)
		}
	}
	if !NEONI8MM.Includes("neondot") || NEONI8MM.Includes("neonbf16") || Plain("neoni8mm") != "neon" {
		t.Error("neoni8mm must extend neondot, and neon in the end")
	}
}

// TestBF16Of: of the features that Linux reports in bits, bit 14 is that of bf16. 0x1fe01 has all
// features of a core of Armv8.6.
func TestBF16Of(t *testing.T) {
	for bits, want := range map[uint64]bool{0: false, 0x1fe01: true, 0x1be01: false, 1 << 13: false, 1 << 14: true, 1 << 15: false} {
		if have := bf16Of(bits); have != want {
			t.Errorf("%#x: %v, want %v", bits, have, want)
		}
	}
}

// TestHas: a machine has no set of another architecture. Linux on arm64 lists the features of
// its cores in words, and those say the same as the sets.
func TestHas(t *testing.T) {
	var have []string
	for _, i := range All {
		switch {
		case !i.Has():
		case i.GOARCH != runtime.GOARCH:
			t.Errorf("this machine of %s has %s of %s", runtime.GOARCH, i.Name, i.GOARCH)
		default:
			have = append(have, i.Name)
		}
	}
	t.Logf("this machine has %v", have)
	text, _ := os.ReadFile("/proc/cpuinfo")
	line := regexp.MustCompile(`(?m)^Features\s*:(.*)$`).FindSubmatch(text)
	if runtime.GOARCH != "arm64" || line == nil || os.Getenv("GODEBUG") != "" {
		return
	}
	words := strings.Fields(string(line[1]))
	t.Logf("Linux says %v", words)
	for name, word := range map[string]string{"neon": "asimd", "neonfhm": "asimdfhm", "neondot": "asimddp", "neonbf16": "bf16", "neoni8mm": "i8mm"} {
		if slices.Contains(have, name) != slices.Contains(words, word) {
			t.Errorf("the machine has %v, and Linux says of %s: %v", have, word, words)
		}
	}
}
