package run

import (
	"slices"
	"testing"
)

func TestISAs(t *testing.T) {
	isas := ISAs()
	if have := isas[len(isas)-1]; have != Portable {
		t.Errorf("the last of %v is %s, want %s", isas, have, Portable)
	}
	order := []string{"avx512", "avx512bf16", "amxbf16", "avx512vnni", "amxint8", "avx2", "avxvnni", Portable}
	for _, isa := range append([]string{"", "sse"}, order...) {
		if have, want := HasISA(isa), slices.Contains(isas, isa); have != want {
			t.Errorf("HasISA(%q) is %v, and ISAs are %v", isa, have, isas)
		}
	}
	if !slices.IsSortedFunc(isas, func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) }) {
		t.Errorf("%v are not in the order of %v", isas, order)
	}
}
