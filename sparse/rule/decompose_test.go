package rule

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// ruleSets is every rule, alone and composed, with parameters that fit small
// matrices.
var ruleSets = [][]Rule{
	nil,
	{Columns(1)}, {Columns(3)}, {Columns(maxSlabs)},
	{Buckets(0)}, {Buckets(2)}, {Buckets(maxBucket)},
	{Hyb(1, 2)}, {Hyb(4, 1)}, {Hyb(7, 3)},
	{LongRows(1)}, {LongRows(5)}, {LongRows(3), Hyb(2, 1)},
	{Blocks(1, 1)}, {Blocks(4, .5)}, {Blocks(4, 1), Blocks(3, .3), Hyb(2, 2)},
	{Diagonals(.8)}, {Diagonals(.01)}, {Diagonals(.5), LongRows(6), Columns(2)},
	{Each(Columns(3), Blocks(2, .75))}, {Each(Columns(2), Diagonals(.4), LongRows(4)), Buckets(1)},
	{Each(LongRows(2), Columns(3))}, {Each(Blocks(4, .5), Diagonals(.2)), Buckets(2)},
	{checkered, Hyb(2, 1)}, {Each(Columns(2), checkered), LongRows(3)},
}

// checkered takes every other element into a format that comes from elsewhere, so
// that it is built from entries and walked.
var checkered = Rule{"checkered", func(s Structure) ([]Group, Structure, error) {
	foreign := format.CSR
	foreign.Name = "foreign"
	foreign.Build = func(m, n int, in []sparse.Entry) (format.Arrays, error) { return format.CSR.Build(m, n, in) }
	in, out := s.Partition(func(e sparse.Entry) bool { return (e.I+e.J)%2 == 0 })
	return []Group{{"black", foreign, in}}, out, nil
}}

func names(rules []Rule) string {
	s := ""
	for _, r := range rules {
		s += " " + r.Name
	}
	return "[" + strings.TrimSpace(s) + "]"
}

// TestDecompose: parts sum to the whole exactly, for every rule and pattern: as
// multisets of entries, as a matrix, through f and its inverse, and each part keeps
// the law of its format.
func TestDecompose(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("large matrices")
	}
	for _, p := range sparsetest.Patterns() {
		m := p.Matrix()
		for _, rules := range ruleSets {
			name := p.Name + " " + names(rules)
			s, err := Decompose(m, rules...)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkSum(t, name, m, s)
		}
	}
}

func checkSum(t *testing.T, name string, m sparse.Matrix[float64], s Sum[float64]) {
	t.Helper()
	var all []sparse.Entry // K: the value, which counts entries
	slots, bytes := 0, int64(0)
	for at, p := range s.Parts() {
		if p.NNZ() == 0 || p.Name == "" {
			t.Errorf("%s: part %q has %d entries", name, p.Name, p.NNZ())
		}
		same := p.Format() // Pack checks what Build returns: the arrays, the axes and Walk
		same.Build = func(int, int, []sparse.Entry) (format.Arrays, error) { return p.Arrays(), nil }
		if _, err := format.Pack(p.Matrix(), same); err != nil {
			t.Errorf("%s: %s: %v", name, p.Name, err)
		}
		var byWalk []sparse.Entry
		from, values := p.From(), p.Values()
		for e, v := range p.All() {
			byWalk = append(byWalk, e)
			all = append(all, sparse.Entry{I: e.I, J: e.J, K: int(v)})
			if float64(from[e.K]) != v-1 {
				t.Errorf("%s: %s: slot %d says it is entry %d and holds %v", name, p.Name, e.K, from[e.K], v)
			}
			from[e.K], values[e.K] = -1, 0
			if part, slot, ok := s.Find(e.I, e.J); m.NNZ() < 300 && (!ok || part != at || slot != e.K) {
				t.Errorf("%s: (%d, %d) is found in slot %d of part %d, not %d of %d", name, e.I, e.J, slot, part, e.K, at)
			}
		}
		if len(byWalk) != p.NNZ() {
			t.Errorf("%s: %s: Walk yields %d entries of %d", name, p.Name, len(byWalk), p.NNZ())
		}
		for k := range values {
			if from[k] != -1 || values[k] != 0 {
				t.Errorf("%s: %s: slot %d is padding, from %d, value %v", name, p.Name, k, from[k], values[k])
			}
		}
		slot := 0
		for k := range p.Slots() {
			e, ok := p.Entry(k)
			if hit := slot < len(byWalk) && byWalk[slot].K == k; hit != ok || ok && e != byWalk[slot] {
				t.Errorf("%s: %s: slot %d is %v %v", name, p.Name, k, e, ok)
			}
			if ok {
				slot++
			}
			if p.Slots() > 5000 && k > 500 {
				break
			}
		}
		slots, bytes = slots+p.Slots(), bytes+p.Bytes()
	}
	slices.SortFunc(all, func(a, b sparse.Entry) int { return a.K - b.K })
	var want []sparse.Entry
	for e, v := range m.All() {
		want = append(want, sparse.Entry{I: e.I, J: e.J, K: int(v)})
	}
	if !slices.Equal(all, want) {
		t.Errorf("%s: the parts have %d entries, the whole %d, or others", name, len(all), len(want))
	}
	if !s.Matrix().Equal(m) || s.NNZ() != m.NNZ() || s.Slots() != slots || s.Bytes() != bytes {
		t.Errorf("%s: the sum differs: %v", name, s)
	}
	if s.Disjoint() {
		seen := map[int]int{}
		for at, p := range s.Parts() {
			for e := range p.All() {
				if in, ok := seen[e.I]; ok && in != at || p.Repeats() && p.Format().Name != "coo" {
					t.Errorf("%s: row %d is in parts %d and %d, or %s repeats", name, e.I, in, at, p.Name)
				}
				seen[e.I] = at
			}
		}
	}
}

// TestHyb shows the parts of one matrix.
func TestHyb(t *testing.T) {
	m := sparsetest.Where("", 4, 8, func(i, j int) bool { return i == 0 || i == 2 && j > 5 || i == 3 && j == 1 }).Matrix()
	s := sparsetest.Must(Decompose(m, Hyb(2, 1)))
	want := []struct {
		name         string
		rows, column []int32
	}{
		{"hyb(2,1)/columns 0:4/1 wide", []int32{3}, []int32{1}},
		{"hyb(2,1)/columns 0:4/2 wide", []int32{0, 0}, []int32{0, 1, 2, 3}},
		{"hyb(2,1)/columns 4:8/2 wide", []int32{0, 0, 2}, []int32{4, 5, 6, 7, 6, 7}},
	}
	for k, p := range s.Parts() {
		a := p.Arrays()
		if k >= len(want) || p.Name != want[k].name || !slices.Equal(a.Levels[0].Indices, want[k].rows) || !slices.Equal(a.Levels[1].Indices, want[k].column) {
			t.Errorf("%s: rows %v, columns %v", p.Name, a.Levels[0].Indices, a.Levels[1].Indices)
		}
	}
	if len(s.Parts()) != 3 || s.Disjoint() || s.Padding() != 0 {
		t.Error(s)
	}
	if s := sparsetest.Must(Decompose(m, Hyb(1, 3))); !s.Disjoint() || s.Slots() != 8+2+1 {
		t.Error(s)
	}
	for _, c := range []struct{ rows, nnz, k int }{{0, 0, 0}, {5, 0, 0}, {5, 5, 0}, {5, 6, 1}, {5, 10, 1}, {5, 11, 2}, {2708, 10556, 2}, {19717, 88651, 3}} {
		if k := HybBuckets(c.rows, c.nnz); k != c.k {
			t.Errorf("%d entries in %d rows: %d, want %d", c.nnz, c.rows, k, c.k)
		}
	}
}

// TestHybIsEach: hyb in one step has the parts of slabs of which each is dealt to
// buckets.
func TestHybIsEach(t *testing.T) {
	for _, p := range sparsetest.Patterns() {
		m := p.Matrix()
		for _, c := range []int{1, 2, 5, 16} {
			for _, k := range []int{0, 1, 3} {
				one := sparsetest.Must(Decompose(m, Hyb(c, k))).Parts()
				two := sparsetest.Must(Decompose(m, Each(Columns(c), Buckets(k)))).Parts()
				same := slices.EqualFunc(one, two, func(a, b Part[float64]) bool {
					x, y := a.Arrays(), b.Arrays()
					return a.Format().Name == b.Format().Name && slices.Equal(a.Values(), b.Values()) && slices.Equal(a.From(), b.From()) &&
						slices.Equal(x.Levels[0].Indices, y.Levels[0].Indices) && slices.Equal(x.Levels[1].Indices, y.Levels[1].Indices)
				})
				if !same {
					t.Errorf("%s: hyb(%d,%d): %v, %v", p.Name, c, k, one, two)
				}
			}
		}
	}
}

// TestRest: what rules leave is in compressed rows, and without the empty ones if
// they are most.
func TestRest(t *testing.T) {
	for used, want := range map[int]string{3: "dcsr", 9: "dcsr", 10: "csr", 20: "csr"} {
		m := sparsetest.Where("", 20, 4, func(i, j int) bool { return i < used }).Matrix()
		s := sparsetest.Must(Decompose(m))
		if p := s.Parts()[0]; len(s.Parts()) != 1 || p.Name != "rest" || p.Format().Name != want {
			t.Errorf("%d of 20 rows: %v, want %s", used, s, want)
		}
	}
}

// TestBadRules: Decompose believes no rule.
func TestBadRules(t *testing.T) {
	m := sparsetest.Where("", 3, 4, func(i, j int) bool { return i <= j }).Matrix()
	other := sparsetest.Where("", 9, 9, func(i, j int) bool { return i == j }).Matrix()
	rule := func(split func(s Structure) ([]Group, Structure, error)) Rule { return Rule{"r", split} }
	some := func(e sparse.Entry) bool { return e.I == 1 }
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{Rule{Name: "r"}, "rule r: it has no Split; see Rule"},
		{rule(func(s Structure) ([]Group, Structure, error) { return nil, Structure{}, nil }),
			"rule.Decompose: entry 0 is in no part; a rule returns what it does not take"},
		{rule(func(s Structure) ([]Group, Structure, error) {
			_, out := s.Partition(some)
			return nil, out, nil
		}), "entry 4 is in no part"},
		{rule(func(s Structure) ([]Group, Structure, error) {
			in, _ := s.Partition(some)
			return []Group{{"a", format.CSR, in}}, s, nil
		}), "rule.Decompose: entry 4 is in r/a and rest; a rule gives it to one"},
		{rule(func(s Structure) ([]Group, Structure, error) {
			return []Group{{"a", format.Format{}, s}}, Structure{}, nil
		}),
			"r/a: it has no format; see Group.Into"},
		{rule(func(s Structure) ([]Group, Structure, error) {
			return []Group{{"a", format.ELL(3), s}}, Structure{}, nil
		}),
			"r/a: ell3: row 0 has 4 entries; use hyb, sell or csr"},
		{rule(func(s Structure) ([]Group, Structure, error) {
			return []Group{{"a", format.CSR, Structure{runs.Of(other.Raw())}}}, s, nil
		}), "r/a: a rule kept a Structure from elsewhere"},
		{rule(func(s Structure) ([]Group, Structure, error) { return nil, s, errors.New("no") }), "no"},
		{Each(Columns(2), Rule{Name: "r"}), "it has no Split"},
		{Each(Rule{Name: "r"}, Columns(2)), "it has no Split"},
		{Columns(0), "columns(0): c is 0; it is from 1 to 65536"},
		{Columns(1 << 20), "c is 1048576; it is from"},
		{Buckets(-1), "buckets(-1): k is -1; it is from 0 to 26"},
		{Hyb(1, 27), "hyb(1,27): k is 27"},
		{LongRows(0), "longrows(0): the limit is 0; it is at least 1"},
		{Blocks(0, .5), "blocks(0,0.5): the block size is 0; it is at least 1"},
		{Blocks(2, 0), "blocks(2,0): the fill is 0; it is more than 0 and at most 1"},
		{Diagonals(1.5), "diagonals(1.5): the fill is 1.5; it is more than 0 and at most 1"},
	} {
		for _, rules := range [][]Rule{{c.rule}, {LongRows(100), c.rule}} {
			if _, err := Decompose(m, rules...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
	}
	spoiled := format.CSR
	spoiled.Build = func(m, n int, in []sparse.Entry) (format.Arrays, error) {
		a, err := format.CSR.Build(m, n, in)
		a.Levels[1].Indices[0] = 99
		return a, err
	}
	broken := Rule{"r", func(s Structure) ([]Group, Structure, error) {
		return []Group{{"a", spoiled, s}}, Structure{}, nil
	}}
	if _, err := Decompose(m, broken); err == nil || !strings.Contains(err.Error(), "axis j has index 99") {
		t.Errorf("a broken format in a rule: %v", err)
	}
}

// TestSumValues: new values go where the old ones were, and the sum shares no slice
// that a caller can write.
func TestSumValues(t *testing.T) {
	r := rand.New(level.PCG(4, 4))
	m := sparsetest.Where("", 40, 30, func(i, j int) bool { return r.IntN(4) == 0 || i == 3 }).Matrix()
	double := make([]float64, m.NNZ())
	for k := range double {
		double[k] = 2 * float64(k+1)
	}
	for _, rules := range ruleSets {
		s := sparsetest.Must(Decompose(m, rules...))
		twice := sparsetest.Must(s.WithValues(double))
		if !twice.Matrix().Equal(m.Scale(2)) || !s.Matrix().Equal(m) {
			t.Errorf("%s: other values", names(rules))
		}
	}
	s := sparsetest.Must(Decompose(m))
	v := slices.Clone(double)
	twice := sparsetest.Must(s.WithValues(v))
	v[0] = -1
	_, columns, _ := m.CSR()
	if twice.Matrix().At(0, int(columns[0])) == -1 {
		t.Error("WithValues kept the caller's slice")
	}
	_, err := s.WithValues(nil)
	sparsetest.Refusal(t, "values", err, "rule.Sum.WithValues: 0 values for "+strconv.Itoa(m.NNZ())+" entries; one an entry", sparse.ErrLength)

	unsorted := sparsetest.Must(sparse.FromCSR(1, 3, []int{0, 3}, []int{2, 0, 2}, []float64{1, 5, 2}))
	if d := sparsetest.Must(Decompose(unsorted, Hyb(1, 1))); d.NNZ() != 2 || d.Matrix().At(0, 2) != 3 {
		t.Errorf("duplicates: %v", d)
	}
	var zero Sum[float32]
	if zero.Matrix().NNZ() != 0 || zero.Padding() != 0 || zero.Disjoint() {
		t.Error("the zero Sum is not empty")
	}
}

// TestRepeats: a row of several positions is one that a kernel adds to.
func TestRepeats(t *testing.T) {
	m := sparsetest.Where("", 4, 9, func(i, j int) bool { return i == 2 && j < 5 || i == 3 && j == 8 }).Matrix()
	for _, c := range []struct {
		f    format.Format
		want bool
	}{{format.CSR, false}, {format.DCSR, false}, {format.DELL(4), true}, {format.DELL(5), false}, {format.COO, true}, {format.DBSR(2), false}, {format.SELL(2, 2), false}} {
		if p := sparsetest.Must(format.Pack(m, c.f)); p.Repeats() != c.want {
			t.Errorf("%s: %v", c.f.Name, p.Repeats())
		}
	}
	for limit, want := range map[int]bool{4: true, 5: false} {
		for _, p := range sparsetest.Must(Decompose(m, LongRows(limit), LongRows(1))).Parts() {
			if p.Name == "longrows(4)" && p.Repeats() != want {
				t.Errorf("%s: %v", p.Name, p.Repeats())
			}
		}
	}
}
