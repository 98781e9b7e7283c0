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
	order := []string{"avx512", "avx2", Portable}
	if !slices.IsSortedFunc(isas, func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) }) {
		t.Errorf("%v are not in the order of %v", isas, order)
	}
}
