package page

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tilesmith/tilesmith/internal/level"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		what      string
		want, got []float64
	}{
		{"none", nil, nil},
		{"apart", []float64{10, 50, 90}, []float64{10, 50, 90}},
		{"equal", []float64{50, 50, 50}, []float64{40, 50, 60}},
		{"two close, one free", []float64{20, 22, 80}, []float64{16, 26, 80}},
		{"a block grows by what it pushes", []float64{50, 50, 56}, []float64{42, 52, 62}},
		{"at the upper edge", []float64{0, 0}, []float64{0, 10}},
		{"at the lower edge", []float64{100, 100, 100}, []float64{80, 90, 100}},
		{"outside", []float64{-500, 500}, []float64{0, 100}},
		{"no room for the gap", make([]float64, 21), []float64{0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100}},
	} {
		if diff := cmp.Diff(c.got, spread(c.want, 10, 0, 100), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

// TestSpreadLaws: labels stay in order, apart and within bounds.
func TestSpreadLaws(t *testing.T) {
	r := rand.New(level.PCG(6, 6))
	for range 2000 {
		want := make([]float64, 1+r.IntN(12))
		for i := range want {
			want[i] = r.Float64() * 300 * float64(r.IntN(2))
		}
		slices.Sort(want)
		got := spread(want, 15, 20, 280)
		for i, g := range got {
			if g < 20-1e-9 || g > 280+1e-9 || i > 0 && g-got[i-1] < 15-1e-9 {
				t.Fatalf("spread(%v) = %v", want, got)
			}
		}
	}
}

// TestLabelsApart draws ceilings that are close together and many marks, and holds
// that no two names overlap and none is cut off.
func TestLabelsApart(t *testing.T) {
	r := rand.New(level.PCG(7, 7))
	for range 100 {
		d := Data{Roofs: []Roof{{"f32 avx512", 260}, {"f32 avx2", 132}, {"f64 avx512", 130}, {"f64 avx2", 66}, {"scalar", 18}},
			Slopes: []Slope{{"L1", 500}, {"L2", 250}, {"L3", 100 + 150*r.Float64()}, {"DRAM", 40}}}
		for i := range 80 {
			x := math.Exp2(10*r.Float64() - 3)
			d.Marks = append(d.Marks, Mark{Series: strconv.Itoa(i % 9), Label: "n=" + strconv.Itoa(i), Intensity: x, GFLOPS: min(260, 100*x) * r.Float64()})
		}
		for _, f := range []frame{wide, narrow} {
			p := arrange(&d, f)
			for i, a := range p.roofs {
				if a.name != d.Roofs[i].Name || a.lx+width(a.value, p.font) > p.width {
					t.Fatalf("%s: name of roof %s cut to %q", f.class, d.Roofs[i].Name, a.name)
				}
				if i > 0 && a.ly-p.roofs[i-1].ly < p.font*1.3 {
					t.Fatalf("%s: names of roofs at %v and %v", f.class, p.roofs[i-1].ly, a.ly)
				}
			}
			var labels []box
			for _, m := range p.marks {
				if m.label == "" {
					continue
				}
				w, x := width(m.label, 11), m.lx
				switch m.anchor {
				case "middle":
					x -= w / 2
				case "end":
					x -= w
				}
				b := box{x, m.ly - 9, x + w, m.ly + 2}
				if meets(b, labels) > 0 || !b.within(p.plot) {
					t.Fatalf("%s: label %q at %v on another or outside", f.class, m.label, b)
				}
				for _, o := range p.marks {
					if b.meets(around(o.x, o.y, 6)) {
						t.Fatalf("%s: label %q on a mark", f.class, m.label)
					}
				}
				labels = append(labels, b)
			}
			if len(labels) < 5 || len(labels) > maxLabels {
				t.Fatalf("%s: %d labels", f.class, len(labels))
			}
			for _, s := range p.slopes {
				if f.class == "wide" && !s.labelled {
					t.Fatalf("slope %s has no name", s.name)
				}
			}
		}
	}
}

// TestLook: no two of the most series look the same, and the first eight differ in
// both shape and colour.
func TestLook(t *testing.T) {
	seen := map[[2]int]bool{}
	for i := range MaxSeries {
		s, c := look(i)
		if seen[[2]int{s, c}] {
			t.Errorf("series %d looks like an earlier one", i)
		}
		seen[[2]int{s, c}] = true
		if i < 8 && (s != i || c != i) {
			t.Errorf("series %d: shape %d, colour %d", i, s, c)
		}
	}
}
