package layout_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// table is the layouts that laws are held to besides random ones. All are small, so
// that every coordinate can be looked at.
var table = []string{
	"1:0", "():()", "7:0", "8:1", "4:2", "(4):(3)", "(4,8):(8,1)", "(4,8):(1,4)", "(2,(1,6)):(1,(6,2))",
	"((4,8),(2,2)):((32,1),(16,8))", "((2,2),(2,3)):((4,1),(2,8))", "(4,2,3):(2,1,8)", "(2,2):(1,6)", "(2,4):(1,6)",
	"(1,1,(1,1)):(5,0,(2,9))", "(3,4):(0,1)", "((2,1),(3,(1,2))):((1,7),(2,(0,6)))", "(6,2):(8,2)", "(10,2):(16,4)", "(5,4):(4,1)",
}

func parsed(t *testing.T) (ls []layout.Layout) {
	for _, s := range table {
		l, err := layout.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		ls = append(ls, l)
	}
	return ls
}

// generator makes random layouts, the same ones in every run.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(level.PCG(seed, 11))} }

// nest puts leaves into a random tree.
func (g generator) nest(n, d []layout.Tuple) layout.Layout {
	for len(n) > 1 && g.IntN(3) > 0 {
		i := g.IntN(len(n) - 1)
		j := i + 1 + g.IntN(len(n)-i)
		n = slices.Replace(slices.Clone(n), i, j, layout.Nest(n[i:j]...))
		d = slices.Replace(slices.Clone(d), i, j, layout.Nest(d[i:j]...))
	}
	shape, stride := layout.Nest(n...), layout.Nest(d...)
	if len(n) == 1 && g.IntN(2) == 0 {
		shape, stride = n[0], d[0]
	}
	l, err := layout.Make(shape, stride)
	if err != nil {
		panic(err)
	}
	return l
}

var sizes = []int{1, 2, 2, 2, 3, 4, 4, 5, 6, 8}

// any returns a layout that need not be injective.
func (g generator) any() layout.Layout {
	var n, d []layout.Tuple
	for range g.IntN(4) {
		n = append(n, layout.Int(sizes[g.IntN(len(sizes))]))
		d = append(d, layout.Int(g.IntN(13)))
	}
	return g.nest(n, d)
}

// injective returns a layout whose modes have gaps that a complement can fill.
func (g generator) injective(gaps bool) layout.Layout {
	k := g.IntN(4)
	n, d := make([]layout.Tuple, k), make([]layout.Tuple, k)
	at := 1
	for _, i := range g.Perm(k) {
		if gaps && g.IntN(2) == 0 {
			at *= 1 + g.IntN(3)
		}
		size := sizes[g.IntN(len(sizes))]
		n[i], d[i] = layout.Int(size), layout.Int(at)
		at *= size
	}
	return g.nest(n, d)
}

// pairs calls f with pairs of layouts of the table and with random ones.
func pairs(t *testing.T, seed uint64, f func(a, b layout.Layout)) {
	for _, a := range parsed(t) {
		for _, b := range parsed(t) {
			f(a, b)
		}
	}
	g := newGenerator(seed)
	for range level.Of(300, 900, 3000) {
		f(g.any(), g.any())
		f(g.injective(true), g.injective(true))
		f(g.injective(false), g.injective(false))
	}
}

// each calls f with layouts of the table and random ones.
func each(t *testing.T, seed uint64, f func(layout.Layout)) {
	for _, l := range parsed(t) {
		f(l)
	}
	g := newGenerator(seed)
	for range level.Of(200, 700, 2000) {
		f(g.any())
		f(g.injective(true))
	}
}

// values returns the offsets of all coordinates in order.
func values(m layout.Map, size int) []int {
	v := make([]int, size)
	for i := range v {
		v[i] = m.At(i)
	}
	return v
}

func all(l layout.Layout) []int { return values(l, l.Size()) }

func sorted(v []int) []int { return slices.Sorted(slices.Values(v)) }

func distinct(v []int) bool {
	set := map[int]bool{}
	for _, x := range v {
		set[x] = true
	}
	return len(set) == len(v)
}

func iota(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}
