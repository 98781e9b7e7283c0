package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// After the first call, sampled products, attention, patterns, blocks and pruned weights
// allocate nothing.
func TestSDDMMAllocations(t *testing.T) {
	rng := rand.New(level.PCG(1, 1))
	s := randomEntries[float32](rng, 60, 70, .2)
	full, err := format.Pack(randomEntries[float32](rng, 64, 70, 1), format.BSR(8))
	if err != nil {
		t.Fatal(err)
	}
	w := Prune(s)
	pattern := s.Pattern()
	a, b := normalDense[float32](rng, 60, 40), normalDense[float32](rng, 70, 40)
	values, out, tall := make([]float32, s.NNZ()), layout.New[float32](60, 40), layout.New[float32](64, 40)
	for _, isa := range run.PlainISAs() {
		if isa == "go" {
			continue // the portable code makes its sums anew
		}
		opt := Options{ISA: isa, Threads: 1}
		for name, f := range map[string]func(){
			"SDDMMInto":      func() { SDDMMInto(SDDMMOptions{Options: opt}, values, s, a, b) },
			"GraphAttention": func() { GraphAttention(AttentionOptions{Options: opt}, out, s, a, b, b) },
			"SpMMBlocks":     func() { SpMMBlocks(opt, tall, full, b) },
			"a pattern":      func() { SpMMOpt(opt, out, pattern, b) },
			"MulPruned":      func() { MulPruned(opt, out, w, b) },
		} {
			if n := testing.AllocsPerRun(20, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", isa, name, n)
			}
		}
	}
}
