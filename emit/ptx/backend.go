package ptx

import (
	"io"

	"github.com/tilesmith/tilesmith/emit"
)

// The targets. Vectors are one thread's, so Bits is that of the smallest unit
// worth having: a function lowered for Lanes(F32) lanes does one element a thread.
//
// Text for SM80 to SM120 runs on all later GPUs, data centre's or not; text for SM90a, which has
// wgmma and setmaxnreg, runs on compute capability 9.0 only.
var (
	SM80  = emit.Target{Name: "sm_80", Arch: "ptx", Bits: 32}
	SM86  = emit.Target{Name: "sm_86", Arch: "ptx", Bits: 32}
	SM89  = emit.Target{Name: "sm_89", Arch: "ptx", Bits: 32}
	SM90  = emit.Target{Name: "sm_90", Arch: "ptx", Bits: 32}
	SM90a = emit.Target{Name: "sm_90a", Arch: "ptx", Bits: 32}
	SM100 = emit.Target{Name: "sm_100", Arch: "ptx", Bits: 32}
	SM120 = emit.Target{Name: "sm_120", Arch: "ptx", Bits: 32}
)

// Targets returns all targets, the oldest first.
func Targets() []emit.Target { return []emit.Target{SM80, SM86, SM89, SM90, SM90a, SM100, SM120} }

// Portable returns the portable form of a target. A name that ends in a letter binds text to one GPU; without
// the letter, text runs on every later GPU too. ok is false of a target without one.
func Portable(t emit.Target) (without emit.Target, ok bool) {
	if t == SM90a {
		return SM90, true
	}
	return t, false
}

// Backend prints PTX as an [emit.Backend].
type Backend struct{}

var _ emit.Backend = Backend{}

// Name returns "ptx".
func (Backend) Name() string { return "ptx" }

// Passes returns the passes that prepare a function for Print.
func (Backend) Passes(emit.Target) []emit.Pass {
	return []emit.Pass{
		{Name: "fold", Run: emit.Fold},
		{Name: "offsets", Run: foldOffsets},
		{Name: "select", Run: selectIfs},
		{Name: "dce", Run: emit.DeadCode},
	}
}

// Print writes header, which may be empty, and one module with all functions. See
// [List] for what it refuses.
func (Backend) Print(w io.Writer, t emit.Target, header string, fs []*emit.Func) error {
	l, err := List(t, header, fs)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, l.Text)
	return err
}
