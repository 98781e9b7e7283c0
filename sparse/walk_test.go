package sparse

import (
	"errors"
	"iter"
	"strings"
	"testing"
)

// yields is a Walk that yields these, and goes on when it should stop.
func yields(entries ...Entry) func(int, Arrays) iter.Seq[Entry] {
	return func(int, Arrays) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			for _, e := range entries {
				yield(e)
			}
		}
	}
}

// TestWrongWalk: kernels follow what Matrix makes of a Walk, so To believes that of
// somebody else only after it has met it, also on a copy of a format of this package.
func TestWrongWalk(t *testing.T) {
	m := must(FromCOO(3, 3, []int{0, 1, 2}, []int{0, 1, 2}, []float32{1, 2, 3}))
	for want, walk := range map[string]func(int, Arrays) iter.Seq[Entry]{
		"Walk yields (0, 268435456) in slot 0 where the axes yield (0, 0) in slot 0": yields(Entry{0, 1 << 28, 0}),
		"Walk yields (268435456, 0) in slot 0 where":                                 yields(Entry{1 << 28, 0, 0}, Entry{1, 1, 1}),
		"Walk yields (0, -268435456) in slot 0 where":                                yields(Entry{0, -1 << 28, 0}),
		"Walk yields (0, 0) in slot 99 where":                                        yields(Entry{0, 0, 99}),
		"Walk yields (2, 2) in slot 2 where the axes yield (1, 1) in slot 1":         yields(Entry{0, 0, 0}, Entry{2, 2, 2}, Entry{1, 1, 1}),
		"Walk yields 0 of 3 entries":                                                 yields(),
		"Walk yields (9, 9) after all 3 entries":                                     yields(Entry{0, 0, 0}, Entry{1, 1, 1}, Entry{2, 2, 2}, Entry{9, 9, 9}, Entry{9, 9, 9}),
	} {
		for _, f := range []Format{CSR, {Name: "mine", Axes: CSR.Axes, Build: CSR.Build}} {
			f.Walk = walk
			_, err := m.To(f)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), f.Name+": "+want) || !strings.Contains(err.Error(), "; Walk(Build(x)) is x") {
				t.Errorf("%s: %v, want %s", f, err, want)
			}
		}
	}
	other, build := ELL(2), ELL(2)
	other.Walk, build.Build = ELL(1).Walk, ELL(1).Build
	for want, f := range map[string]Format{"Walk yields (2, 1) in slot 2 where the axes yield (1, 1) in slot 2": other, "axis j has size 1": build} {
		if _, err := m.To(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s with half of another one: %v, want %s", f, err, want)
		}
	}
}

// TestWalkChangesItsMind: what a Walk yields after To, or writes into the arrays, does
// not matter.
func TestWalkChangesItsMind(t *testing.T) {
	m := must(FromCOO(3, 4, []int{0, 1, 2, 2}, []int{0, 1, 0, 3}, []float64{1, 2, 3, 4}))
	for _, stock := range formats {
		if _, err := m.To(stock); err != nil {
			continue
		}
		f, calls := stock, 0
		f.Walk = func(m int, a Arrays) iter.Seq[Entry] {
			if calls++; calls > 1 {
				return yields(Entry{1 << 28, 1 << 28, 1 << 28})(m, a)
			}
			return func(yield func(Entry) bool) {
				stock.Walk(m, a)(yield)
				for _, l := range a.Levels {
					for k := range l.Indices {
						l.Indices[k] = 1 << 28
					}
				}
				for k := range a.Mask {
					a.Mask[k] = ^uint64(0)
				}
			}
		}
		p, err := m.To(f)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if !p.Matrix().Equal(m) {
			t.Errorf("%s: %v became %v", f, m, p.Matrix())
		}
	}
	for range (Packed[float32]{}).All() {
		t.Error("the zero Packed has an entry")
	}
}
