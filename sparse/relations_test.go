package sparse_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
)

// Relations give back the matrices that they were made of, and their transposes.
func TestRelations(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	for _, c := range [][4]int{{1, 1, 1, 0}, {3, 5, 2, 9}, {129, 40, 3, 500}, {300, 300, 27, 200}} {
		rows, cols, count, edges := c[0], c[1], c[2], c[3]
		var i, j, kind []int32
		var values []float64
		builders := make([]*sparse.Builder[float64], count)
		for r := range builders {
			builders[r] = sparse.NewBuilder[float64](rows, cols)
		}
		for e := range edges {
			i, j, kind, values = append(i, int32(rng.IntN(rows))), append(j, int32(rng.IntN(cols))), append(kind, int32(rng.IntN(count))), append(values, float64(e))
			builders[kind[e]].Add(int(i[e]), int(j[e]), values[e])
		}
		want := make([]sparse.Matrix[float64], count)
		for r, b := range builders {
			var err error
			if want[r], err = b.Matrix(); err != nil {
				t.Fatal(err)
			}
		}
		byEdges, err := sparse.RelationsOf(rows, cols, count, i, j, kind, values)
		if err != nil {
			t.Fatal(err)
		}
		byMatrix, err := sparse.NewRelations(want...)
		if err != nil {
			t.Fatal(err)
		}
		turned := byEdges.Transpose()
		for r := range want {
			if !byEdges.Matrix(r).Equal(want[r]) || !byMatrix.Matrix(r).Equal(want[r]) || !turned.Matrix(r).Equal(want[r].Transpose()) {
				t.Errorf("%v: relation %d is another one", c, r)
			}
		}
		if byEdges.NNZ() != edges {
			t.Errorf("%v: %d entries", c, byEdges.NNZ())
		}
	}
}

func TestConvolutionEdges(t *testing.T) {
	points := [][3]int32{{0, 0, 0}, {math.MaxInt32, 0, 0}, {math.MinInt32, 0, 0}, {1, 0, 0}}
	a, err := sparse.Convolution[float32](points, [][3]int32{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 7, 0}})
	if err != nil {
		t.Fatal(err)
	}
	have := ""
	for r := range a.Count() {
		for e := range a.Matrix(r).All() {
			have += fmt.Sprintf(" %d:%d-%d", r, e.I, e.J)
		}
	}
	if want := " 0:0-0 0:1-1 0:2-2 0:3-3 1:0-3 2:3-0"; have != want { // no wrap from one end to the other
		t.Errorf("%s, want %s", have, want)
	}
}

func TestRefusedRelations(t *testing.T) {
	three, _ := sparse.Identity[float64](3)
	four, _ := sparse.Identity[float64](4)
	edges := func(rows, cols, count int, i, j, kind []int32, v []float64) func() error {
		return func() error { _, err := sparse.RelationsOf(rows, cols, count, i, j, kind, v); return err }
	}
	one := []int32{0, 1}
	for _, c := range []struct {
		do   func() error
		kind error
		want string
	}{
		{func() error { _, err := sparse.NewRelations[float64](); return err }, sparse.ErrNil, "sparse.NewRelations: no matrix; want at least one"},
		{func() error { _, err := sparse.NewRelations(three, four); return err }, sparse.ErrShape, "sparse.NewRelations: relation 1 is 4 x 4, relation 0 is 3 x 3; want one shape"},
		{edges(2, 2, 2, one, one, []int32{0, 2}, nil), sparse.ErrIndex, "sparse.RelationsOf: relation 2 of edge 1; relations are from 0 to 1"},
		{edges(2, 2, 2, one, []int32{0, -1}, one, nil), sparse.ErrIndex, "sparse.RelationsOf: column -1 of edge 1; columns are from 0 to 1"},
		{edges(1, 2, 2, one, one, one, nil), sparse.ErrIndex, "sparse.RelationsOf: row 1 of edge 1; rows are from 0 to 0"},
		{edges(2, 2, 0, nil, nil, nil, nil), sparse.ErrSize, ""},
		{edges(2, 2, 2, one, one, one, make([]float64, 3)), sparse.ErrLength, "sparse.RelationsOf: 2 rows, 2 columns, 2 kinds and 3 values; want one of each for an edge"},
		{edges(sparse.MaxDim+1, 2, 2, nil, nil, nil, nil), sparse.ErrSize, ""},
		{edges(1<<20, 2, 1<<30, nil, nil, nil, nil), sparse.ErrSize, "sparse.RelationsOf: 1073741824 relations in each of 8192 tiles of 128 rows; at most 16777216"},
		{func() error {
			_, err := sparse.Convolution[float32]([][3]int32{{1, 2, 3}, {1, 2, 3}}, [][3]int32{{}})
			return err
		}, sparse.ErrIndex,
			"sparse.Convolution: point 1 is point 0, [1 2 3]; want each once"},
		{func() error { _, err := sparse.Convolution[float32](nil, nil); return err }, sparse.ErrNil, ""},
	} {
		if err := c.do(); !errors.Is(err, c.kind) || c.want != "" && err.Error() != c.want {
			t.Errorf("%v, want %v %s", err, c.kind, c.want)
		}
	}
}
