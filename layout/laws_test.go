package layout_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// The laws of the algebra, one function each, over a table and over random layouts.

// TestEvaluation: an integer, a coordinate by modes and a nested coordinate of the
// same element agree with the definition, and Cosize bounds them.
func TestEvaluation(t *testing.T) {
	each(t, 1, func(l layout.Layout) {
		top := -1
		for i := range l.Size() {
			at := l.At(i)
			top = max(top, at)
			c := l.Coordinate(i)
			if !c.Congruent(l.Shape()) {
				t.Fatalf("%v: coordinate %v is not nested as the shape", l, c)
			}
			want := 0
			for k, x := range c.Leaves() {
				want += x * l.Stride().Leaves()[k]
			}
			if at != want || l.AtTuple(c) != want || l.AtTuple(layout.Int(i)) != want {
				t.Fatalf("%v: element %d = %v at %d and %d, want %d", l, i, c, at, l.AtTuple(c), want)
			}
			byMode, rest := make([]int, l.Rank()), i
			for k := range byMode {
				n := l.Mode(k).Size()
				byMode[k], rest = rest%n, rest/n
			}
			if l.Rank() > 0 && l.At(byMode...) != want {
				t.Fatalf("%v: element %v at %d, want %d", l, byMode, l.At(byMode...), want)
			}
		}
		if l.Cosize() != top+1 {
			t.Fatalf("%v: cosize %d, but the largest offset is %d", l, l.Cosize(), top)
		}
	})
}

// TestCompact: Columns and Rows reach 0, 1, 2, ... once each, in their order.
func TestCompact(t *testing.T) {
	each(t, 2, func(l layout.Layout) {
		c, err := layout.Columns(l.Shape())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(iota(l.Size()), all(c)); diff != "" {
			t.Fatalf("columns of %v: %v", l.Shape(), diff)
		}
		r, err := layout.Rows(l.Shape())
		if err != nil {
			t.Fatal(err)
		}
		stride := 1 // of a leaf: the product of the sizes to its right
		n, d := r.Shape().Leaves(), r.Stride().Leaves()
		for i := len(n) - 1; i >= 0; i-- {
			if d[i] != stride {
				t.Fatalf("rows of %v: %v", l.Shape(), r)
			}
			stride *= n[i]
		}
	})
}

// TestCoalesce: the same function of an integer, as short as can be; by a profile,
// the same function of a coordinate.
func TestCoalesce(t *testing.T) {
	each(t, 3, func(l layout.Layout) {
		c := layout.Coalesce(l)
		if diff := cmp.Diff(all(l), all(c)); diff != "" {
			t.Fatalf("%v coalesced to %v: %v", l, c, diff)
		}
		if c.Depth() > 1 || !layout.Coalesce(c).Equal(c) {
			t.Fatalf("%v coalesced to %v", l, c)
		}
		n, d := c.Shape().Leaves(), c.Stride().Leaves()
		for i := range n {
			if len(n) > 1 && n[i] == 1 || i > 0 && d[i] == n[i-1]*d[i-1] {
				t.Fatalf("%v coalesced to %v, which can be shorter", l, c)
			}
		}
		profile := layout.Ints(make([]int, l.Rank())...)
		if l.Depth() == 0 {
			profile = layout.Int(1)
		}
		by, err := layout.CoalesceBy(l, profile)
		if err != nil || !profile.Congruent(layout.Ints(make([]int, by.Rank())...)) && l.Depth() > 0 || by.Depth() > 2 {
			t.Fatalf("%v coalesced by %v: %v, %v", l, profile, by, err)
		}
		for i := range l.Rank() {
			if want := layout.Coalesce(l.Mode(i)); l.Depth() > 0 && !by.Mode(i).Equal(want) {
				t.Fatalf("%v coalesced by %v: mode %d is %v, want %v", l, profile, i, by.Mode(i), want)
			}
		}
	})
}

// TestCompose: r(c) = a(b(c)) at every coordinate, and r's shape refines b's.
func TestCompose(t *testing.T) {
	done := 0
	pairs(t, 4, func(a, b layout.Layout) {
		r, err := layout.Compose(a, b)
		if err != nil {
			return
		}
		done++
		if !b.Shape().Compatible(r.Shape()) {
			t.Fatalf("%v o %v = %v, whose shape does not refine the second", a, b, r)
		}
		for i := range b.Size() {
			if r.At(i) != a.At(b.At(i)) {
				t.Fatalf("%v o %v = %v, at %d: %d, want %d", a, b, r, i, r.At(i), a.At(b.At(i)))
			}
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d pairs could be composed", done)
	}
}

// TestComposeIdentity: composing with the compact layout of one mode changes
// nothing on either side.
func TestComposeIdentity(t *testing.T) {
	each(t, 5, func(l layout.Layout) {
		for _, c := range []struct {
			what string
			a, b layout.Layout
		}{
			{"from the right", l, layout.Tile(l.Size())[0]},
			{"from the left", layout.Tile(l.Cosize())[0], l},
		} {
			r, err := layout.Compose(c.a, c.b)
			if err != nil {
				t.Fatalf("%v o %v: %v", c.a, c.b, err)
			}
			if !layout.Coalesce(r).Equal(layout.Coalesce(l)) {
				t.Fatalf("identity %s: %v o %v = %v", c.what, c.a, c.b, r)
			}
		}
	})
}

// TestComposeAssociative: where both ways exist.
func TestComposeAssociative(t *testing.T) {
	g, done := newGenerator(6), 0
	for range 10_000 {
		a, b, c := g.injective(true), g.injective(true), g.injective(false)
		ab, err1 := layout.Compose(a, b)
		bc, err2 := layout.Compose(b, c)
		if err1 != nil || err2 != nil {
			continue
		}
		l, err1 := layout.Compose(ab, c)
		r, err2 := layout.Compose(a, bc)
		if err1 != nil || err2 != nil {
			continue
		}
		done++
		if diff := cmp.Diff(all(l), all(r)); diff != "" {
			t.Fatalf("(%v o %v) o %v: %v", a, b, c, diff)
		}
	}
	if done < level.Of(50, 150, 500) {
		t.Errorf("only %d triples could be composed", done)
	}
}

// TestComposeBy: mode i with tiler i, the others untouched.
func TestComposeBy(t *testing.T) {
	done := 0
	pairs(t, 7, func(a, b layout.Layout) {
		m := layout.Join(a, b)
		tile := layout.Tile(min(2, a.Size()))[0]
		r, err := layout.ComposeBy(m, tile)
		if err != nil {
			return
		}
		done++
		if !r.Mode(1).Equal(b) || r.At(tile.Size()-1, b.Size()-1) != a.At(tile.Size()-1)+b.At(b.Size()-1) {
			t.Fatalf("%v by mode with %v: %v", m, tile, r)
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d could be composed", done)
	}
}

// TestComplement: l and its complement reach every offset below m once; the
// complement's strides increase; nothing is left for a second one; and the
// complement of the complement has l's offsets.
func TestComplement(t *testing.T) {
	g, done := newGenerator(8), 0
	check := func(l layout.Layout, m int) {
		c, err := layout.Complement(l, m)
		if err != nil {
			return
		}
		done++
		whole := layout.Join(l, c)
		if !slices.IsSorted(c.Stride().Leaves()) {
			t.Fatalf("complement of %v up to %d: %v is not in order", l, m, c)
		}
		if distinct(all(l)) {
			if diff := cmp.Diff(iota(m), sorted(all(whole))); diff != "" {
				t.Fatalf("%v with its complement %v up to %d: %v", l, c, m, diff)
			}
		}
		rest, err := layout.Complement(whole, m)
		if err != nil || rest.Size() != 1 {
			t.Fatalf("complement of %v up to %d: %v, %v; want 1:0", whole, m, rest, err)
		}
		back, err := layout.Complement(c, m)
		if err != nil {
			t.Fatalf("complement of %v up to %d: %v", c, m, err)
		}
		if distinct(all(l)) {
			if diff := cmp.Diff(sorted(all(l)), sorted(all(back))); diff != "" {
				t.Fatalf("twice the complement of %v up to %d: %v: %v", l, m, back, diff)
			}
		}
	}
	each(t, 9, func(l layout.Layout) {
		check(l, l.Cosize())
		check(l, l.Size()*(1+g.IntN(12)))
		check(l, 24)
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d had a complement", done)
	}
}

// TestDivide: the parts together are a's elements, each once; mode 0 is a o b, and
// the tiles are b moved by mode 1.
func TestDivide(t *testing.T) {
	done := 0
	pairs(t, 10, func(a, b layout.Layout) {
		r, err := layout.LogicalDivide(a, b)
		if err != nil {
			return
		}
		done++
		tile, err := layout.Compose(a, b)
		if err != nil || !r.Mode(0).Equal(tile) || r.Rank() != 2 {
			t.Fatalf("%v by %v = %v, but %v o %v = %v, %v", a, b, r, a, b, tile, err)
		}
		if distinct(all(b)) {
			if diff := cmp.Diff(sorted(all(a)), sorted(all(r))); diff != "" {
				t.Fatalf("%v by %v = %v: %v", a, b, r, diff)
			}
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d pairs could be divided", done)
	}
}

// TestDivideForms: the four forms by mode hold the same parts in different places.
func TestDivideForms(t *testing.T) {
	done := 0
	pairs(t, 11, func(a, b layout.Layout) {
		if a.Size()*b.Size() > 100 {
			return
		}
		m := layout.Join(a, layout.Tile(12)[0], b)
		tiler := layout.Tile(2, 3)
		by, err := layout.LogicalDivideBy(m, tiler...)
		if err != nil {
			return
		}
		done++
		zipped, err1 := layout.ZippedDivide(m, tiler...)
		tiled, err2 := layout.TiledDivide(m, tiler...)
		flat, err3 := layout.FlatDivide(m, tiler...)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%v: %v, %v, %v", m, err1, err2, err3)
		}
		t0, r0, t1, r1 := by.Mode(0).Mode(0), by.Mode(0).Mode(1), by.Mode(1).Mode(0), by.Mode(1).Mode(1)
		tiles, rests := layout.Join(t0, t1), layout.Join(r0, r1, b)
		for _, c := range []struct {
			form      string
			got, want layout.Layout
		}{
			{"logical", by, layout.Join(layout.Join(t0, r0), layout.Join(t1, r1), b)},
			{"zipped", zipped, layout.Join(tiles, rests)},
			{"tiled", tiled, layout.Join(tiles, r0, r1, b)},
			{"flat", flat, layout.Join(t0, t1, r0, r1, b)},
		} {
			if !c.got.Equal(c.want) {
				t.Fatalf("%s divide of %v: %v, want %v", c.form, m, c.got, c.want)
			}
		}
		tile, err := layout.ComposeBy(m, tiler...)
		if err != nil || !layout.Join(tile.Mode(0), tile.Mode(1)).Equal(zipped.Mode(0)) {
			t.Fatalf("tile of %v: %v, %v, want mode 0 of %v", m, tile, err, zipped)
		}
		if x, y := sorted(all(m)), sorted(all(zipped)); !slices.Equal(x, y) {
			t.Fatalf("zipped divide of %v: %v, want %v", m, y, x)
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d could be divided", done)
	}
}

// TestProduct: mode 0 is a; mode 1 has b's shape and b's order, and its copies of a
// do not overlap; they stay below what they need, rounded up to what a fills.
func TestProduct(t *testing.T) {
	done := 0
	pairs(t, 12, func(a, b layout.Layout) {
		if a.Size()*b.Size() > 500 {
			return
		}
		p, err := layout.LogicalProduct(a, b)
		if err != nil {
			return
		}
		done++
		copies := p.Mode(1)
		if !p.Mode(0).Equal(a) || !b.Shape().Compatible(copies.Shape()) {
			t.Fatalf("%v times %v = %v", a, b, p)
		}
		if distinct(all(a)) && distinct(all(b)) && !distinct(all(p)) {
			t.Fatalf("%v times %v = %v: copies overlap", a, b, p)
		}
		for i := range b.Size() {
			for j := range b.Size() {
				if (b.At(i) < b.At(j)) != (copies.At(i) < copies.At(j)) {
					t.Fatalf("%v times %v = %v: copies %d and %d are not in b's order", a, b, p, i, j)
				}
			}
		}
		bound := 1
		for i, n := range a.Shape().Leaves() {
			if n > 1 {
				bound = max(bound, n*a.Stride().Leaves()[i])
			}
		}
		if p.Cosize() > a.Size()*b.Cosize()+bound {
			t.Fatalf("%v times %v = %v reaches %d", a, b, p, p.Cosize())
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d pairs could be multiplied", done)
	}
}

// TestZippedProducts: coordinate (i, j) of the blocked product is coordinate i mod
// the tile of copy i div the tile, by mode; of the raked product the other way
// round.
func TestZippedProducts(t *testing.T) {
	g, done := newGenerator(13), 0
	for range 3000 {
		a := layout.Join(g.injective(true), g.injective(false))
		b := layout.Join(layout.Tile(1 + g.IntN(4))[0], g.injective(false))
		if g.IntN(4) == 0 {
			b = b.Mode(1) // fewer modes than a, perhaps
		}
		if b.Rank() > 2 {
			continue
		}
		blocked, err1 := layout.BlockedProduct(a, b)
		raked, err2 := layout.RakedProduct(a, b)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("%v and %v: blocked %v, raked %v", a, b, err1, err2)
		}
		if err1 != nil {
			continue
		}
		done++
		wide := b
		for wide.Rank() < 2 {
			wide = layout.Join(append(wide.Modes(), layout.Tile(1)[0])...)
		}
		if wide.Depth() == 0 {
			wide = layout.Join(wide)
		}
		p, err := layout.LogicalProduct(a, wide)
		if err != nil {
			t.Fatal(err)
		}
		if p.Size() > 1000 {
			continue
		}
		m, n := a.Mode(0).Size(), a.Mode(1).Size()
		cm, cn := wide.Mode(0).Size(), wide.Mode(1).Size()
		for i := range m * cm {
			for j := range n * cn {
				want := p.Mode(0).At(i%m, j%n) + p.Mode(1).At(i/m, j/n)
				if got := blocked.At(i, j); got != want {
					t.Fatalf("blocked %v by %v = %v: (%d, %d) at %d, want %d", a, b, blocked, i, j, got, want)
				}
				want = p.Mode(0).At(i/cm, j/cn) + p.Mode(1).At(i%cm, j%cn)
				if got := raked.At(i, j); got != want {
					t.Fatalf("raked %v by %v = %v: (%d, %d) at %d, want %d", a, b, raked, i, j, got, want)
				}
			}
		}
	}
	if done < level.Of(50, 150, 500) {
		t.Errorf("only %d could be multiplied", done)
	}
}

// TestRightInverse: l(r(i)) = i, as far as l has no gap.
func TestRightInverse(t *testing.T) {
	each(t, 14, func(l layout.Layout) {
		r := layout.RightInverse(l)
		for i := range r.Size() {
			if at := l.At(r.At(i)); at != i {
				t.Fatalf("%v, right inverse %v: %d goes to %d", l, r, i, at)
			}
		}
		v := all(l)
		if slices.Max(v)+1 == len(v) && distinct(v) && r.Size() != len(v) {
			t.Fatalf("%v is a bijection, its right inverse %v has %d elements", l, r, r.Size())
		}
		// No larger range: the next offset is missing, or reached by part of a mode.
		if distinct(v) && slices.Contains(v, r.Size()) {
			for i, d := range layout.Coalesce(l).Stride().Leaves() {
				if d == r.Size() && layout.Coalesce(l).Shape().Leaves()[i] > 1 {
					t.Fatalf("%v, right inverse %v stops before a mode of stride %d", l, r, d)
				}
			}
		}
	})
}

// TestLeftInverse: r(l(c)) = c, for every injective layout whose gaps are one.
func TestLeftInverse(t *testing.T) {
	done := 0
	each(t, 15, func(l layout.Layout) {
		r, err := layout.LeftInverse(l)
		if err != nil {
			return
		}
		done++
		for i := range l.Size() {
			if c := r.At(l.At(i)); c != i {
				t.Fatalf("%v, left inverse %v: %d goes to %d", l, r, i, c)
			}
		}
	})
	g := newGenerator(16)
	for range 1000 {
		if l := g.injective(true); distinct(all(l)) {
			if _, err := layout.LeftInverse(l); err != nil {
				t.Fatalf("%v: %v", l, err)
			}
		}
	}
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d had a left inverse", done)
	}
}

// TestText: what is printed reads back as the same layout.
func TestText(t *testing.T) {
	each(t, 18, func(l layout.Layout) {
		back, err := layout.Parse(l.String())
		if err != nil || !back.Equal(l) {
			t.Fatalf("%v reads back as %v, %v", l, back, err)
		}
		shape, err := layout.ParseTuple(l.Shape().String())
		if err != nil || !shape.Equal(l.Shape()) {
			t.Fatalf("%v reads back as %v, %v", l.Shape(), shape, err)
		}
		swizzles(func(w layout.Swizzle) {
			if w.B+w.M > 2 { // a part is enough
				return
			}
			s, _ := w.Of(l)
			back, err := layout.ParseSwizzled(s.String())
			if err != nil || back.Swizzle() != w || !back.Layout().Equal(l) {
				t.Fatalf("%v reads back as %v, %v", s, back, err)
			}
		})
	})
}
