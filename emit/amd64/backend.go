package amd64

import (
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// The targets.
var (
	AVX512 = target(&isaset.AVX512)
	AVX2   = target(&isaset.AVX2)

	// Those that have dot products of narrow elements.
	AVX512BF16 = target(&isaset.AVX512BF16)
	AVX512VNNI = target(&isaset.AVX512VNNI)
	AVXVNNI    = target(&isaset.AVXVNNI)

	// And of tiles of them.
	AMXBF16 = target(&isaset.AMXBF16)
	AMXINT8 = target(&isaset.AMXINT8)
)

// Targets lists them, best first.
func Targets() emit.Targets {
	return emit.Targets{AMXBF16, AMXINT8, AVX512BF16, AVX512VNNI, AVX512, AVXVNNI, AVX2}
}

// provides reports whether a target is one of those that an instruction needs, or has their
// instructions; needs is as in [emit.Instruction].
func provides(t emit.Target, needs string) bool {
	isa := isaset.ByName(t.Name)
	return needs == "" || isa != nil && slices.ContainsFunc(strings.Fields(needs), isa.Includes)
}

func target(i *isaset.ISA) emit.Target {
	return emit.Target{Name: i.Name, Arch: i.GOARCH, Bits: i.Bits, Regs: i.Regs}
}

// Backend is the Go assembler's amd64 as an [emit.Backend].
type Backend struct{}

var _ emit.Backend = Backend{}

// Name returns "amd64".
func (Backend) Name() string { return "amd64" }

// Passes returns the passes that prepare a function for Print.
func (Backend) Passes(t emit.Target) []emit.Pass {
	return []emit.Pass{
		{Name: "fold", Run: emit.Fold},
		{Name: "addr", Run: emit.FoldAddresses},
		{Name: "legalize", Run: func(f *emit.Func) error { return legalize(t, f) }},
		{Name: "dce", Run: emit.DeadCode},
		{Name: "invariant", Run: func(f *emit.Func) error { return shared.Invariants(t, f) }},
		{Name: "hoist", Run: func(f *emit.Func) error { return shared.Hoist(t, f) }},
		{Name: "spill", Run: func(f *emit.Func) error { return shared.Spill(t, f) }},
	}
}
