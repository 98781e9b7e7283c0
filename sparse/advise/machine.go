package advise

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Machine is what [For] knows of a processor, with the instruction set of the kernels
// that it is asked about.
type Machine struct {
	machine.Machine
	ISA     string // "avx512", "avx2", "neon" or "go"
	Threads int    // that share a product; 0: 1
}

// MachineFor returns the machine that the program runs on, with one thread and the kernels
// of isa. isa is "avx512", "avx2", "neon" or "go", or an instruction set that extends one of
// these. For any other name [For] returns an error.
func MachineFor(isa string) Machine { return Machine{Machine: *machine.This(), ISA: isa, Threads: 1} }

// mostThreads bounds Machine.Threads: no machine has more, and each is looked at.
const mostThreads = 1 << 16

// check refuses what makes no sense.
func (on *Machine) check() error {
	const where = "advise.For"
	switch {
	case len(on.Units) == 0:
		return sparse.Errorf(sparse.ErrSize, where, "see MachineFor", "the machine has no units")
	case on.ISA != "go" && isaset.ByName(on.ISA) == nil:
		return sparse.Errorf(sparse.ErrValue, where, `"avx512", "avx2", "neon" or "go"`, "the machine's ISA is %q", on.ISA)
	case on.Threads < 0 || on.Threads > mostThreads:
		return sparse.Errorf(sparse.ErrSize, where, fmt.Sprintf("from 1 to %d, or 0 for 1", mostThreads), "%d threads of the machine", on.Threads)
	}
	if err := on.Machine.Check(); err != nil {
		return sparse.Errorf(sparse.ErrSize, where, "see MachineFor", "of the machine %v", err)
	}
	return nil
}

// scalar is how many instructions without vectors a core starts, such as those of
// compiled Go.
func (on *Machine) scalar() *machine.Units { return &on.Units[len(on.Units)-1] }

// convertSteps is the instructions of conversion for a slot and for an entry. Entries are
// counted, dealt and moved, each a pass with a store anywhere.
const convertSteps = 60

// converts returns the seconds of a conversion with so many slots and entries.
func (on *Machine) converts(n int64) float64 {
	return convertSteps * float64(n) / on.scalar().Issue / on.Clock
}

// size returns the bytes of a cache.
func (on *Machine) size(level int) int { return on.Caches[level].Size }

// String says what the machine is.
func (on Machine) String() string {
	c := on.Caches
	return fmt.Sprintf("%s, %s: L1 %s, L2 %s, L3 %s; %.0f, %.0f, %.0f and %.0f GB/s from L1, L2, L3 and memory",
		on.Name, on.ISA, cost.Bytes(c[0].Size), cost.Bytes(c[1].Size), cost.Bytes(c[2].Size), c[0].Read/1e9, c[1].Read/1e9, c[2].Read/1e9, c[3].Read/1e9)
}
