package sparse

import (
	"fmt"

	"github.com/tilesmith/tilesmith/tiling"
)

// Machine is what [Advise] knows of a processor: one core, its caches, and what the
// stock kernels of package cpu cost on it apart from what they wait for.
type Machine struct {
	Name           string
	Threads        int           // that share a product
	Caches         tiling.Caches // bytes
	L2, L3, Memory float64       // bytes/s by which reading from each is longer than from L1
	Vector         int           // bytes of a vector
	Panel          int           // vectors of C that a kernel holds
	Costs          Costs
}

// Costs is what kernels take, in nanoseconds, with all operands in L1.
type Costs struct {
	Call               float64 // a product in compressed rows
	Entry, EntryVector float64 // an entry, and each of its vectors
	Row, RowVector     float64 // a row, and storing each of its vectors
	Part               float64 // a product in another format
	Slot, SlotVector   float64 // a slot, and each of its vectors
	Visit, VisitVector float64 // a visit of a row of C, for all of its entries or some, and each of its vectors
	UpdateVector       float64 // reading a vector of C besides
	ClearVector        float64 // clearing one first, in formats that may not meet its row, or meet it again
	Block, BlockVector float64 // a column of a block, and multiplying a vector by one of its slots
	Convert            float64 // conversion: a slot, and an entry
}

// check refuses what makes no sense.
func (on Machine) check() error {
	for _, x := range []float64{float64(on.Caches.L1), float64(on.Caches.L2), float64(on.Caches.L3), on.L2, on.L3, on.Memory, float64(on.Vector), float64(on.Panel)} {
		if !(x > 0) {
			return fail(ErrSize, "sparse.Advise", "see MachineFor", "a size or rate of the machine is %v", x)
		}
	}
	return nil
}

// String says what the machine is.
func (on Machine) String() string {
	return fmt.Sprintf("%s: L1 %s, L2 %s, L3 %s; %.0f, %.0f and %.0f GB/s from L2, L3 and memory beyond what L1 takes",
		on.Name, bytesOf(on.Caches.L1), bytesOf(on.Caches.L2), bytesOf(on.Caches.L3), on.L2/1e9, on.L3/1e9, on.Memory/1e9)
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

// MachineFor returns a machine with the variant of kernels that isa names, "avx512",
// "avx2" or "go", and the caches of this one. Its rates and costs are as measured on
// one core of a Zen 5 EPYC in a virtual machine: the costs by least squares over 60
// products in L1 of each kind of kernel, then the rates over 70 products of matrices
// whose B is anywhere. Of the products in L1 in rows and in formats with loops of
// their own, eight in ten are met within 10 % by avx2 and go, and most by avx512; the
// costs of blocks, of conversion and of adding to C are rougher. Package verify/roof
// measures the rates of another machine.
func MachineFor(isa string) Machine {
	on := Machine{Name: isa, Threads: 1, Caches: tiling.MachineCaches(), L2: 500e9, L3: 105e9, Memory: 42e9}
	switch isa {
	case "avx512":
		on.Vector, on.Panel = 64, 28
		on.Costs = Costs{Call: 140, Entry: .19, EntryVector: .16, Row: .8, RowVector: .34,
			Part: 730, Slot: .8, SlotVector: .25, Visit: 1, VisitVector: .37,
			UpdateVector: .4, ClearVector: .4, Block: 7, BlockVector: .2, Convert: 3}
	case "avx2":
		on.Vector, on.Panel = 32, 12
		on.Costs = Costs{Call: 135, Entry: .14, EntryVector: .17, Row: .93, RowVector: .05,
			Part: 710, Slot: .55, SlotVector: .19, Visit: .8, VisitVector: .13,
			UpdateVector: .2, ClearVector: .2, Block: 7, BlockVector: .2, Convert: 3}
	default:
		on.Vector, on.Panel = 8, 1<<20
		on.Costs = Costs{Call: 150, Entry: 1.4, EntryVector: .62, Row: 3, RowVector: .08,
			Part: 460, Slot: 3.2, SlotVector: 1.6, Visit: 1.5, VisitVector: 1.2,
			UpdateVector: .1, ClearVector: .1, Block: 7, BlockVector: 1.2, Convert: 3}
	}
	return on
}
