package device

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/tiling"
)

// Kernel is what the model knows of a kernel.
type Kernel struct {
	Name string
	Tile tiling.GPU
	Unit Unit
	// Size, Sum and Out are the bytes of an element of a and b, of a sum and of a result.
	Size, Sum, Out int
	Shared         int // bytes of a CTA
	Registers      int // of a thread, 0 if not known
	Loop           Loop
	End            float64 // instructions of a thread for one result, behind the main loop
	Parts          bool    // its CTAs may share tiles
	// Group is how many tiles of rows are walked together, 0 for row after row.
	Group int
}

// Loop is what one warp does in a step of BK.
type Loop struct {
	FMAs         float64 // of its units, of all lanes together
	Instructions float64
	Wavefronts   float64 // turns of the banks for what it loads from shared memory
	Copies       float64 // instructions that copy to shared memory
	Waits        float64 // loads from memory that it waits for, one after the other
}

// Typical is the main loop of a kernel of mma.sync and ldmatrix if only its tile is known. It
// has instructions of m16n8 and of 32 bytes of K, four matrices at a load, copies of 16 bytes,
// and 40 instructions for addresses and counters, as the kernels of this module have.
func Typical(t tiling.GPU, size int) Loop {
	wm, wn, k := float64(t.WM), float64(t.WN), float64(t.BK)
	mma := wm / 16 * wn / 8 * k * float64(size) / 32
	loads := (wm + wn) * k * float64(size) / 512
	copies := float64(t.StageBytes(size)) / 16 / float64(t.Threads())
	return Loop{FMAs: wm * wn * k, Instructions: mma + loads + 2*copies + 40, Wavefronts: 4 * loads, Copies: copies}
}

// check returns what makes no sense of k, or nil.
func (k *Kernel) check() error {
	t := k.Tile
	for _, n := range []int{t.BM, t.BN, t.BK, t.WM, t.WN, t.Stages, k.Size, k.Out} {
		if n < 1 || n > 1<<12 {
			return fmt.Errorf("%s: %v of elements of %d and %d bytes is no tile", k.Name, t, k.Size, k.Out)
		}
	}
	for _, x := range []float64{k.Loop.FMAs, k.Loop.Instructions, k.Loop.Wavefronts, k.Loop.Copies, k.Loop.Waits, k.End} {
		if !(x >= 0) || x > math.MaxInt32 {
			return fmt.Errorf("%s: %+v is no main loop", k.Name, k.Loop)
		}
	}
	return nil
}

// registers are those of a thread: the sums, one set of operands and overhead, if the number is not known.
func (k *Kernel) registers() int {
	if k.Registers > 0 {
		return k.Registers
	}
	const overhead = 40
	t := k.Tile
	return min(255, t.WM*t.WN/32*max(4, k.Sum)/4+(t.WM/16*4+t.WN/8*2)+overhead)
}

// perSM returns how many CTAs an SM has room for, 0 if none.
func (d *Device) perSM(k *Kernel) int {
	threads := k.Tile.Threads()
	regs := (k.registers() + 7) &^ 7 * threads
	if k.Shared > d.SharedCTA || threads < 1 || regs > registersSM {
		return 0
	}
	return max(0, min(d.SharedSM/(k.Shared+reserved), registersSM/regs, d.ThreadsSM/threads, d.CTAs))
}
