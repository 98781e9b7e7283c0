package mesh_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

func TestMesh(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh(" x=2, y=4,z=1"))
	if got := m.String(); got != "x=2,y=4,z=1" || m.Size() != 8 {
		t.Errorf("%s of %d ranks", got, m.Size())
	}
	for r := range m.Size() {
		c := m.Coordinates(r)
		if back := m.Rank(c...); back != r || c[0] != r/4 || c[1] != r%4 {
			t.Errorf("rank %d is at %v, where rank %d is", r, c, back)
		}
	}
	split := mesh.Must(m.Split("y", 2, 2))
	if diff := cmp.Diff("x=2,y.0=2,y.1=2,z=1", split.String()); diff != "" {
		t.Error(diff)
	}
	if c := split.Coordinates(6); !cmp.Equal(c, []int{1, 1, 0, 0}) {
		t.Errorf("rank 6 is at %v", c)
	}
	if zero := (mesh.Mesh{}); zero.Size() != 1 || zero.Rank() != 0 || zero.String() != "" {
		t.Error("the zero mesh is not one rank")
	}
}

func TestMeshRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x=2,x=3", "mesh.New: two axes are called x"},
		{"x=0", "mesh.New: axis x has size 0; want at least 1"},
		{"x=1024,y=1024,z=2", "mesh.New: more than 1048576 ranks"},
		{fmt.Sprintf("x=%d,y=3", math.MaxInt), "mesh.New: more than 1048576 ranks"},
		{"x=99999999999999999999", fmt.Sprintf(`mesh: column 3: "99999999999999999999" is more than %d`, math.MaxInt)},
		{"2=2", `mesh: column 1: "2=2", want the name of an axis`},
		{"x", "mesh: column 2: the end of the text, want '='"},
		{"x=2 y=2", `mesh: column 5: "y=2" after the end`},
		{"x=-2", `mesh: column 3: "-2", want an integer from 0 on`},
		{strings.Repeat("a", 65) + "=2", `mesh: column 1: "aaaaaaaaaaaaaaaaaaaa...", want the name of an axis`},
	} {
		if _, err := mesh.ParseMesh(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	m := mesh.Must(mesh.ParseMesh("x=6,y=2,y.0=1"))
	for _, c := range []struct {
		axis  string
		sizes []int
		want  string
	}{
		{"x", []int{4, 2}, "mesh.Split: axis x of size 6 into [4 2]; want sizes whose product it is"},
		{"x", []int{3, 0}, "mesh.Split: axis x of size 6 into [3 0]; want sizes whose product it is"},
		{"z", []int{1}, "mesh.Split: x=6,y=2,y.0=1 has no axis z"},
		{"y", []int{2, 1}, "mesh.New: two axes are called y.0"},
	} {
		if _, err := m.Split(c.axis, c.sizes...); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
