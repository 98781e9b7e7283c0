package part

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
)

// The examples of the manuals: hMETIS 1.5.3, figure 4, and METIS 5, figure 2.
func TestReadManuals(t *testing.T) {
	const plain, costs, weights, both = "4 7\n1 2\n1 7 5 6\n5 6 4\n2 3 4\n", "4 7 1\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n",
		"4 7 10\n1 2\n1 7 5 6\n5 6 4\n2 3 4\n5\n1\n8\n7\n3\n9\n3\n", "4 7 11\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n5\n1\n8\n7\n3\n9\n3\n"
	for _, c := range []struct {
		text         string
		cost, weight []int32
	}{
		{text: plain}, {text: costs, cost: []int32{2, 3, 8, 7}}, {text: weights, weight: []int32{5, 1, 8, 7, 3, 9, 3}},
		{text: both, cost: []int32{2, 3, 8, 7}, weight: []int32{5, 1, 8, 7, 3, 9, 3}},
	} {
		want := must[*Hypergraph](t)(NewHypergraph(7, []int32{0, 2, 6, 9, 12}, []int32{0, 1, 0, 6, 4, 5, 4, 5, 3, 1, 2, 3}, c.weight, c.cost))
		for _, text := range []string{c.text, "% by hand\n" + strings.ReplaceAll(c.text, "\n", " % end\r\n") + "\n\n%\n", strings.TrimSuffix(c.text, "\n")} {
			h, err := ReadHGR(strings.NewReader(text), FileOptions{})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if diff := cmp.Diff(want, h, cmp.AllowUnexported(Hypergraph{})); diff != "" {
				t.Errorf("%q, -want +got:\n%s", text, diff)
			}
		}
		var out bytes.Buffer
		if err := WriteHGR(&out, want); err != nil || out.String() != c.text {
			t.Errorf("%q is written %q, %v", c.text, out.String(), err)
		}
	}
	g := Graph{First: []int32{0, 3, 6, 10, 14, 17, 20, 22}, Adj: []int32{4, 2, 1, 0, 2, 3, 4, 3, 1, 0, 1, 2, 5, 6, 0, 2, 5, 4, 3, 6, 5, 3}}
	const manual = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
	got, err := ReadGraph(strings.NewReader(manual), FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Every flag of either format goes around.
func TestGraphRoundTrip(t *testing.T) {
	r := rand.New(level.PCG(17, 18))
	for run := range 200 {
		edges := r.IntN(30)
		a := pattern(t, 9, 9, draws(r, 9, edges), draws(r, 9, edges))
		g := must[Graph](t)(GraphOf(a, Model{Weighing: Rows}))
		g.Weights, g.Sizes = nil, nil
		if run&1 == 0 {
			g.Costs = nil
		}
		if run&2 == 0 {
			g.Sizes = draws(r, 100, 9)
		}
		if g.Constraints = []int{0, 1, 2, 3}[run>>2&3]; g.Constraints > 0 {
			g.Weights = draws(r, 100, 9*g.Constraints)
		}
		var out bytes.Buffer
		if err := WriteGraph(&out, g); err != nil {
			t.Fatal(err)
		}
		got, err := ReadGraph(bytes.NewReader(out.Bytes()), FileOptions{})
		if err != nil {
			t.Fatalf("%q: %v", out.String(), err)
		}
		if diff := cmp.Diff(g, got, cmp.Transformer("edges", func(l []int32) []int32 { return append([]int32{}, l...) })); diff != "" {
			t.Fatalf("%q, -want +got:\n%s", out.String(), diff)
		}
	}
}

func draws(r *rand.Rand, below int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = r.Int32N(below)
	}
	return out
}

func TestFileErrors(t *testing.T) {
	hgr := func(text string) error { return second(ReadHGR(strings.NewReader(text), FileOptions{Name: "f"})) }
	graph := func(text string) error { return second(ReadGraph(strings.NewReader(text), FileOptions{Name: "f"})) }
	parts := func(text string) error {
		return second(ReadParts(strings.NewReader(text), 2, 0, FileOptions{Name: "f"}))
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{hgr(""), "f:1: the file ends before its first line"},
		{hgr("1\n"), "f:1: 1 numbers; want nets, vertices and, for weights, 1, 10 or 11"},
		{hgr("1 2 3\n"), "f:1: format 3; want 0, 1, 10 or 11"},
		{hgr("2 3\n1 2\n"), "f:3: the file ends before net 2 of 2"},
		{hgr("1 3\n1 4\n"), "f:2: pin 4; vertices are from 1 to 3"},
		{hgr("1 3\n1 0\n"), "f:2: pin 0; vertices are from 1 to 3"},
		{hgr("1 3\n1 1\n"), "f:3: part.NewHypergraph: net 0 has pin 0 twice; a net has a vertex once"},
		{hgr("1 3\n1 -2\n"), `f:2: "-" is no digit; all numbers are integers, none is negative`},
		{hgr("1 3\n1 99999999999\n"), "f:2: a number is more than 2147483647"},
		{hgr("1 2 10\n1 2\n5\n5 6\n"), "f:4: 2 numbers; want the weight of vertex 2"},
		{hgr("1 2 10\n1 2\n5\n"), "f:4: the file ends before the weight of vertex 2 of 2"},
		{hgr("1 2\n1 2\n5\n"), "f:3: there are 1 numbers after the last net or weight"},
		{hgr("0 2000000000\n"), "f:2: 2000000000 vertices for 2 numbers; FileOptions.MaxVertices allows 4194304"},
		{hgr("2000000000 2\n"), "f:2: the file ends before net 1 of 2000000000"},
		{hgr("2 2 1\n2147483647 1 2\n1 1\n"), "f:4: part.NewHypergraph: the costs add up to 2147483648; at most 2147483647; scale them"},
		{graph("1 2 3 4 5\n"), "f:1: 5 numbers; want vertices, edges and, for weights, three digits and how many a vertex has"},
		{graph("2 1 2\n"), "f:1: format 002; want three digits, each 0 or 1"},
		{graph("2 1 1 2\n"), "f:1: 2 weights of a vertex with format 001; want 1 or more, and the second digit 1"},
		{graph("2 1 11 0\n"), "f:1: 0 weights of a vertex with format 011; want 1 or more, and the second digit 1"},
		{graph("2 1 110\n5 1 2\n5\n"), "f:3: 1 numbers; want the 2 of vertex 2 before its neighbours"},
		{graph("2 1 1\n2 7\n1\n"), "f:3: the last neighbour of vertex 2 has no cost"},
		{graph("2 1 1\n2 7\n1 8\n"), "f:4: part.Graph.Check: the edge of 0 and 1 costs 7 and 8; an edge costs the same from both ends"},
		{graph("2 1\n3\n1\n"), "f:2: neighbour 3; vertices are from 1 to 2"},
		{graph("2 1\n2\n"), "f:3: the file ends before vertex 2 of 2"},
		{graph("2 2\n2\n1\n"), "f:4: 2 ends of edges; want 2 for each of 2"},
		{graph("2 1\n2 2\n\n"), "f:4: part.Graph.Check: vertex 0 has neighbour 1 twice; a vertex is a neighbour once"},
		{graph("2 1\n1 2\n\n"), "f:4: part.Graph.Check: vertex 0 is its own neighbour; no edge leads from a vertex to itself"},
		{graph("3 1\n2 3\n\n\n"), "f:5: part.Graph.Check: vertex 0 has 2 neighbours, and is one of 0; edges are there from both ends"},
		{graph("4 2\n2\n3\n4\n1\n"), "f:6: part.Graph.Check: vertex 3 has neighbour 0, but not the other way; edges are there from both ends"},
		{parts("0\n"), "f:2: the file ends before the part of vertex 1 of 2"},
		{parts("0 1\n"), "f:1: 2 numbers; want the part of vertex 0"},
		{parts("0\n1\n2\n"), "f:3: there are 1 numbers after the last part"},
		{parts("0\n2000000\n"), "f:2: part 2000000 of vertex 1; parts are from 0 to 1048575"},
		{second(ReadParts(strings.NewReader("0\n3\n"), 2, 3, FileOptions{})), "input:2: part 3 of vertex 1; parts are from 0 to 2"},
		{second(ReadParts(strings.NewReader("0\n3\n"), 2, -1, FileOptions{})), "part.ReadParts: -1 parts; parts are from 1 to 1048576"},
		{second(ReadParts(strings.NewReader(""), 0, 0, FileOptions{})), "input:1: no parts: no vertices, and their number is not given"},
		{second(ReadHGR(strings.NewReader("1 2\n1 2\n"), FileOptions{MaxNumbers: 3})), "input:2: there are more than 3 numbers; FileOptions.MaxNumbers allows no more"},
		{second(ReadHGR(strings.NewReader("1 2\n1 2\n"), FileOptions{MaxVertices: 1})), "input:3: 2 vertices for 4 numbers; FileOptions.MaxVertices allows 1"},
		{second(ReadHGR(broken{}, FileOptions{})), "input:1: reading failed: a broken pipe"},
	} {
		want := c.want
		if !strings.HasPrefix(want, "part.") {
			want = "part: " + want
		}
		if c.err == nil || c.err.Error() != want {
			t.Errorf("%v\nwant %s", c.err, want)
		}
	}
	if err := second(ReadHGR(broken{}, FileOptions{})); !errors.Is(err, errBroken) {
		t.Errorf("%v has lost its cause", err)
	}
}

var errBroken = errors.New("a broken pipe")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

// What a file promises is not allocated.
func TestHostileFiles(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, text := range []string{"2000000000 2000000000 11\n", "134217728 134217728 111 100\n", "0 134217728\n", "2147483647 0 0\n"} {
		if _, err := ReadHGR(strings.NewReader(text), FileOptions{}); err == nil {
			t.Errorf("%q is a hypergraph", text)
		}
		if _, err := ReadGraph(strings.NewReader(text), FileOptions{}); err == nil {
			t.Errorf("%q is a graph", text)
		}
		if _, err := ReadParts(strings.NewReader(text), 1<<30, 0, FileOptions{}); err == nil {
			t.Errorf("%q is a partition", text)
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 4<<20 {
		t.Errorf("%d bytes were allocated for lines of some 30", bytes)
	}
}

func TestPartsRoundTrip(t *testing.T) {
	p := must[Partition](t)(New(5, []int32{0, 3, 1, 1, 2}))
	var out bytes.Buffer
	if err := WriteParts(&out, p); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]int{0: 4, 5: 5} {
		q := must[Partition](t)(ReadParts(bytes.NewReader(out.Bytes()), 5, k, FileOptions{}))
		if q.K() != want || !cmp.Equal(q.Parts(), p.Parts()) {
			t.Errorf("%v is read as %v, %d parts", p.Parts(), q.Parts(), q.K())
		}
	}
}

// FuzzRead: no text panics, and what is read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "4 7 11\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n5\n1\n8\n7\n3\n9\n3\n", "2 2\n\n% c\n1 2\n",
		"7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "2 1 111 2\n1 2 3 2 9\n4 5 6 1 9\n", "0\n3\n1\n", "0 9999999\n", "0 0 0010"} {
		f.Add([]byte(text))
	}
	small := FileOptions{MaxVertices: 1 << 12}
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		if h, err := ReadHGR(bytes.NewReader(text), small); err == nil {
			if err := WriteHGR(&out, h); err != nil {
				t.Fatal(err)
			}
			again, err := ReadHGR(&out, small)
			if diff := cmp.Diff(h, again, cmp.AllowUnexported(Hypergraph{})); err != nil || diff != "" {
				t.Fatalf("%v, -read +again:\n%s", err, diff)
			}
		} else {
			checkFileError(t, err)
		}
		if g, err := ReadGraph(bytes.NewReader(text), small); err == nil {
			if err := WriteGraph(&out, g); err != nil {
				t.Fatal(err)
			}
			again, err := ReadGraph(&out, small)
			if diff := cmp.Diff(g, again); err != nil || diff != "" {
				t.Fatalf("%v, -read +again:\n%s", err, diff)
			}
		} else {
			checkFileError(t, err)
		}
		if p, err := ReadParts(bytes.NewReader(text), 3, 0, small); err == nil {
			if err := WriteParts(&out, p); err != nil {
				t.Fatal(err)
			}
			again, err := ReadParts(&out, 3, 0, small)
			if err != nil || !cmp.Equal(p.Parts(), again.Parts()) || p.K() != again.K() {
				t.Fatalf("%v: %v again %v", err, p.Parts(), again.Parts())
			}
		} else {
			checkFileError(t, err)
		}
	})
}

func checkFileError(t *testing.T, err error) {
	t.Helper()
	var e *FileError
	if !errors.As(err, &e) || e.Line < 1 || e.Reason == "" {
		t.Fatalf("%#v is no error of a file", err)
	}
	for _, c := range []byte(err.Error()) {
		if c < ' ' || c > '~' {
			t.Fatalf("%q is not safe to print", err)
		}
	}
}
