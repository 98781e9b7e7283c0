package mesh_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout/mesh"
)

// tile returns what rank holds of the array whose elements are their own offsets.
func tile(s mesh.Sharding, rank int) []int {
	at := []int{0}
	for i, n := range s.Shape() {
		var next []int
		for _, a := range at {
			for lo, hi := range s.Runs(rank, i) {
				for j := lo; j < hi; j++ {
					next = append(next, a*n+j)
				}
			}
		}
		at = next
	}
	return at
}

// each calls f with the offsets of a piece's elements in both tiles, in order.
func each(p mesh.Piece, from, to mesh.Sharding, f func(src, dst int)) {
	local := [2][]int{from.Local(p.Src), to.Local(p.Dst)}
	var walk func(dim, src, dst int)
	walk = func(dim, src, dst int) {
		if dim == len(p.Runs) {
			f(src, dst)
			return
		}
		for _, r := range p.Runs[dim] {
			for k := range r.N {
				walk(dim+1, src*local[0][dim]+r.Src+k, dst*local[1][dim]+r.Dst+k)
			}
		}
	}
	walk(0, 0, 0)
}

// checkExchange holds what Exchange promises: every element of every new tile comes once,
// right, from oneself if one has it; senders and receivers agree; copies that both
// shardings have do not mix; and of as many holders none gives more than its turns.
func checkExchange(t *testing.T, from, to mesh.Sharding) {
	t.Helper()
	x, err := mesh.NewExchange(from, to)
	if err != nil {
		t.Fatal(err)
	}
	m := from.Mesh()
	sent := map[[2]int]mesh.Piece{}
	for r := range m.Size() {
		for _, p := range x.Sends(r) {
			if _, twice := sent[[2]int{p.Src, p.Dst}]; twice || p.Src != r {
				t.Fatalf("%v to %v: rank %d sends %v, twice: %v", from, to, r, p, twice)
			}
			sent[[2]int{p.Src, p.Dst}] = p
		}
	}
	elements, messages := make([]int64, m.Size()), make([]int64, m.Size())
	for r := range m.Size() {
		want := tile(to, r)
		got := slices.Repeat([]int{-1}, len(want))
		for _, p := range x.Receives(r) {
			if diff := cmp.Diff(sent[[2]int{p.Src, p.Dst}], p); diff != "" {
				t.Fatalf("%v to %v: rank %d sends what %d does not wait for: %s", from, to, p.Src, p.Dst, diff)
			}
			delete(sent, [2]int{p.Src, p.Dst})
			if p.Src != r {
				elements[p.Src] += p.Elements()
				messages[p.Src]++
			}
			src, n := tile(from, p.Src), int64(0)
			each(p, from, to, func(i, j int) {
				if got[j] >= 0 {
					t.Fatalf("%v to %v: element %d of rank %d comes twice", from, to, j, r)
				}
				if p.Src != r && slices.Contains(tile(from, r), src[i]) {
					t.Fatalf("%v to %v: rank %d gets %d, which it has, from %d", from, to, r, src[i], p.Src)
				}
				got[j] = src[i]
				n++
			})
			if n != p.Elements() {
				t.Fatalf("%v: %d elements, Elements says %d", p, n, p.Elements())
			}
			for a, name := range m.Axes() {
				if !cuts(from, name.Name) && !cuts(to, name.Name) && m.Coordinates(p.Src)[a] != m.Coordinates(r)[a] {
					t.Fatalf("%v to %v: %d gives %d across axis %s, which repeats both", from, to, p.Src, r, name.Name)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Fatalf("%v to %v, rank %d: %s", from, to, r, diff)
		}
	}
	gotE, gotM := x.Traffic()
	if diff := cmp.Diff([][]int64{elements, messages}, [][]int64{gotE, gotM}); diff != "" {
		t.Fatalf("%v to %v: %s", from, to, diff)
	}
	if len(sent) > 0 {
		t.Fatalf("%v to %v: nobody waits for %v", from, to, sent)
	}
}

func cuts(s mesh.Sharding, axis string) bool {
	return slices.ContainsFunc(s.Dims(), func(d mesh.Dim) bool { return slices.Contains(d.Axes, axis) })
}

func TestExchange(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3"))
	for _, shape := range [][]int{{6}, {7, 5}, {2, 1}, {0, 3}} {
		all := every(m, shape...)
		for _, from := range all {
			for _, to := range all {
				checkExchange(t, from, to)
			}
		}
	}
}

// TestExchangeCyclic: ScaLAPACK's arrays, to and from all others.
func TestExchangeCyclic(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("p=2,q=3"))
	var all []mesh.Sharding
	for _, text := range []string{"11{p:2} x 13{q:3}", "11{q:1} x 13{p:4}", "11{p,q:2} x 13", "11 x 13{q,p}", "11 x 13", "11{p:2} x 13{q}", "11{p:20} x 13{q:13}"} {
		all = append(all, mesh.Must(m.Parse(text)))
	}
	for _, from := range all {
		for _, to := range all {
			checkExchange(t, from, to)
		}
	}
}

// TestExchangeChoices: tiles that many have, some of whom need others.
func TestExchangeChoices(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=3,z=2"))
	for _, c := range []struct{ from, to string }{
		{"12", "12{x,y,z}"}, {"12{x}", "12{y,z}"}, {"12{x}", "12{y}"}, {"13{y} x 7", "13{x:2} x 7{z:3}"}, {"13{y:2} x 7", "13{x} x 7{y:2}"},
	} {
		checkExchange(t, mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to)))
	}
}

// TestExchangePermutes: where whole tiles change places each rank gives one at most, even
// where several could.
func TestExchangePermutes(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2,z=2,w=2"))
	for _, c := range []struct{ from, to string }{
		{"8{x}", "8{y}"}, {"8{x,y}", "8{z,w}"}, {"8{x,y}", "8{z,x}"}, {"8{x} x 8{y}", "8{w} x 8{x}"}, {"8{x} x 8{y}", "8{y} x 8{x}"},
	} {
		from, to := mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to))
		checkExchange(t, from, to)
		x := mesh.Must(mesh.NewExchange(from, to))
		for r := range m.Size() {
			n := 0
			for _, p := range x.Sends(r) {
				if p.Dst != r {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%s to %s: rank %d sends %d messages", c.from, c.to, r, n)
			}
		}
	}
}

func TestExchangeRefuses(t *testing.T) {
	m, n := mesh.Must(mesh.ParseMesh("x=2,y=2")), mesh.Must(mesh.ParseMesh("x=4"))
	a := mesh.Must(m.Parse("8{x}"))
	for _, c := range []struct {
		to   mesh.Sharding
		want string
	}{
		{mesh.Must(n.Parse("8{x}")), "mesh.Exchange: from a sharding on x=2,y=2 to one on x=4; want one mesh"},
		{mesh.Must(m.Parse("9{x}")), "mesh.Exchange: from 8{x} to 9{x}, which is of another shape"},
	} {
		if _, err := mesh.NewExchange(a, c.to); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
