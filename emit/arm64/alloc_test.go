package arm64

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestAllocation: no two live values of a random program share a register.
func TestAllocation(t *testing.T) {
	suite.CheckRandom(t, level.Of(10, 40, 300), NEON)
}

// TestMixedAllocation: nor do those of a random mix of vectors and masks.
func TestMixedAllocation(t *testing.T) {
	suite.CheckMixed(t, level.Of(10, 40, 300), NEON)
}

// TestVectorAllocation: nor do those of each operation on each type.
func TestVectorAllocation(t *testing.T) {
	suite.CheckVector(t, NEON)
}

// TestSpill: nor do those that spill.
func TestSpill(t *testing.T) {
	suite.CheckSpill(t, func(asmtest.Program) bool { return true }, NEON)
}

// TestFrame: what waits in the frame lies above the return address, which has 8 bytes, and
// below the caller's frame.
func TestFrame(t *testing.T) {
	frame, place := regexp.MustCompile(`, \$([0-9]+)-8\n`), regexp.MustCompile(`([0-9]+)\(RSP\)`)
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	places := 0
	for _, p := range append(suite.Spill(t, NEON)[:2], scratch(t)) {
		text, err := suite.Compile(NEON, p.F)
		if err != nil {
			t.Fatal(err)
		}
		size := (number(frame.FindStringSubmatch(text)[1]) + 8 + 15) &^ 15 // as the assembler rounds it
		for _, m := range place.FindAllStringSubmatch(text, -1) {
			places++
			if at := number(m[1]); at < 8 || at+16 > size || at%16 != 0 {
				t.Errorf("%s: %s in a frame of %d bytes", p.F.Name, m[0], size)
			}
		}
	}
	if places == 0 {
		t.Error("nothing waits in a frame")
	}
}
