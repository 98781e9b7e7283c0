package sparse_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// The transpose has the entries, and shares the arrays, of the matrix.
func TestTransposedCSC(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	for _, c := range [][3]int{{0, 0, 0}, {1, 1, 1}, {7, 3, 10}, {3, 7, 10}, {200, 300, 900}} {
		b := sparse.NewBuilder[float64](c[0], c[1])
		for e := range c[2] {
			b.Add(rng.IntN(c[0]), rng.IntN(c[1]), float64(e))
		}
		m, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		p := format.TransposedCSC(m)
		want, err := format.Pack(m.Transpose(), format.CSC)
		if err != nil {
			t.Fatal(err)
		}
		if have := p.Matrix(); !have.Equal(m.Transpose()) || p.Format().Name != "csc" || p.Rows() != c[1] || p.NNZ() != want.NNZ() {
			t.Errorf("%v: %v", c, have)
		}
		for e, v := range m.Canonical().All() {
			slot, ok := p.Find(e.J, e.I)
			if !ok || p.Values()[slot] != v {
				t.Fatalf("%v: element (%d, %d) is at %d, %v", c, e.J, e.I, slot, ok)
			}
		}
	}
	var zero sparse.Matrix[float32]
	if p := format.TransposedCSC(zero); p.NNZ() != 0 || p.Matrix().NNZ() != 0 {
		t.Error("the zero matrix has entries")
	}
	m, err := sparse.Identity[float64](50)
	if err != nil {
		t.Fatal(err)
	}
	if p := format.TransposedCSC(m); p.Raw().Values != m.Raw().Values || p.RawLevel(1).Indices != m.Raw().Indices {
		t.Error("arrays were copied")
	}
}

func TestSelectionAndSegments(t *testing.T) {
	s, err := sparse.Selection[float64](4, []int32{2, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	have := ""
	for e, v := range s.All() {
		have += fmt.Sprint(" ", e.I, e.J, v)
	}
	g, err := sparse.Segments[float64]([]int{0, 1, 1, 5}, true)
	if err != nil {
		t.Fatal(err)
	}
	for e, v := range g.All() {
		have += fmt.Sprint(" ", e.I, e.J, v)
	}
	if want := " 0 2 1 1 0 1 2 2 1 0 0 1 2 1 0.25 2 2 0.25 2 3 0.25 2 4 0.25"; have != want {
		t.Errorf("%s, want %s", have, want)
	}
	if rows, cols := g.Dims(); rows != 3 || cols != 5 {
		t.Errorf("segments are %d x %d", rows, cols)
	}
	segments := func(offsets ...int) func() error {
		return func() error { _, err := sparse.Segments[float64](offsets, false); return err }
	}
	for _, c := range []struct {
		do   func() error
		kind error
		want string
	}{
		{func() error { _, err := sparse.Selection[float64](2, []int32{0, 2}); return err }, sparse.ErrIndex, "sparse.Selection: row 2 at place 1; rows are from 0 to 1"},
		{func() error { _, err := sparse.Selection[float64](2, []int32{-1}); return err }, sparse.ErrIndex, "sparse.Selection: row -1 at place 0; rows are from 0 to 1"},
		{func() error { _, err := sparse.Selection[float64](-2, nil); return err }, sparse.ErrSize, ""},
		{segments(), sparse.ErrPointers, "sparse.Segments: offsets []; want the first to be 0"},
		{segments(1, 2), sparse.ErrPointers, "sparse.Segments: offsets [1]; want the first to be 0"},
		{segments(0, 3, 2), sparse.ErrPointers, "sparse.Segments: offset 2 is 2, after 3; want them not to descend"},
		{segments(0, sparse.MaxDim+1), sparse.ErrSize, ""},
	} {
		if err := c.do(); !errors.Is(err, c.kind) || c.want != "" && err.Error() != c.want {
			t.Errorf("%v, want %v %s", err, c.kind, c.want)
		}
	}
}
