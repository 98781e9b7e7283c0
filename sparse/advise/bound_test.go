package advise_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// kinds are matrices of each structure that formats are for.
var kinds = sync.OnceValue(func() map[string]sparse.Matrix[float32] {
	all := map[string]sparse.Matrix[float32]{}
	add := func(name string, m sparse.Matrix[float32], err error) {
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all[name] = m
	}
	m, err := sample.Blocks[float32](1024, 1024, 16, .03, 1)
	add("blocks of 16", m, err)
	m, err = sample.Blocks[float32](600, 600, 3, .05, 1)
	add("blocks of 3", m, err)
	m, err = sample.RMAT[float32](8000, 800, .25, .25, .25, 1)
	add("hypersparse", m, err)
	m, err = sample.Banded[float32](2000, 3)
	add("banded", m, err)
	m, err = sample.Diagonals[float32](1500, 1500, -64, -1, 0, 1, 64)
	add("diagonals", m, err)
	m, err = sample.RMAT[float32](4000, 30000, .57, .19, .19, 1)
	add("power law", m, err)
	m, err = sample.Pruned[float32](400, 400, .9, 1)
	add("pruned", m, err)
	m, err = sample.Uniform[float32](2000, 2000, 20, 1)
	add("random", m, err)
	return all
})

// TestAdviseBounds: what a candidate that was not simulated is said to take at least, it
// does not take less of when its caches are simulated after all; and that is more than
// the choice takes.
func TestAdviseBounds(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large matrices")
	}
	cut, simulated, at := 0, 0, -1
	all := kinds()
	picked := level.Pick(4*len(all), 0, 7)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		for _, isa := range []string{"avx512", "avx2"} {
			for _, features := range []int{8, 128} {
				if at++; !slices.Contains(picked, at) {
					continue
				}
				on := advise.Machine{Machine: *machine.Reference(isa), ISA: isa, Threads: 1}
				a, err := advise.For(m, features, on)
				if err != nil {
					t.Fatal(err)
				}
				full := advise.Predict(m, features, on)
				where := fmt.Sprintf("%s, %s, %d features", name, isa, features)
				for _, c := range a.Candidates {
					seconds, ok := full[c.Name]
					switch {
					case !ok:
						t.Errorf("%s: %s is no plan", where, c.Name)
					case !c.Least && c.Seconds != seconds:
						t.Errorf("%s: %s is said to take %v s, it is %v", where, c.Name, c.Seconds, seconds)
					case !c.Least:
						simulated++
					default:
						cut++
						if c.Seconds > seconds || a.Best.Seconds > seconds {
							t.Errorf("%s: %s takes %v s, at least %v were said, and %s takes %v", where, c.Name, seconds, c.Seconds, a.Best.Name, a.Best.Seconds)
						}
						if !strings.Contains(c.Why, "at least") {
							t.Errorf("%s: %s: %q does not say that it is a bound", where, c.Name, c.Why)
						}
					}
				}
			}
		}
	}
	if cut == 0 || simulated == 0 {
		t.Errorf("%d candidates were cut short and %d not: there is nothing to compare", cut, simulated)
	}
}

// TestAdviseKinds: what must be chosen for matrices of each kind, on a Zen 4, and what
// must not.
func TestAdviseKinds(t *testing.T) {
	all := kinds()
	for _, c := range []struct {
		kind     string
		features int
		want     string // prefixes, one of which the choice has
	}{
		{"blocks of 16", 8, "bsr"},
		{"hypersparse", 32, "csr coo dcsr columns"},
		{"banded", 32, "csr"},
		{"diagonals", 128, "csr"},
		{"power law", 32, "csr"},
		{"pruned", 128, "pruned columns"},
	} {
		a, err := advise.For(all[c.kind], c.features, advise.Machine{Machine: *machine.Reference("avx512"), ISA: "avx512", Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		ok := false
		for _, p := range strings.Fields(c.want) {
			ok = ok || strings.HasPrefix(a.Best.Name, p)
		}
		if !ok {
			t.Errorf("%s, %d features: want %s\n%v", c.kind, c.features, c.want, a)
		}
		for _, x := range a.Candidates {
			if x.Name == format.CSC.Name && x.Why == "" {
				t.Errorf("%s, %d features: compressed columns, which update C for each entry", c.kind, c.features)
			}
		}
	}
}

// TestAdviseMachines: every known machine gets an advice that is made of numbers.
func TestAdviseMachines(t *testing.T) {
	m, err := sample.Blocks[float64](96, 120, 4, .2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range machine.Known() {
		for _, u := range k.Units {
			for _, features := range []int{1, 9, 200} {
				a, err := advise.For(m, features, advise.Machine{Machine: *k, ISA: u.ISA, Threads: 1})
				if err != nil {
					t.Fatal(k.Name, err)
				}
				for _, c := range a.Candidates {
					if !(c.Seconds > 0) || math.IsInf(c.Seconds, 0) {
						t.Errorf("%s, %s, %d features: %s takes %v s", k.Name, u.ISA, features, c.Name, c.Seconds)
					}
				}
			}
		}
	}
}
