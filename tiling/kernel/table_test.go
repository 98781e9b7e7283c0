package kernel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// namesOf are the kernels of entries.
func namesOf(list []Entry[string]) (names []string) {
	for _, e := range list {
		names = append(names, e.F)
	}
	return names
}

// TestForms: entries of a form are found in a sorted table, wherever others lie, and none of a form that it lacks.
func TestForms(t *testing.T) {
	var k Table[string]
	k.AddOp("Step", 1, 1, "step")
	for nv, n := range []string{"1", "2"} {
		k.Add(FetchTail, 1, nv+1, "fetchtail"+n)
		k.Add(Fetch, 1, nv+1, "fetch"+n)
		k.Add(Tail, 1, nv+1, "tail"+n)
		k.Add(Panel, 1, nv+1, "panel"+n)
	}
	k.Add(Columns, 1, 1, "columns")
	if k.Sorted() {
		t.Error("a table as it was filled is sorted")
	}
	if k.Sort(); !k.Sorted() {
		t.Fatalf("not sorted: %v", k.Entries)
	}
	for _, mr := range []int{0, 1} { // searched, and by arithmetic
		k.MR, k.NV = mr, 2
		for _, c := range []struct {
			form       Form
			full, tail []string
		}{
			{Panel, []string{"panel1", "panel2"}, []string{"tail1", "tail2"}},
			{Fetch, []string{"fetch1", "fetch2"}, []string{"fetchtail1", "fetchtail2"}},
			{More, nil, nil},
		} {
			full, tail := k.Both(c.form)
			if diff := cmp.Diff([][]string{c.full, c.tail}, [][]string{namesOf(full), namesOf(tail)}); diff != "" {
				t.Errorf("MR %d, %v (-want +have):\n%s", mr, c.form, diff)
			}
			if diff := cmp.Diff(c.tail, namesOf(k.Of(c.form+1))); diff != "" {
				t.Errorf("%v (-want +have):\n%s", c.form+1, diff)
			}
		}
	}
	if k.One(Columns) != "columns" || k.One(Join) != "" || k.Op("Step").F != "step" || k.Tile(Tail, 1, 2) != "tail2" {
		t.Errorf("%q, %q, %q, %q", k.One(Columns), k.One(Join), k.Op("Step").F, k.Tile(Tail, 1, 2))
	}
}

// TestLoops: operations of a table of loops follow each other, whatever their numbers of vectors.
func TestLoops(t *testing.T) {
	k := Table[string]{Entries: []Entry[string]{
		{Op: "i j", F: "a1"}, {Op: "i j", F: "a2"}, {Op: "i j", Form: Tail, F: "a1tail"}, {Op: "i j", Form: Tail, F: "a2tail"},
		{Op: "j i", F: "b1"}, {Op: "j i", Form: Tail, F: "b1tail"},
	}}
	var have [][]string
	for next := 0; next < len(k.Entries); {
		at := next
		var full, tail []Entry[string]
		full, tail, next = k.Loops(at)
		have = append(have, append([]string{k.Entries[at].Op}, append(namesOf(full), namesOf(tail)...)...))
	}
	if diff := cmp.Diff([][]string{{"i j", "a1", "a2", "a1tail", "a2tail"}, {"j i", "b1", "b1tail"}}, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}
