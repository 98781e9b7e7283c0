package arm64

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// some are the programs of the suite for each operation, and a few random ones.
func some(t *testing.T) []asmtest.Program {
	all := append(suite.Vector(t, NEON), suite.Spill(t, NEON)...)
	all = append(all, dots(t)...)
	for seed := range uint64(level.Of(5, 15, 100)) {
		p, err := suite.Mixed(seed, NEON, 30)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p, factors(t, seed))
	}
	return all
}

// TestMeaning: the passes change nothing of what a function does.
func TestMeaning(t *testing.T) { suite.CheckMeaning(t, some(t)) }

// TestReserved: kernels use no register that belongs to the system, the assembler or the
// runtime.
func TestReserved(t *testing.T) {
	free := append(slices.Clone(general), argReg, tmp, tmp2, tmp3)
	for _, n := range []int{18, 27, 28, 29, 30} {
		if slices.Contains(free, n) {
			t.Errorf("R%d is among those that kernels use", n)
		}
	}
	register := regexp.MustCompile(`\b[Rxw]([0-9]+)\b`)
	for _, p := range append(suite.Vector(t, NEON), scratch(t)) {
		text, err := suite.Compile(NEON, p.F)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.SplitSeq(text, "\n") {
			for _, m := range register.FindAllStringSubmatch(l, -1) {
				if n, _ := strconv.Atoi(m[1]); !slices.Contains(free, n) {
					t.Fatalf("%s: %s", p.F.Name, l)
				}
			}
		}
	}
}
