package gpu

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A kind of mutants is what is changed, and in which instruction, with what it computes: the
// numbers in it aside, as unrolled loops and other tiles have others.
func kind(f *facts, m mutant) string {
	return m.kind + " " + f.code[m.line].op + " " + numbers.ReplaceAllString(f.formula(m.line), "n")
}

var numbers = regexp.MustCompile(`\d+`)

// An example is a mutant of a kernel of a family.
type example struct {
	family *family
	subject
	*facts
	mutant
	rank uint64 // the least of its kind is tried
}

// examples is one mutant of each kind, of any family and kernel: which, depends on seed.
func examples(t testing.TB, seed int) []example {
	least := map[string]example{}
	list := append(append(stock(t), groupedFamilies(t)...), typedFamilies(t, func(string) bool { return true })...)
	for i := range list {
		for _, x := range list[i].subjects() {
			facts := newFacts(x.text)
			for _, m := range mutants(x.text) {
				h := fnv.New64a()
				fmt.Fprint(h, seed, x.name, m.line, m.now)
				k := kind(facts, m)
				if was, ok := least[k]; !ok || h.Sum64() < was.rank {
					least[k] = example{&list[i], x, facts, m, h.Sum64()}
				}
			}
		}
	}
	all := slices.Collect(maps.Values(least))
	slices.SortFunc(all, func(a, b example) int {
		return strings.Compare(a.name+fmt.Sprintf("%8d", a.line)+a.now, b.name+fmt.Sprintf("%8d", b.line)+b.now)
	})
	return all
}

// TestMutantKinds tries, with TILESMITH_LONG, one mutant of each kind that has its turn: all mutants take days, and most of them
// are alike. TILESMITH_KINDS=seed,i/n, with n of 2 or more, is the i'th part of n of those of a seed, each of which has others.
func TestMutantKinds(t *testing.T) {
	if !level.Long() {
		t.Skip("one mutant of each kind takes half an hour in ten turns: set TILESMITH_LONG; TestMutants tries a sample")
	}
	seed, i, n := 0, 0, 1
	if s := os.Getenv("TILESMITH_KINDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d,%d/%d", &seed, &i, &n); err != nil || i < 0 || i >= n {
			t.Fatalf("TILESMITH_KINDS is %q, want a seed and a part such as 3,0/2", s)
		}
	}
	all := examples(t, seed)
	caught, same := 0, 0
	picked := level.Pick(len(all), 0, 0)
	if n > 1 {
		picked = nil
		for ; i < len(all); i += n {
			picked = append(picked, i)
		}
	}
	for _, at := range picked {
		x := all[at]
		e := known(x.name, x.facts, x.mutant)
		explained := e != nil && !e.long
		// The trials of short mode are for what is explained enough to contradict it.
		err := x.family.tried(t, x.subject.mutant(x.mutant), schedules, false)
		if err == nil && !explained {
			err = x.family.tried(t, x.subject.mutant(x.mutant), schedules, true)
		}
		switch {
		case explained && (err == nil || strings.Contains(err.Error(), "Options.MaxTime")):
			same++
		case explained && !e.some:
			t.Errorf("not the same: %s: %v: %s: %v", x.name, x.mutant, e.why, err)
		case err == nil:
			t.Errorf("survives: %s: %v {%s}", x.name, x.mutant, x.formula(x.line))
		default:
			caught++
		}
	}
	t.Logf("mutants tried %d of %d, one of each kind, caught %d; %d are equivalent", len(picked), len(all), caught, same)
}
