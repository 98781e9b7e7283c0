package kernel

import (
	"slices"
	"testing"
)

// TestNames: text is no kernel, and a name can be set.
func TestNames(t *testing.T) {
	table := NestKernels[string]{ISA: "avx2", VL: 8, Sets: []NestSet[string]{{Loops: "i j", Full: []string{"f", ""}, Tail: []string{"g"}}}}
	var have []string
	for at, name := range Names(&table) {
		have = append(have, at+"="+*name)
		*name += "x"
	}
	if want := []string{"Sets[0].Full[0]=f", "Sets[0].Full[1]=", "Sets[0].Tail[0]=g"}; !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
	if s := table.Sets[0]; !slices.Equal(s.Full, []string{"fx", "x"}) || s.Loops != "i j" || table.ISA != "avx2" {
		t.Errorf("names were set to %+v", table)
	}
	for range Names(&table) { // a loop may end early
		break
	}
	blocks := Table[string]{Entries: []Entry[string]{{F: "a"}, {Op: "x", F: "b"}}}
	have = nil
	for at := range Names(&blocks) {
		have = append(have, at)
	}
	if want := []string{"Entries[0].F", "Entries[1].F"}; !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
}
