package gemmtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
)

// TestTargets: one test of twelve gets the targets of arm64, all do when asked, and the list itself stays as it is.
func TestTargets(t *testing.T) {
	all := []emit.Target{amd64.AVX512, arm64.NEON, amd64.AVX2}
	given := slices.Clone(all)
	for _, c := range []struct {
		asked, long string
		every       bool
	}{{"", "", false}, {"0", "0", false}, {"1", "", true}, {"", "1", true}} {
		t.Setenv("TILESMITH_ARM64", c.asked)
		t.Setenv("TILESMITH_LONG", c.long)
		with := 0
		for i := range 1200 {
			t := named{t, fmt.Sprint("Test", i)}
			switch have := Targets(t, given); {
			case slices.Equal(have, all):
				with++
			case !slices.Equal(have, []emit.Target{amd64.AVX512, amd64.AVX2}):
				t.Fatalf("targets are %v", have)
			}
		}
		if c.every && with != 1200 || !c.every && (with < 60 || with > 140) {
			t.Errorf("TILESMITH_ARM64=%s TILESMITH_LONG=%s: %d tests of 1200 have all targets", c.asked, c.long, with)
		}
	}
	if !slices.Equal(given, all) {
		t.Errorf("the list became %v", given)
	}
}

// named is a test that has another name.
type named struct {
	testing.TB
	name string
}

func (n named) Name() string { return n.name }

// TestBackend: each target is printed by its architecture's backend.
func TestBackend(t *testing.T) {
	for _, target := range []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON} {
		if have := Backend(target).Name(); have != target.Arch {
			t.Errorf("%s is printed by %s", target.Name, have)
		}
	}
}
