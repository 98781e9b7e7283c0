package kernel

import (
	"slices"
	"testing"
)

// TestNames: text is no kernel, and a name can be set.
func TestNames(t *testing.T) {
	table := Table[string]{ISA: "avx2", VL: 8, Entries: []Entry[string]{{Op: "i j", F: "f"}, {Op: "i j"}, {Op: "i j", Form: Tail, F: "g"}}}
	var have []string
	for at, name := range Names(&table) {
		have = append(have, at+"="+*name)
		*name += "x"
	}
	if want := []string{"Entries[0].F=f", "Entries[1].F=", "Entries[2].F=g"}; !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
	if e := table.Entries; e[0].F != "fx" || e[1].F != "x" || e[0].Op != "i j" || table.ISA != "avx2" {
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
