package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Machine is what [Advise] knows of a processor, with the instruction set of the kernels
// that it is asked about.
type Machine struct {
	machine.Machine
	ISA     string // "avx512", "avx2" or "go"
	Threads int    // that share a product
}

// MachineFor returns the machine that the program runs on, with the variant of kernels
// that isa names, "avx512", "avx2" or "go", and one thread.
func MachineFor(isa string) Machine { return Machine{Machine: *machine.This(), ISA: isa, Threads: 1} }

// check refuses what makes no sense.
func (on *Machine) check() error {
	if len(on.Units) == 0 {
		return fail(ErrSize, "sparse.Advise", "see MachineFor", "the machine has no units")
	}
	u, last := on.Of(on.ISA), on.Caches[machine.L1]
	all := []float64{on.Clock, u.FMA, u.Loads, u.Stores, u.Issue, float64(u.Vector), on.scalar().Loads, on.Stream, float64(on.Pages.Size)}
	for i, l := range on.Caches {
		all = append(all, l.Read, l.Write, l.Latency, l.Misses)
		if i < machine.Memory {
			all = append(all, float64(l.Size), float64(l.Ways))
		}
		if i > 0 && i < machine.Memory && l.Size < last.Size {
			return fail(ErrSize, "sparse.Advise", "see MachineFor", "cache L%d of the machine has %d bytes, the one before it %d", i+1, l.Size, last.Size)
		}
		last = l
	}
	for _, x := range all {
		if !(x > 0) {
			return fail(ErrSize, "sparse.Advise", "see MachineFor", "a size or rate of the machine is %v", x)
		}
	}
	return nil
}

// scalar is what a core starts that is no vector: as compiled Go does.
func (on *Machine) scalar() *machine.Units { return &on.Units[len(on.Units)-1] }

// convertSteps is the instructions of conversion for a slot and for an entry: entries are
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
		on.Name, on.ISA, bytesOf(c[0].Size), bytesOf(c[1].Size), bytesOf(c[2].Size), c[0].Read/1e9, c[1].Read/1e9, c[2].Read/1e9, c[3].Read/1e9)
}

// bytesOf prints a number of bytes: "512 B", "83 MiB".
func bytesOf[N int | int64](n N) string {
	switch x := float64(n); {
	case x >= 1<<30:
		return fmt.Sprintf("%.1f GiB", x/(1<<30))
	case x >= 10<<20:
		return fmt.Sprintf("%.0f MiB", x/(1<<20))
	case x >= 1<<20:
		return fmt.Sprintf("%.1f MiB", x/(1<<20))
	case x >= 1<<10:
		return fmt.Sprintf("%.0f KiB", x/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
