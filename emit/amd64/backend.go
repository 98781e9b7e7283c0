package amd64

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The targets.
var (
	AVX512 = target(&kernel.AVX512)
	AVX2   = target(&kernel.AVX2)
)

func target(i *kernel.ISA) emit.Target {
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
		{Name: "hoist", Run: func(f *emit.Func) error { return hoist(t, f) }},
		{Name: "spill", Run: func(f *emit.Func) error { return spill(t, f) }},
	}
}
