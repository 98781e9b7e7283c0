package dense

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling"
)

// A kernel for a shape refuses others.
func TestCheckShape(t *testing.T) {
	for _, c := range []struct {
		shape   tiling.Shape
		m, n, k int
		ok      bool
	}{
		{tiling.Shape{}, 1, 2, 3, true}, {tiling.Shape{N: 2}, 1, 2, 3, true}, {tiling.Shape{N: 2}, 1, 3, 3, false}, {tiling.Shape{M: 2}, 1, 3, 3, false}, {tiling.Shape{K: 2}, 2, 2, 3, false},
	} {
		err, _ := panicOf(func() { checkShape("small.Test", c.shape, c.m, c.n, c.k) }).(error)
		if (err == nil) != c.ok {
			t.Errorf("%d x %d x %d of %v: %v", c.m, c.n, c.k, c.shape, err)
		}
	}
	have := fmt.Sprint(panicOf(func() { checkShape("small.Test", tiling.Shape{N: 40, K: 32}, 7, 41, 32) }))
	want := fmt.Sprint(layout.ShapeError{What: "small.Test", Why: "out is 7 x 41 with k = 32, but it was generated for m x n x k = m x 40 x 32; generate another with Shape left open"})
	if have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}
