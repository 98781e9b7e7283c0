package format

import (
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// broken returns a CSR whose arrays are spoilt after Build.
func broken(spoil func(a *Arrays)) Format {
	f := CSR
	f.Name = "broken"
	f.Build = func(m, n int, in []sparse.Entry) (Arrays, error) {
		a, err := CSR.Build(m, n, in)
		spoil(&a)
		return a, err
	}
	return f
}

// TestBrokenFormats: To and Check refuse a format that does not keep the law, and
// say what is wrong.
func TestBrokenFormats(t *testing.T) {
	p := sparsetest.Where("", 3, 4, func(i, j int) bool { return i == j || j == 3 }) // (0,0) (0,3) (1,1) (1,3) (2,2) (2,3)
	for _, c := range []struct {
		what  string
		spoil func(a *Arrays)
		want  string
	}{
		{"a level is missing", func(a *Arrays) { a.Levels = a.Levels[:1] }, "1 levels for 2 axes"},
		{"size of the rows", func(a *Arrays) { a.Levels[0].Size = 2 }, "axis i has size 2 for 3 coordinates"},
		{"negative size", func(a *Arrays) { a.Levels[0].Size = -3 }, "axis i has size -3"},
		{"pointers of a dense axis", func(a *Arrays) { a.Levels[0].Pointers = []int32{0, 3} }, "axis i is not variable and has pointers"},
		{"indices of a dense axis", func(a *Arrays) { a.Levels[0].Indices = []int32{0, 1, 2} }, "axis i is not sparse and has indices"},
		{"too few pointers", func(a *Arrays) { a.Levels[1].Pointers = a.Levels[1].Pointers[:3] }, "axis j has 3 pointers"},
		{"no pointers", func(a *Arrays) { a.Levels[1].Pointers = nil }, "axis j has 0 pointers"},
		{"pointers not from 0", func(a *Arrays) { a.Levels[1].Pointers[0] = 1 }, "or the first is not 0"},
		{"backward pointers", func(a *Arrays) { a.Levels[1].Pointers[2] = 1 }, "axis j goes from 2 to 1 at position 1"},
		{"pointers beyond the end", func(a *Arrays) { a.Levels[1].Pointers[3] = 7 }, "axis j has 6 indices for 7 positions"},
		{"index beyond the columns", func(a *Arrays) { a.Levels[1].Indices[5] = 4 }, "axis j has index 4 at position 5; from 0 to 3"},
		{"padding where none is", func(a *Arrays) { a.Levels[1].Indices[5] = -1 }, "axis j has index -1 at position 5"},
		{"a wrong index", func(a *Arrays) { a.Levels[1].Indices[5] = 0 }, "the axes yield (2, 0), which is not the next entry of a row"},
		{"an entry in the wrong row", func(a *Arrays) { a.Levels[1].Pointers[1] = 3 }, "the axes yield (0, 1), which is not the next entry"},
		{"swapped columns", func(a *Arrays) { x := a.Levels[1].Indices; x[0], x[1] = x[1], x[0] }, "the axes yield (0, 3), which is not the next"},
		{"slots", func(a *Arrays) { a.Slots = 7 }, "7 slots where the axes have 6"},
		{"a masked entry", func(a *Arrays) { a.Mask = []uint64{0b11111} }, "the axes yield 5 of 6 entries"},
		{"a short mask", func(a *Arrays) { a.Mask = []uint64{} }, "a mask of 0 words for 6 slots"},
		{"rows out of order", func(a *Arrays) { a.Order = []int32{1, 0, 2} }, "the axes yield (1, 0)"},
		{"a row twice", func(a *Arrays) { a.Order = []int32{1, 1, 2} }, "the order of rows has 1, outside 3 rows or twice"},
		{"a row too many", func(a *Arrays) { a.Order = []int32{0, 1, 2, -1} }, "4 positions and 3 rows of 3 and 3"},
		{"a row beyond", func(a *Arrays) { a.Order = []int32{0, 1, 3} }, "the order of rows has 3"},
	} {
		f := broken(c.spoil)
		_, err := Pack(p.Matrix(), f)
		if err == nil || !strings.HasPrefix(err.Error(), "broken: ") || !strings.Contains(err.Error(), c.want) || !errors.Is(err, sparse.ErrFormat) {
			t.Errorf("%s: To says %v, want %q", c.what, err, c.want)
		}
		if err := f.Check(p.M, p.N, p.In); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check says %v, want %q", c.what, err, c.want)
		}
	}

	walk := func(change func(es []sparse.Entry) []sparse.Entry) Format {
		f := CSR
		f.Name = "broken"
		f.Walk = func(m int, a Arrays) iter.Seq[sparse.Entry] {
			var es []sparse.Entry
			for e := range CSR.Walk(m, a) {
				es = append(es, e)
			}
			es = change(es)
			return func(yield func(sparse.Entry) bool) {
				for _, e := range es {
					if !yield(e) {
						return
					}
				}
			}
		}
		return f
	}
	for want, f := range map[string]Format{
		"Walk yields 5 of 6 entries":                                         walk(func(es []sparse.Entry) []sparse.Entry { return es[:5] }),
		"Walk yields (9, 9) after all 6 entries; Walk(Build(x)) is x":        walk(func(es []sparse.Entry) []sparse.Entry { return append(es, sparse.Entry{I: 9, J: 9, K: 9}) }),
		"Walk yields (0, 3) in slot 1 where the axes yield (0, 0) in slot 0": walk(func(es []sparse.Entry) []sparse.Entry { return es[1:] }),
	} {
		if err := f.Check(p.M, p.N, p.In); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check says %v, want %q", err, want)
		}
	}

	axes := CSR
	axes.Name = "broken"
	for want, ax := range map[string][]Axis{
		"axis j has the parent k":                         {{Name: "i"}, {Name: "j", Variable: true, Sparse: true, Parent: "k"}},
		"axis x is sparse; sparse ones name a coordinate": {{Name: "i"}, {Name: "x", Variable: true, Sparse: true}},
		"axis j is not sparse and has indices":            {{Name: "i"}, {Name: "j", Variable: true}},
		"axis j is not variable and has pointers":         {{Name: "i"}, {Name: "j", Sparse: true}},
		"axis i has size 3; it is 5":                      {{Name: "i", Size: 5}, {Name: "j", Variable: true, Sparse: true}},
	} {
		axes.Axes = ax
		err := axes.Check(p.M, p.N, p.In)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", ax, err, want)
		}
	}
}

// TestSpoiltArrays: whatever happens to the arrays of any format, a nest that is
// accepted can be walked without a panic.
func TestSpoiltArrays(t *testing.T) {
	r := rand.New(level.PCG(4, 2))
	all := sparsetest.Patterns()
	accepted, refused := 0, 0
	for range level.Of(4000, 20_000, 20_000) {
		p, f := all[r.IntN(len(all))], formats[r.IntN(len(formats))]
		if p.N > 100 {
			continue
		}
		a, err := f.Build(p.M, p.N, p.In)
		if err != nil {
			continue
		}
		value := func() int32 {
			return []int32{-2, -1, 0, 1, 2, int32(p.M), int32(p.N), int32(p.N) - 1, 1 << 20, -1 << 31, 1<<31 - 1}[r.IntN(11)]
		}
		for range 1 + r.IntN(2) {
			l := &a.Levels[r.IntN(len(a.Levels))]
			switch k := r.IntN(7); {
			case k == 0:
				l.Size = int(value())
			case k == 1 && len(l.Pointers) > 0:
				l.Pointers[r.IntN(len(l.Pointers))] = value()
			case k == 2 && len(l.Pointers) > 0:
				l.Pointers = l.Pointers[:len(l.Pointers)-1]
			case k == 3 && len(l.Indices) > 0:
				l.Indices[r.IntN(len(l.Indices))] = value()
			case k == 4 && len(l.Indices) > 0:
				l.Indices = l.Indices[1:]
			case k == 5 && len(a.Order) > 0:
				a.Order[r.IntN(len(a.Order))] = value()
			case k == 6 && len(a.Mask) > 0:
				a.Mask = a.Mask[1:]
			}
		}
		w, err := f.nest(p.M, p.N, a)
		if err != nil {
			refused++
			continue
		}
		accepted++
		for e := range w.walk() {
			if uint(e.K) >= uint(a.Slots) {
				t.Fatalf("%s, %s: slot %d of %d", p.Name, f.Name, e.K, a.Slots)
			}
		}
	}
	if accepted < 1000 || refused < 1000 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

// Kernels follow axes without a check, so those of a matrix stay as they were checked,
// whatever becomes of the slice that the format had.
func TestAxesAreKept(t *testing.T) {
	m := sparsetest.Must(sparse.FromCOO(4, 1000, []int{0, 3}, []int{5, 999}, []float32{1, 2}))
	for _, f := range []Format{CSR, {Name: "mine", Axes: slices.Clone(CSR.Axes), Build: CSR.Build, Walk: CSR.Walk}} {
		p := sparsetest.Must(Pack(m, f))
		f.Axes[0].Name, f.Axes[1].Name = "j", "i"
		if p.Loops() != "i j:vs" || p.RawLevel(0).Name != "i" {
			t.Errorf("%s: the loops of a matrix became %q", f, p.Loops())
		}
		if q, err := Pack(m, f); err == nil {
			t.Errorf("%s with rows for columns has the loops %q", f, q.Loops())
		}
		f.Axes[0].Name, f.Axes[1].Name = "i", "j"
	}
}
