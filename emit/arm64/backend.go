package arm64

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// The targets.
var (
	NEON = target(&isaset.NEON)

	// Those that have products of narrow elements.
	NEONFHM  = target(&isaset.NEONFHM)
	NEONDOT  = target(&isaset.NEONDOT)
	NEONBF16 = target(&isaset.NEONBF16)
	NEONI8MM = target(&isaset.NEONI8MM)
)

// Targets lists them, best first.
func Targets() emit.Targets { return emit.Targets{NEONBF16, NEONI8MM, NEONDOT, NEONFHM, NEON} }

// provides reports whether a target is one of those that an instruction needs, or has their
// instructions; needs is as in [emit.Instruction].
func provides(t emit.Target, needs string) bool {
	isa := isaset.ByName(t.Name)
	return needs == "" || isa != nil && slices.ContainsFunc(strings.Fields(needs), isa.Includes)
}

func target(i *isaset.ISA) emit.Target {
	return emit.Target{Name: i.Name, Arch: i.GOARCH, Bits: i.Bits, Regs: i.Regs}
}

// Backend is the Go assembler's arm64 as an [emit.Backend].
type Backend struct{}

var _ emit.Backend = Backend{}

// Name returns "arm64".
func (Backend) Name() string { return "arm64" }

// Passes returns the passes that prepare a function for Print.
func (Backend) Passes(t emit.Target) []emit.Pass {
	return []emit.Pass{
		{Name: "fold", Run: emit.Fold},
		{Name: "addr", Run: emit.FoldAddresses},
		{Name: "legalize", Run: func(f *emit.Func) error { return legalize(t, f) }},
		{Name: "lanes", Run: func(f *emit.Func) error { return byElement(t, f) }},
		{Name: "dce", Run: emit.DeadCode},
		{Name: "invariant", Run: func(f *emit.Func) error { return shared.Invariants(t, f) }},
		{Name: "hoist", Run: func(f *emit.Func) error { return shared.Hoist(t, f) }},
		{Name: "spill", Run: func(f *emit.Func) error { return shared.Spill(t, f) }},
	}
}
