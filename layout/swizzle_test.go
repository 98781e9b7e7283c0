package layout_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// swizzles are those with few enough bits to be looked at whole.
func swizzles(f func(layout.Swizzle)) {
	for b := range 4 {
		for m := range 5 {
			for s := -4; s <= 4; s++ {
				if w := (layout.Swizzle{B: b, M: m, S: s}); w.Check() == nil {
					f(w)
				}
			}
		}
	}
}

// TestSwizzle: an involution that permutes every aligned block, as the definition
// says bit by bit.
func TestSwizzle(t *testing.T) {
	n := 0
	swizzles(func(w layout.Swizzle) {
		n++
		block := w.Block()
		for start := 0; start <= 2*block; start += block {
			seen := map[int]bool{}
			for o := start; o < start+block; o++ {
				at := w.At(o)
				if w.At(at) != o || at/block != o/block {
					t.Fatalf("%v: %d goes to %d and that to %d, blocks of %d", w, o, at, w.At(at), block)
				}
				seen[at] = true
				want := o
				for i := range w.B {
					from, to := w.M+i+w.S, w.M+i
					if w.S < 0 {
						from, to = w.M+i, w.M+i-w.S
					}
					want ^= o >> from & 1 << to
				}
				if at != want {
					t.Fatalf("%v: %d goes to %d, want %d", w, o, at, want)
				}
			}
			if len(seen) != block {
				t.Fatalf("%v: %d offsets of %d", w, len(seen), block)
			}
		}
	})
	if n < 50 {
		t.Errorf("%d swizzles", n)
	}
}

// TestSwizzlePatterns: the patterns that TMA and wgmma apply to byte addresses, and
// the same on elements.
func TestSwizzlePatterns(t *testing.T) {
	for _, c := range []struct {
		w      layout.Swizzle
		mask   int
		period int
	}{
		{layout.Swizzle{B: 3, M: 4, S: 3}, 0x70, 1024},
		{layout.Swizzle{B: 2, M: 4, S: 3}, 0x30, 512},
		{layout.Swizzle{B: 1, M: 4, S: 3}, 0x10, 256},
		{layout.Swizzle{}, 0, 1},
	} {
		if c.w.Block() != c.period {
			t.Errorf("%v repeats after %d, want %d", c.w, c.w.Block(), c.period)
		}
		for _, size := range []int{1, 2, 4, 8, 16} {
			e, err := c.w.PerElement(size)
			if err != nil {
				t.Fatal(err)
			}
			for a := 0; a < 4096; a += size {
				if want := a ^ a>>3&c.mask; c.w.At(a) != want || e.At(a/size)*size != want {
					t.Fatalf("%v, elements of %d: byte %d goes to %d and %d, want %d", c.w, size, a, c.w.At(a), e.At(a/size)*size, want)
				}
			}
		}
	}
}

// TestSwizzled: the swizzle comes last, through composition too.
func TestSwizzled(t *testing.T) {
	w := layout.Swizzle{B: 2, M: 1, S: 2}
	done := 0
	pairs(t, 17, func(a, b layout.Layout) {
		s, err := w.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Compose(b)
		if err != nil {
			return
		}
		done++
		for i := range r.Size() {
			if want := w.At(a.At(b.At(i))); r.At(i) != want || want >= s.Cosize() {
				t.Fatalf("(%v) o %v: %d at %d, want %d below %d", s, b, i, r.At(i), want, s.Cosize())
			}
		}
	})
	if done < level.Of(100, 300, 1000) {
		t.Errorf("only %d could be composed", done)
	}
}

// TestCopyPlan: threads that copy a tile to swizzled shared memory in vectors of 8
// elements read every element once and write every place once, and a thread's 8
// elements are neighbours on both sides.
func TestCopyPlan(t *testing.T) {
	for _, c := range []struct {
		what         string
		tv           string // (thread, value) -> row + 64*column
		global       string
		shared       string
		vectorStride int // of the elements of a vector in global memory
	}{
		{"64 x 64, 128 threads, along rows", "((8,16),(8,4)):((512,1),(64,16))", "(64,64):(1000,1)", "Sw<3,3,3> o (64,64):(64,1)", 1},
		{"64 x 32, 128 threads, along rows", "((4,32),(8,2)):((512,1),(64,32))", "(64,32):(1000,1)", "Sw<2,3,3> o (64,32):(32,1)", 1},
	} {
		tv := layout.MustParse(c.tv)
		global := layout.MustParse(c.global)
		shared, err := layout.ParseSwizzled(c.shared)
		if err != nil {
			t.Fatal(err)
		}
		from, err1 := layout.Compose(global, tv)
		to, err2 := shared.Compose(tv)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", c.what, err1, err2)
		}
		pair := map[int]int{}
		threads, values := tv.Mode(0).Size(), tv.Mode(1).Size()
		for thread := range threads {
			for v := range values {
				pair[from.At(thread, v)] = to.At(thread, v)
				if v%8 > 0 && (from.At(thread, v) != from.At(thread, v-1)+c.vectorStride || to.At(thread, v) != to.At(thread, v-1)+1) {
					t.Fatalf("%s: thread %d value %d is not beside the one before", c.what, thread, v)
				}
			}
		}
		places := sorted(slices.Collect(maps.Values(pair)))
		if diff := cmp.Diff(iota(threads*values), places); diff != "" || len(pair) != global.Size() {
			t.Errorf("%s: %d elements to these places: %v", c.what, len(pair), diff)
		}
		for r := range 64 {
			for col := range global.Mode(1).Size() {
				if got := pair[global.At(r, col)]; got != shared.At(r, col) {
					t.Fatalf("%s: element (%d, %d) goes to %d, want %d", c.what, r, col, got, shared.At(r, col))
				}
			}
		}
	}
}
