package emit

import "io"

// Target is what code is generated for.
type Target struct {
	Name string // "avx512", "avx2", "sm_80": as users and file names spell it
	Arch string // the backend: "amd64", "ptx"
	Bits int    // width of a vector register, 0 where there is none
	Regs int    // vector registers
}

// Lanes returns how many e a vector register of the target holds.
func (t Target) Lanes(e Elem) int { return t.Bits / e.Bits() }

// Backend turns checked functions into text for one architecture.
type Backend interface {
	Name() string
	// Passes prepares a function for Print. They are data, so that a caller can
	// look at the function between any two.
	Passes(t Target) []Pass
	// Print writes one file with all functions. Each has been through Passes. The
	// error is an [*Error] that names the function, the operation and the limit.
	Print(w io.Writer, t Target, header string, fs []*Func) error
}
