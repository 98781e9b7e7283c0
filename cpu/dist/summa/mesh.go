package summa

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// Shardings returns the shardings of the matrices of p on the mesh of its grid, to which you
// reshard operands. The axes are layer, row and col, and the ranks are those of the grid.
func (p Plan) Shardings() (a, b, out mesh.Sharding, err error) {
	if err := p.Check(); err != nil {
		return a, b, out, err
	}
	m, err := mesh.New(mesh.Axis{Name: "layer", Size: p.Grid.Layers}, mesh.Axis{Name: "row", Size: p.Grid.Rows}, mesh.Axis{Name: "col", Size: p.Grid.Cols})
	if err != nil {
		return a, b, out, err
	}
	inner := []string{"layer"}
	if p.Copies {
		inner = nil
	}
	for _, x := range []struct {
		s          *mesh.Sharding
		rows, cols mesh.Dim
	}{
		{&a, mesh.Dim{Size: p.M, Axes: []string{"row"}}, mesh.Dim{Size: p.K, Axes: slices.Concat(inner, []string{"col"})}},
		{&b, mesh.Dim{Size: p.K, Axes: slices.Concat(inner, []string{"row"})}, mesh.Dim{Size: p.N, Axes: []string{"col"}}},
		{&out, mesh.Dim{Size: p.M, Axes: []string{"row", "layer"}}, mesh.Dim{Size: p.N, Axes: []string{"col"}}},
	} {
		if *x.s, err = m.Shard(x.rows, x.cols); err != nil {
			return a, b, out, err
		}
	}
	return a, b, out, nil
}

// PlanOf returns the plan of a product of matrices with these shardings on a mesh of any
// axes, and the place of each rank in its grid. It takes shardings that some grid has, in any
// order of the mesh's axes. For other matrices the error says what prevents a plan, so that
// you can reshard a matrix.
func PlanOf(t dtype.Type, a, b, out mesh.Sharding) (plan Plan, place []int, err error) {
	list := []mesh.Sharding{a, b, out}
	for i, s := range list {
		name := operandName(i)
		if !s.Mesh().Equal(a.Mesh()) {
			return plan, nil, fmt.Errorf("a is on a mesh of %v, %s of %v", a.Mesh(), name, s.Mesh())
		}
		if len(s.Shape()) != 2 {
			return plan, nil, fmt.Errorf("%s has %d dimensions; want 2", name, len(s.Shape()))
		}
		for d, x := range s.Dims() {
			if x.Block > 0 {
				return plan, nil, fmt.Errorf("dimension %d of %s is dealt in blocks of %d; reshard it to one block a rank", d, name, x.Block)
			}
		}
	}
	sa, sb, sc := a.Shape(), b.Shape(), out.Shape()
	if sa[1] != sb[0] || sa[0] != sc[0] || sb[1] != sc[1] {
		return plan, nil, fmt.Errorf("a is %d x %d, b is %d x %d, out is %d x %d; want m x k, k x n, m x n", sa[0], sa[1], sb[0], sb[1], sc[0], sc[1])
	}
	g := Grid{Rows: a.Parts()[0], Cols: b.Parts()[1]}
	ranks := a.Mesh().Size()
	g.Layers = ranks / (g.Rows * g.Cols)
	if g.Layers < 1 || g.Rows*g.Cols*g.Layers != ranks {
		return plan, nil, fmt.Errorf("a is cut into %d by rows and b into %d by columns; their product does not divide the %d ranks", g.Rows, g.Cols, ranks)
	}
	plan = Plan{M: sa[0], N: sb[1], K: sa[1], Type: t, Grid: g}
	plan.Copies = g.Layers > 1 && a.Parts()[1] == g.Cols
	if err := plan.Check(); err != nil {
		return plan, nil, err
	}
	if place, err = plan.places(list); err != nil {
		return plan, nil, err
	}
	return plan, place, nil
}

// places returns where ranks stand that have these parts.
func (p Plan) places(list []mesh.Sharding) ([]int, error) {
	place := make([]int, p.Grid.Ranks())
	taken := make([]int, len(place))
	for r := range place {
		row, col := list[0].Part(r)[0], list[1].Part(r)[1]
		layer := list[2].Part(r)[0] - row*p.Grid.Layers
		if layer < 0 || layer >= p.Grid.Layers {
			return nil, fmt.Errorf("rank %d has part %d of the rows of a and part %d of the rows of out; a grid of %v wants each part of a's rows cut into %d",
				r, row, list[2].Part(r)[0], p.Grid, p.Grid.Layers)
		}
		at := p.Grid.rank(layer, row, col)
		for i, want := range []dist.Rect{p.A(at), p.B(at), p.C(at)} {
			lo, n := list[i].Offset(r), list[i].Local(r)
			have := dist.Rect{Rows: dist.Span{Lo: lo[0], Hi: lo[0] + n[0]}, Cols: dist.Span{Lo: lo[1], Hi: lo[1] + n[1]}}
			if have != want {
				return nil, fmt.Errorf("rank %d has of %s %v; a grid of %v, which the rows of a and the columns of b make, wants %v: reshard %s (%v)",
					r, operandName(i), have, p.Grid, want, operandName(i), list[i])
			}
		}
		if taken[at]++; taken[at] > 1 {
			return nil, fmt.Errorf("rank %d has the same parts as another; nothing in %v, %v and %v tells them apart", r, list[0], list[1], list[2])
		}
		place[r] = at
	}
	return place, nil
}

// NewOn prepares products of matrices with these shardings on a mesh whose ranks are
// those of c. It is [New] with the plan of [PlanOf], with panels of at most the
// given width, 0 for the widest. The parts of a rank are the tiles of the shardings.
func NewOn[T dtype.Float](c *comm.Comm, a, b, out mesh.Sharding, panel int) (*Product[T], error) {
	const what = "summa.NewOn"
	plan, place, err := PlanOf(dtype.Of[T](), a, b, out)
	if plan.Panel = panel; err == nil {
		err = plan.Check()
	}
	facts := []comm.Fact{comm.NewFact("a", a), comm.NewFact("b", b), comm.NewFact("out", out)} // the plan does not say who is where
	return newProduct[T](c, what, plan, err, func(rank int) int { return place[rank] }, facts)
}
