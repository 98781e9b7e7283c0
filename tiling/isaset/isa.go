// Package isaset has the instruction sets that kernels are written for, each a value: what lowering asks of it, and how the
// run time finds out whether a machine has it. Those of an architecture are a file.
package isaset

import "slices"

// ISA is an instruction set that kernels are written for. It answers what lowering
// asks, and how the run time finds out whether a machine has it. A new one is one more
// value.
type ISA struct {
	Name   string // "avx512": as users and file names spell it
	GOARCH string
	// Extends is the set whose instructions it also has, or nil. That set stands in where a
	// kernel has no variant of its own, and where a machine's data has none of its own.
	Extends *ISA

	Bits int // width of a vector register
	Regs int // vector registers

	SlowMask bool // masks are vectors, and masked stores cost much
	NoMask   bool // there are no masked loads and stores: lanes go one by one
	Elements bool // a multiply-add takes one element of a register for all lanes
	Streams  bool // there are stores past the caches
	OnePort  bool // some cores permute the widest vectors on a port of the multiply-adds only: Intel's

	has func() bool
}

// Has reports whether this machine has the instructions; it heeds GODEBUG=cpu.*. It says
// nothing about the build, which may have no assembly.
func (i *ISA) Has() bool { return i.has() }

// Includes reports whether i is the set of that name, or extends it.
func (i *ISA) Includes(name string) bool {
	for ; i != nil; i = i.Extends {
		if i.Name == name {
			return true
		}
	}
	return false
}

// Plain returns the name of the set that the one called name extends in the end. It decides
// on registers and speed, except for what the extension adds. If name extends none, or is
// not a set, Plain returns name.
func Plain(name string) string {
	for i := ByName(name); i != nil; i = i.Extends {
		name = i.Name
	}
	return name
}

// extend returns an instruction set that has what base has, and more where has is true.
func extend(base *ISA, name string, has func() bool) ISA {
	i := *base
	i.Name, i.Extends = name, base
	i.has = func() bool { return base.has() && has() }
	return i
}

// All lists them by architecture, best first; what extends another stands right behind it,
// because most kernels use nothing of it.
var All = slices.Concat(x86, arm64)

// ByName returns the instruction set of that name, nil if there is none.
func ByName(name string) *ISA {
	for _, i := range All {
		if i.Name == name {
			return i
		}
	}
	return nil
}
