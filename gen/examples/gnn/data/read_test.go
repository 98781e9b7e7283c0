package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	path     = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
	features = "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 3\n1 2 1\n3 2 5\n"
	labels   = "%%MatrixMarket matrix array integer general\n3 2\n0\n0\n0\n1\n2\n3\n"
)

// read reads a set whose files have some text.
func read(t *testing.T, graph, features, labels string) (*Set, error) {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for name, text := range map[string]string{"1graph.mtx": graph, "2features.mtx": features, "3labels.mtx": labels} {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(names[len(names)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return Read(names[0], names[1], names[2])
}

func TestRead(t *testing.T) {
	s, err := read(t, path, features, labels)
	if err != nil {
		t.Fatal(err)
	}
	want := "1graph: 3 nodes, 4 edges, 2 features, 1 classes; 1 nodes to learn from, 1 to validate, 1 to test"
	if s.String() != want {
		t.Errorf("%q, want %q", s, want)
	}
	_, _, values := s.Features.CSR()
	if d := cmp.Diff([]float64{.75, .25, 1}, values); d != "" {
		t.Errorf("features: (-want +got)\n%s", d)
	}
	if s.Train[0] != 0 || s.Validation[0] != 1 || s.Test[0] != 2 {
		t.Errorf("parts are %d, %d and %d", s.Train, s.Validation, s.Test)
	}
}

// TestReadRefused: every file that is wrong is an error that says what is.
func TestReadRefused(t *testing.T) {
	array := func(rows, numbers string) string {
		return "%%MatrixMarket matrix array integer general\n" + rows + "\n" + strings.ReplaceAll(numbers, " ", "\n") + "\n"
	}
	for _, c := range []struct{ what, graph, features, labels, want string }{
		{"a graph that is not square", "%%MatrixMarket matrix coordinate pattern general\n3 2 1\n1 1\n", features, labels, "the graph is 3 x 2"},
		{"no graph", "", features, labels, "1graph.mtx"},
		{"a graph without nodes", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", features, labels, "the graph is 0 x 0"},
		{"features of other nodes", path, "%%MatrixMarket matrix coordinate pattern general\n4 2 1\n1 1\n", labels, "has 3 nodes, but there are features of 4"},
		{"features without columns", path, "%%MatrixMarket matrix coordinate pattern general\n3 0 0\n", labels, "no columns"},
		{"features that are not finite", path, "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 inf\n", labels, "2features.mtx"},
		{"labels of other nodes", path, features, array("4 2", "0 0 0 0 1 2 3 3"), "has 3 nodes, but there are labels of 4"},
		{"labels that are sparse", path, features, "%%MatrixMarket matrix coordinate integer general\n3 2 1\n1 1 1\n", "want an array of 2 columns"},
		{"labels of one column", path, features, array("3 1", "0 0 0"), "want an array of 2 columns"},
		{"labels of three columns", path, features, array("3 3", "0 0 0 1 2 3 0 0 0"), "more than 2 columns"},
		{"a negative class", path, features, array("3 2", "0 -1 0 1 2 3"), "the label of node 1 is -1"},
		{"a class beyond all bounds", path, features, array("3 2", "0 2000000000 0 1 2 3"), "the label of node 1 is 2e+09"},
		{"a part that there is not", path, features, array("3 2", "0 0 0 1 2 4"), "node 2 is for 4"},
		{"nothing to learn from", path, features, array("3 2", "0 0 0 2 2 3"), "no node of the labels is for train (1)"},
		{"nothing to validate", path, features, array("3 2", "0 0 0 1 0 3"), "no node of the labels is for validation (2)"},
		{"a class without nodes to learn from", path, features, array("3 2", "0 1 0 1 2 3"), "class 1 of 2 has no node to learn from, and 1 for validation and test"},
	} {
		_, err := read(t, c.graph, c.features, c.labels)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.what, err, c.want)
		}
	}
}

// TestPlanted: of all neighbours together a node sees each colour as often, of a kind mostly one.
func TestPlanted(t *testing.T) {
	s, err := Planted(100, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	colour := func(i int) int { j, _ := first(s, i); return j }
	right, all := 0, [4]int{}
	for e, kind := range s.Graph.All() {
		if colour(e.J) == (s.Labels[e.I]+int(kind)-1)%4 {
			right++
		}
		all[colour(e.J)]++
	}
	n := s.Graph.NNZ()
	if share := float64(right) / float64(n); share < .88 || share > .97 {
		t.Errorf("a part of %.2f of the edges go to the colour of their class and kind, want about .92", share)
	}
	for c, times := range all {
		if share := float64(times) / float64(n); share < .22 || share > .28 {
			t.Errorf("a part of %.2f of the edges go to colour %d, want about a quarter", share, c)
		}
	}
	if len(s.Train) != 48 || s.Classes != 4 {
		t.Errorf("%v", s)
	}
}

// first returns the first feature of a node.
func first(s *Set, i int) (j int, v float64) {
	for j, v := range s.Features.Row(i) {
		return j, v
	}
	return -1, 0
}
