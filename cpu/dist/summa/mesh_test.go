package summa_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// TestGEMMShardings: what a plan says of its matrices is what a mesh says of them.
func TestGEMMShardings(t *testing.T) {
	for _, g := range grids {
		for _, copies := range []bool{false, true} {
			plan := summa.Plan{M: 13, N: 17, K: 19, Type: dtype.F64, Grid: g, Copies: copies && g.Layers > 1}
			a, b, out, err := plan.Shardings()
			if err != nil {
				t.Fatal(err)
			}
			back, place, err := summa.PlanOf(dtype.F64, a, b, out)
			if err != nil {
				t.Fatalf("grid %v: %v", g, err)
			}
			if d := cmp.Diff(plan, back); d != "" {
				t.Errorf("grid %v: %s", g, d)
			}
			for r, at := range place {
				if r != at {
					t.Errorf("grid %v: rank %d stands at %d", g, r, at)
				}
			}
		}
	}
}

// TestGEMMOnMesh multiplies on meshes of the user's.
func TestGEMMOnMesh(t *testing.T) {
	const m, n, k = 13, 17, 19
	x, y := counting[float64](m, k, 1), counting[float64](k, n, 2)
	want := ranktest.Product(1, x, y, 0, x)
	for _, c := range []struct{ mesh, a, b, out string }{
		{"x=2,y=3", "13{x} x 19{y}", "19{x} x 17{y}", "13{x} x 17{y}"},
		{"x=2,y=3", "13{y} x 19{x}", "19{y} x 17{x}", "13{y} x 17{x}"},
		{"x=2,y=2,z=2", "13{y} x 19{z,x}", "19{z,y} x 17{x}", "13{y,z} x 17{x}"},
		{"x=2,y=2,z=2", "13{x} x 19{y}", "19{x} x 17{y}", "13{x,z} x 17{y}"},
		{"x=4", "13{x} x 19", "19{x} x 17", "13{x} x 17"},
		{"x=4", "13 x 19{x}", "19 x 17{x}", "13 x 17{x}"},
		{"x=4", "13 x 19{x}", "19{x} x 17", "13{x} x 17"},
		{"x=2,y=3", "13{x,y} x 19", "19{x,y} x 17", "13{x,y} x 17"},
	} {
		ms := mesh.Must(mesh.ParseMesh(c.mesh))
		a, b, out := mesh.Must(ms.Parse(c.a)), mesh.Must(ms.Parse(c.b)), mesh.Must(ms.Parse(c.out))
		have := layout.New[float64](m, n)
		tile := func(x layout.Matrix[float64], s mesh.Sharding, rank int) layout.Matrix[float64] {
			at, n := s.Offset(rank), s.Local(rank)
			return x.Slice(at[0], at[0]+n[0], at[1], at[1]+n[1])
		}
		err := comm.Run(ms.Size(), func(co *comm.Comm) error {
			s, err := summa.NewOn[float64](co, a, b, out, 4)
			if err != nil {
				return err
			}
			r := co.Rank()
			return s.Mul(summa.Options[float64]{}, tile(have, out, r), tile(x, a, r), tile(y, b, r))
		})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if d := cmp.Diff(want.Data, have.Data); d != "" {
			t.Errorf("%+v: -want +have\n%s", c, d)
		}
	}
}

func TestGEMMPlanOfRefuses(t *testing.T) {
	for _, c := range []struct{ mesh, a, b, out, want string }{
		{"x=2,y=3", "13{x} x 19{y}", "18{x} x 17{y}", "13{x} x 17{y}", "a is 13 x 19, b is 18 x 17"},
		{"x=2,y=3", "13{x} x 19{y}", "19{y} x 17{x}", "13{x} x 17{y}", "divide the 6 ranks"},
		{"x=2,y=3", "13{x} x 19{y}", "19{x} x 17{y}", "13{y} x 17{x}", "reshard out"},
		{"x=2,y=3", "13{x} x 19", "19{x} x 17{y}", "13{x} x 17{y}", "reshard a (13{x} x 19)"},
		{"x=2,y=2,z=2", "13{x} x 19{y}", "19{x} x 17{y}", "13{x} x 17{y}", "out"},
		{"x=2", "13{x:2} x 19", "19{x} x 17", "13{x} x 17", "dealt in blocks of 2"},
	} {
		m := mesh.Must(mesh.ParseMesh(c.mesh))
		_, _, err := summa.PlanOf(dtype.F64, mesh.Must(m.Parse(c.a)), mesh.Must(m.Parse(c.b)), mesh.Must(m.Parse(c.out)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
