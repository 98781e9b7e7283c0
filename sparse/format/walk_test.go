package format

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// yields is a Walk that yields these, and goes on when it should stop.
func yields(entries ...sparse.Entry) func(int, Arrays) iter.Seq[sparse.Entry] {
	return func(int, Arrays) iter.Seq[sparse.Entry] {
		return func(yield func(sparse.Entry) bool) {
			for _, e := range entries {
				yield(e)
			}
		}
	}
}

// TestWrongWalk: kernels follow what Matrix makes of a Walk, so To believes that of
// somebody else only after it has met it, also on a copy of a format of this package.
func TestWrongWalk(t *testing.T) {
	m := sparsetest.Must(sparse.FromCOO(3, 3, []int{0, 1, 2}, []int{0, 1, 2}, []float32{1, 2, 3}))
	for want, walk := range map[string]func(int, Arrays) iter.Seq[sparse.Entry]{
		"Walk yields (0, 268435456) in slot 0 where the axes yield (0, 0) in slot 0": yields(sparse.Entry{I: 0, J: 1 << 28, K: 0}),
		"Walk yields (268435456, 0) in slot 0 where":                                 yields(sparse.Entry{I: 1 << 28, J: 0, K: 0}, sparse.Entry{I: 1, J: 1, K: 1}),
		"Walk yields (0, -268435456) in slot 0 where":                                yields(sparse.Entry{I: 0, J: -1 << 28, K: 0}),
		"Walk yields (0, 0) in slot 99 where":                                        yields(sparse.Entry{I: 0, J: 0, K: 99}),
		"Walk yields (2, 2) in slot 2 where the axes yield (1, 1) in slot 1":         yields(sparse.Entry{I: 0, J: 0, K: 0}, sparse.Entry{I: 2, J: 2, K: 2}, sparse.Entry{I: 1, J: 1, K: 1}),
		"Walk yields 0 of 3 entries":                                                 yields(),
		"Walk yields (9, 9) after all 3 entries":                                     yields(sparse.Entry{I: 0, J: 0, K: 0}, sparse.Entry{I: 1, J: 1, K: 1}, sparse.Entry{I: 2, J: 2, K: 2}, sparse.Entry{I: 9, J: 9, K: 9}, sparse.Entry{I: 9, J: 9, K: 9}),
	} {
		for _, f := range []Format{CSR, {Name: "mine", Axes: CSR.Axes, Build: CSR.Build}} {
			f.Walk = walk
			_, err := Pack(m, f)
			if !errors.Is(err, sparse.ErrFormat) || !strings.Contains(err.Error(), f.Name+": "+want) || !strings.Contains(err.Error(), "; Walk(Build(x)) is x") {
				t.Errorf("%s: %v, want %s", f, err, want)
			}
		}
	}
	other, build := ELL(2), ELL(2)
	other.Walk, build.Build = Dense.Walk, ELL(1).Build
	for want, f := range map[string]Format{"Walk yields (0, 1) in slot 1 where the axes yield (1, 1) in slot 2": other, "axis j has size 1": build} {
		if _, err := Pack(m, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s with half of another one: %v, want %s", f, err, want)
		}
	}
}

// TestWalkChangesItsMind: what a Walk yields after To, or writes into the arrays, does
// not matter.
func TestWalkChangesItsMind(t *testing.T) {
	m := sparsetest.Must(sparse.FromCOO(3, 4, []int{0, 1, 2, 2}, []int{0, 1, 0, 3}, []float64{1, 2, 3, 4}))
	for _, stock := range formats {
		if _, err := Pack(m, stock); err != nil {
			continue
		}
		f, calls := stock, 0
		f.Walk = func(m int, a Arrays) iter.Seq[sparse.Entry] {
			if calls++; calls > 1 {
				return yields(sparse.Entry{I: 1 << 28, J: 1 << 28, K: 1 << 28})(m, a)
			}
			return func(yield func(sparse.Entry) bool) {
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
		p, err := Pack(m, f)
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
