package sample

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

type matrix32 = sparse.Matrix[float32]

// hash is of the structure and the values.
func hash(m matrix32) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, m)
	for e, v := range m.All() {
		fmt.Fprint(h, e.I, " ", e.J, " ", math.Float32bits(v), " ")
	}
	return h.Sum64()
}

// kinds is every generator with small arguments, and what is to come of it.
var kinds = []struct {
	name  string
	make  func(seed uint64) (matrix32, error)
	nnz   int
	fixed bool // has no seed
	law   func(i, j int) bool
}{
	{"RMAT", func(s uint64) (matrix32, error) { return RMAT[float32](300, 2000, .57, .19, .19, s) }, 2000, false, nil},
	{"RMAT, full", func(s uint64) (matrix32, error) { return RMAT[float32](5, 25, .3, .3, .2, s) }, 25, true, nil},
	{"ChungLu", func(s uint64) (matrix32, error) {
		return ChungLu[float32](Graph{Nodes: 500, Entries: 3001, Gamma: 2.1, MaxDegree: 90, Local: .3, Community: 10}, s)
	}, 3001, false, nil},
	{"ChungLu, blocks", func(s uint64) (matrix32, error) {
		return ChungLu[float32](Graph{Nodes: 501, Entries: 3000, Gamma: 2.1, MaxDegree: 90, Local: .3, Community: 10, Blocks: 7}, s)
	}, 3000, false, func(i, j int) bool { return i*7/501 == j*7/501 && i != j }},
	{"Uniform", func(s uint64) (matrix32, error) { return Uniform[float32](50, 70, 6, s) }, 300, false, nil},
	{"Uniform, dense", func(s uint64) (matrix32, error) { return Uniform[float32](50, 70, 66, s) }, 3300, false, nil},
	{"DenseRow", func(s uint64) (matrix32, error) { return DenseRow[float32](51, 100, 4, s) }, 300, false, nil},
	{"DenseColumn", func(s uint64) (matrix32, error) { return DenseColumn[float32](51, 1000, 0, s) }, 51, true, func(i, j int) bool { return j == 500 }},
	{"EmptyRows", func(s uint64) (matrix32, error) { return EmptyRows[float32](51, 100, 4, s) }, 26 * 4, false, nil},
	{"Pruned", func(s uint64) (matrix32, error) { return Pruned[float32](40, 50, .9, s) }, 200, false, nil},
	{"Blocks", func(s uint64) (matrix32, error) { return Blocks[float32](40, 80, 8, .3, s) }, 15 * 64, false, nil},
	{"Blocks, edges", func(s uint64) (matrix32, error) { return Blocks[float32](41, 43, 8, 1, s) }, 41 * 43, true, nil},
	{"Banded", func(uint64) (matrix32, error) { return Banded[float32](20, 3) }, 20*7 - 12, true, func(i, j int) bool { return max(i-j, j-i) <= 3 }},
	{"Banded, full", func(uint64) (matrix32, error) { return Banded[float32](20, sparse.MaxDim) }, 400, true, nil},
	{"Diagonals", func(uint64) (matrix32, error) { return Diagonals[float32](9, 12, 3, 0, -8, 3) }, 9 + 9 + 1, true, func(i, j int) bool { return j-i == 3 || j == i || j-i == -8 }},
	{"Butterfly", func(uint64) (matrix32, error) { return Butterfly[float32](32, 4) }, 32 * 4 * 4, true, func(i, j int) bool {
		d := i/4 ^ j/4
		return d&(d-1) == 0
	}},
	{"empty", func(s uint64) (matrix32, error) { return Uniform[float32](0, 0, 0, s) }, 0, true, nil},
	{"empty RMAT", func(s uint64) (matrix32, error) { return RMAT[float32](0, 0, .25, .25, .25, s) }, 0, true, nil},
	{"empty graph", func(s uint64) (matrix32, error) { return ChungLu[float32](Graph{}, s) }, 0, true, nil},
}

// TestKinds: the number of entries is met, the law holds, and a seed makes the same
// matrix and another one another.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		m, err := k.make(1)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		again, _ := k.make(1)
		other, _ := k.make(2)
		if hash(m) != hash(again) || (hash(m) == hash(other)) != k.fixed {
			t.Errorf("%s: the seed does not say which matrix it is", k.name)
		}
		if m.NNZ() != k.nnz || !m.Sorted() || m.HasDuplicates() {
			t.Errorf("%s: %v, want %d entries", k.name, m, k.nnz)
		}
		for e, v := range m.All() {
			if v != 1 || k.law != nil && !k.law(e.I, e.J) {
				t.Errorf("%s: entry (%d, %d) is %v", k.name, e.I, e.J, v)
			}
		}
		if k.law != nil && k.fixed {
			for i := range m.Rows() {
				for j := range m.Cols() {
					if k.law(i, j) && m.At(i, j) == 0 {
						t.Errorf("%s: (%d, %d) is missing", k.name, i, j)
					}
				}
			}
		}
		if strings.HasPrefix(k.name, "ChungLu") && m.NNZ()%2 == 0 && !m.Equal(m.Transpose()) {
			t.Errorf("%s is not symmetric", k.name)
		}
	}
}

// TestSeeds pins two matrices: results that were measured stay comparable.
func TestSeeds(t *testing.T) {
	m, err := RMAT[float32](1000, 5000, .57, .19, .19, 7)
	if err != nil {
		t.Fatal(err)
	}
	if h := hash(Random(m, 7)); h != wantRMAT {
		t.Errorf("R-MAT and values changed: %#x", h)
	}
	m, err = Uniform[float32](100, 100, 5, 7)
	if err != nil {
		t.Fatal(err)
	}
	if h := hash(Integers(m, 4, 7)); h != wantUniform {
		t.Errorf("Uniform and integers changed: %#x", h)
	}
}

const (
	wantRMAT    = 0x9d83b3282c331c80
	wantUniform = 0x66b393c58ae9fdbe
)

func TestValues(t *testing.T) {
	m, _ := Banded[float64](100, 5)
	seen := map[float64]int{}
	for _, v := range Integers(m, 3, 1).All() {
		seen[v]++
	}
	for _, v := range []float64{-3, -2, -1, 1, 2, 3} {
		if seen[v] < 100 {
			t.Errorf("%v comes %d times of %d", v, seen[v], m.NNZ())
		}
		delete(seen, v)
	}
	if len(seen) > 0 {
		t.Errorf("also %v", seen)
	}
	sum := 0.0
	for _, v := range Random(m, 1).All() {
		if v < -1 || v >= 1 {
			t.Errorf("random value %v", v)
		}
		sum += v
	}
	if math.Abs(sum) > 100 {
		t.Errorf("random values add to %v", sum)
	}
	defer func() {
		e, ok := recover().(*sparse.Error)
		if !ok || !errors.Is(e, sparse.ErrValue) || e.Error() != "sample.Integers: the largest value is 0; it is at least 1" {
			t.Errorf("panic with %v", e)
		}
	}()
	Integers(m, 0, 1)
}

// TestRows: skew is where it was asked for.
func TestRows(t *testing.T) {
	m, _ := DenseRow[float32](1001, 500, 1, 3) // a third
	if f := FingerprintOf(m); f.Max != 500 || f.NNZ != 1500 || f.P99 != 1 || m.RowNNZ(500) != 500 {
		t.Error(f)
	}
	m, _ = EmptyRows[float32](1000, 500, 9, 3)
	if f := FingerprintOf(m); f.Empty != 500 || f.Max != 9 || f.P99 != 9 {
		t.Error(f)
	}
	m, _ = DenseColumn[float32](1000, 500, 9, 3)
	if f := FingerprintOf(m.Transpose()); f.Max != 1000 || f.P50 > 30 {
		t.Error(f)
	}
	if s := FingerprintOf(matrix32{}).String(); s != "0 x 0, 0 entries, rows of 0 (median), 0 (one in a hundred), 0 (longest), 0 empty" {
		t.Error(s)
	}
}

// TestRecipes: the stand-ins have about the rows of the real graphs, and about their
// padding in hyb. Those of millions of entries wait for TILESMITH_LONG=1.
func TestRecipes(t *testing.T) {
	for _, c := range []struct {
		name              string
		nnz, p50, p99     int
		low, high, hyb    float64 // of the longest row; padding of the real one in %
		emptyLow, emptyHi float64
	}{
		{"cora", 10556, 3, 19, 60, 200, 15.8, 0, .1},
		{"citeseer", 9228, 2, 15, 40, 150, 13.0, 0, .15},
		{"pubmed", 88651, 2, 35, 120, 260, 23.1, 0, .2},
		{"arxiv", 1166243, 3, 60, 5000, 14000, 17.5, 0, .2},
		{"arxiv-rmat", 1166243, 0, 98, 4000, 9000, 17.5, .4, .6},
	} {
		if c.nnz > 1e6 && !level.Long() {
			continue
		}
		r, err := Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Make[float32](r, 1)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s, err := rule.Decompose(m, rule.Hyb(r.Slabs, r.Buckets))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f, padding := FingerprintOf(m), 100*s.Padding()
		empty := float64(f.Empty) / float64(f.Rows)
		if f.NNZ != c.nnz || max(f.P50-c.p50, c.p50-f.P50) > 1 || float64(f.P99) < .6*float64(c.p99) || float64(f.P99) > 1.5*float64(c.p99) ||
			float64(f.Max) < c.low || float64(f.Max) > c.high || math.Abs(padding-c.hyb) > 3 || empty < c.emptyLow || empty > c.emptyHi {
			t.Errorf("%s: %v; %.1f %% padding, the real one has %v", c.name, f, padding, c.hyb)
		}
	}
	if _, err := Find("x"); !errors.Is(err, sparse.ErrValue) || !strings.Contains(err.Error(), `no recipe is named "x"; there are cora citeseer`) {
		t.Error(err)
	}
}

// TestRefuses: what cannot be is said, before memory is taken for it.
func TestRefuses(t *testing.T) {
	big := sparse.MaxDim
	for _, c := range []struct {
		make func() (matrix32, error)
		want string
		kind error
	}{
		{func() (matrix32, error) { return RMAT[float32](big+1, 1, .5, .1, .1, 1) }, "sample.RMAT: size 134217729 x 134217729", sparse.ErrSize},
		{func() (matrix32, error) { return RMAT[float32](3, 10, .5, .1, .1, 1) }, "10 entries in 3 x 3; from 0 to 9 fit", sparse.ErrSize},
		{func() (matrix32, error) { return RMAT[float32](3, -1, .5, .1, .1, 1) }, "-1 entries", sparse.ErrSize},
		{func() (matrix32, error) { return RMAT[float32](3, 1, .5, .6, .1, 1) }, "the quarters have 0.5, 0.6, 0.1", nil},
		{func() (matrix32, error) { return RMAT[float32](3, 1, math.NaN(), .6, .1, 1) }, "the quarters have NaN", nil},
		{func() (matrix32, error) { return RMAT[float32](8, 2, 1, 0, 0, 1) }, "1 of 2 entries after 1201 draws; ask for fewer, or for less skew", nil},
		{func() (matrix32, error) { return ChungLu[float32](Graph{Nodes: 9, Entries: 9, Gamma: 1}, 1) }, "Gamma is 1; it is more than 1", nil},
		{func() (matrix32, error) { return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2}, 1) }, "MaxDegree is 0; the mean is 2.0", nil},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2, MaxDegree: 3, Local: .1}, 1)
		}, "communities of 0", nil},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2, MaxDegree: 3, Local: 2}, 1)
		}, "Local is 2; it is from 0 to 1", nil},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2, MaxDegree: 3, Blocks: 10}, 1)
		}, "10 blocks of 9 nodes", nil},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: math.Inf(1), MaxDegree: 3}, 1)
		}, "Gamma is +Inf; it is more than 1, and finite", sparse.ErrValue},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2, MaxDegree: 3, Blocks: -1}, 1)
		}, "-1 blocks of 9 nodes", sparse.ErrSize},
		{func() (matrix32, error) {
			return ChungLu[float32](Graph{Nodes: 9, Entries: 18, Gamma: 2, MaxDegree: 3, Community: -1}, 1)
		}, "communities of -1", sparse.ErrSize},
		{func() (matrix32, error) { return Make[float32](Recipe{Name: "quux"}, 1) }, `the recipe "quux" makes nothing; want one of Recipes`, sparse.ErrValue},
		{func() (matrix32, error) { return Uniform[float32](3, 3, 4, 1) }, "sample.Uniform: 4 entries in each of 3 rows of 3 columns", sparse.ErrSize},
		{func() (matrix32, error) { return DenseColumn[float32](big, big, 16, 1) }, "sample.DenseColumn: 16 entries in each", sparse.ErrSize},
		{func() (matrix32, error) { return Pruned[float32](3, 3, 1.5, 1) }, "sample.Pruned: sparsity is 1.5", nil},
		{func() (matrix32, error) { return Blocks[float32](big, big, 1<<20, .9, 1) }, "sample.Blocks: ", sparse.ErrSize},
		{func() (matrix32, error) { return Blocks[float32](3, 3, 0, .5, 1) }, "blocks of 0", nil},
		{func() (matrix32, error) { return Blocks[float32](3, 3, 1, -1, 1) }, "density is -1", nil},
		{func() (matrix32, error) { return Banded[float32](3, -1) }, "a half width of -1", nil},
		{func() (matrix32, error) { return Banded[float32](big, 50) }, "134217728 rows of 101 entries", sparse.ErrSize},
		{func() (matrix32, error) { return Diagonals[float32](3, 4, 4) }, "diagonals 4 to 4 of 3 x 4", sparse.ErrIndex},
		{func() (matrix32, error) { return Diagonals[float32](3, 4, -3, 0) }, "diagonals -3 to 0 of 3 x 4", sparse.ErrIndex},
		{func() (matrix32, error) { return Butterfly[float32](24, 4) }, "blocks of 4 in 24 rows; a power of two", nil},
		{func() (matrix32, error) { return Butterfly[float32](24, 0) }, "blocks of 0 in 24 rows", nil},
		{func() (matrix32, error) { return Butterfly[float32](1<<20, 1<<12) }, "1048576 rows of 9 blocks of 4096", sparse.ErrSize},
	} {
		_, err := c.make()
		var e *sparse.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != nil && !errors.Is(err, c.kind) || !errors.As(err, &e) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
