package mesh_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

func ExampleSharding_Layout() {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3"))
	s := mesh.Must(m.Parse("4{x} x 6"))
	l, err := s.Layout()
	fmt.Println(l, err)
	fmt.Println("element 7 of rank 4 is number", l.At(4, 7), "of the array")
	// Output:
	// ((3,2),(6,2)):((0,12),(1,6)) <nil>
	// element 7 of rank 4 is number 19 of the array
}

// TestLayoutIsTheTile: the law of Layout: the elements of a rank's tile, in order, are the
// indices that Runs names.
func TestLayoutIsTheTile(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3,z=2"))
	for _, text := range []string{"12{y,z}", "12{y:2} x 8{x}", "6 x 4{z} x 12{x,y:1}", "24{z,x:2} x 5"} {
		s := mesh.Must(m.Parse(text))
		l := mesh.Must(s.Layout())
		for r := range m.Size() {
			at := []int{0} // offsets of the tile's elements
			for i, n := range s.Shape() {
				var next []int
				for _, a := range at {
					for lo, hi := range s.Runs(r, i) {
						for j := lo; j < hi; j++ {
							next = append(next, a*n+j)
						}
					}
				}
				at = next
			}
			if n := l.Mode(1).Size(); n != len(at) {
				t.Fatalf("%s: tiles of %d, layout of %d", text, len(at), n)
			}
			for i, want := range at {
				if got := l.At(r, i); got != want {
					t.Errorf("%s: element %d of rank %d is %d, layout says %d", text, i, r, want, got)
				}
			}
		}
	}
	for _, text := range []string{"7{x}", "0", "12{x,y:4}"} {
		if _, err := mesh.Must(m.Parse(text)).Layout(); err == nil {
			t.Errorf("%s has a layout", text)
		}
	}
}
