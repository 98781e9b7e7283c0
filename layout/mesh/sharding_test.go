package mesh_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

// TestShardingText: text that parses is printed as it was.
func TestShardingText(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3,z=5"))
	for _, text := range []string{"", "7", "0{x}", "12{x,y} x 12{z}", "12 x 12", "100{x:8} x 100{z,y:16} x 1"} {
		if got := mesh.Must(m.Parse(text)).String(); got != text {
			t.Errorf("%q is printed %q", text, got)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"12{x,w}", "mesh.Shard: dimension 0 is cut along w, which is not an axis of x=2,y=3,z=5"},
		{"12{x} x 12{x}", "mesh.Shard: axis x cuts dimension 0 and dimension 1; want one"},
		{"12{x,x}", "mesh.Shard: axis x cuts dimension 0 and dimension 0; want one"},
		{"12{x", "mesh: column 5: the end of the text, want ','"},
		{"12{x:0}", "mesh: column 7: blocks of 0; want at least 1"},
		{"12{:3}", `mesh: column 4: ":3}", want the name of an axis`},
		{"12 y 3", `mesh: column 4: "y 3" after the end`},
		{"12 x", "mesh: column 5: the end of the text, want an integer from 0 on"},
		{"1x1x1x1x1x1x1x1x1", "mesh: column 17: more than 8 dimensions"},
		{"16777216 x 16777217", "mesh.Shard: more than 281474976710656 elements"},
		{"0 x 1073741824 x 1073741824", "mesh.Shard: more than 281474976710656 elements"},
	} {
		if _, err := m.Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	big := mesh.Must(mesh.ParseMesh("x=65536"))
	if _, err := big.Parse("16777216 x 16777216{x}"); err == nil {
		t.Error("2^64 elements on all ranks are not refused")
	}
}

// FuzzParse: whatever is read is printed as text that is read as the same, and its tiles
// cover the array.
func FuzzParse(f *testing.F) {
	f.Add("x=2,y=3", "12{x,y} x 12")
	f.Add("a=4", "7{a:2} x 0")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, on, text string) {
		m, err := mesh.ParseMesh(on)
		if err != nil {
			return
		}
		if again, err := mesh.ParseMesh(m.String()); err != nil || !again.Equal(m) {
			t.Fatalf("%q is printed %q, which is %v, %v", on, m, again, err)
		}
		s, err := m.Parse(text)
		if err != nil {
			return
		}
		if again, err := m.Parse(s.String()); err != nil || !again.Equal(s) {
			t.Fatalf("%q is printed %q, which is %v, %v", text, s, again, err)
		}
		if m.Size() > 64 {
			return
		}
		held := make([]int64, m.Size())
		all := int64(0)
		for r := range held {
			held[r] = 1
			for _, n := range s.Local(r) {
				held[r] *= int64(n)
			}
			if held[r] > s.Tile() {
				t.Fatalf("%v: rank %d holds %d, Tile is %d", s, r, held[r], s.Tile())
			}
			all += held[r]
		}
		if all != s.Elements()*int64(s.Replicas()) {
			t.Fatalf("%v: %d elements held, %d x %d there", s, all, s.Elements(), s.Replicas())
		}
	})
}

// TestLocal: which indices each rank holds, for sizes that divide and that do not.
func TestLocal(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2"))
	for _, c := range []struct{ text, want string }{
		{"8{x,y}", "0:2 2:2 4:2 6:2"},
		{"8{y,x}", "0:2 4:2 2:2 6:2"},
		{"7{x,y}", "0:2 2:2 4:2 6:1"},
		{"6{x,y}", "0:2 2:1 3:2 5:1"},
		{"3{x,y}", "0:1 1:1 2:1 3:0"},
		{"2{x,y}", "0:1 1:0 1:1 2:0"},
		{"0{x}", "0:0 0:0 0:0 0:0"},
		{"5{y}", "0:3 3:2 0:3 3:2"},
		{"5", "0:5 0:5 0:5 0:5"},
		{"10{x,y:2}", "0:4 2:2 4:2 6:2"},
		{"7{x:3}", "0:4 0:4 3:3 3:3"},
		{"2{x,y:3}", "0:2 2:0 2:0 2:0"},
	} {
		s := mesh.Must(m.Parse(c.text))
		got := ""
		for r := range 4 {
			got += fmt.Sprintf(" %d:%d", s.Offset(r)[0], s.Local(r)[0])
		}
		if diff := cmp.Diff(c.want, got[1:]); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

// every returns all shardings of an array of this shape on m.
func every(m mesh.Mesh, shape ...int) []mesh.Sharding {
	var list []mesh.Sharding
	dims := make([]mesh.Dim, len(shape))
	for i, n := range shape {
		dims[i].Size = n
	}
	var grow func(left []string)
	grow = func(left []string) {
		list = append(list, mesh.Must(m.Shard(dims...)))
		for k, a := range left {
			rest := append(append([]string{}, left[:k]...), left[k+1:]...)
			for i := range dims {
				// A sharding is reached once if dimensions are filled from the first to the last.
				if later := i + 1; later < len(dims) && anyCut(dims[later:]) {
					continue
				}
				dims[i].Axes = append(dims[i].Axes, a)
				grow(rest)
				dims[i].Axes = dims[i].Axes[:len(dims[i].Axes)-1]
			}
		}
	}
	var names []string
	for _, a := range m.Axes() {
		names = append(names, a.Name)
	}
	grow(names)
	return list
}

func anyCut(dims []mesh.Dim) bool {
	for _, d := range dims {
		if len(d.Axes) > 0 {
			return true
		}
	}
	return false
}

// TestBlocksNest: the parts of all shardings cover the array once for each replica, differ
// by at most 1 in size, and lie inside those of the sharding without the last axis.
func TestBlocksNest(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3,z=2"))
	n := 0
	for _, size := range []int{0, 1, 5, 7, 8, 12, 13, 1 << 30} {
		for _, s := range every(m, size) {
			n++
			covered, least, most := 0, size, 0
			for r := range m.Size() {
				lo, k := s.Offset(r)[0], s.Local(r)[0]
				covered += k
				least, most = min(least, k), max(most, k)
				d := s.Dims()[0]
				if len(d.Axes) == 0 {
					continue
				}
				d.Axes = d.Axes[:len(d.Axes)-1]
				outer := mesh.Must(m.Shard(d))
				if at, k2 := outer.Offset(r)[0], outer.Local(r)[0]; lo < at || lo+k > at+k2 {
					t.Errorf("%v of rank %d is [%d,%d), not within %v's [%d,%d)", s, r, lo, lo+k, outer, at, at+k2)
				}
			}
			if covered != size*s.Replicas() || most > least+1 || int64(most) != s.Tile() {
				t.Errorf("%v: %d elements in all tiles, %d to %d in one; Tile says %d", s, covered, least, most, s.Tile())
			}
		}
	}
	if n != 8*16 {
		t.Errorf("%d shardings", n)
	}
}

// TestRuns: a rank's runs are its indices, and agree with Local and Offset.
func TestRuns(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3"))
	for size := range 20 {
		for _, axes := range [][]string{nil, {"x"}, {"y", "x"}} {
			for block := range 5 {
				s := mesh.Must(m.Shard(mesh.Dim{Size: size, Axes: axes, Block: block}))
				seen := make([]int, size)
				for r := range m.Size() {
					n := 0
					for lo, hi := range s.Runs(r, 0) {
						if n == 0 && lo != s.Offset(r)[0] {
							t.Errorf("%v: rank %d begins at %d, not %d", s, r, lo, s.Offset(r)[0])
						}
						for i := lo; i < hi; i++ {
							seen[i]++
							if block > 0 && len(axes) > 0 && i/block%s.Parts()[0] != s.Part(r)[0] {
								t.Errorf("%v: rank %d holds %d", s, r, i)
							}
							n++
						}
					}
					if n != s.Local(r)[0] {
						t.Errorf("%v: rank %d has %d indices, Local says %d", s, r, n, s.Local(r)[0])
					}
				}
				for i, k := range seen {
					if k != s.Replicas() {
						t.Errorf("%v: %d ranks hold %d, want %d", s, k, i, s.Replicas())
					}
				}
			}
		}
	}
}
