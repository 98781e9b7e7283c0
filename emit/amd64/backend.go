package amd64

import "github.com/tilesmith/tilesmith/emit"

// The targets.
var (
	AVX512 = emit.Target{Name: "avx512", Arch: "amd64", Bits: 512, Regs: 32}
	AVX2   = emit.Target{Name: "avx2", Arch: "amd64", Bits: 256, Regs: 16}
)

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
	}
}
