package run

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling"
)

// choose returns the kernel for the operands of c: the first that they are aligned
// for and the device has shared memory for, in the size that suits the shape.
func (c *Call) choose(t *Target, info *cuda.Info) (*Kernel, error) {
	if c.opt.Kernel != "" {
		for i := range t.Kernels {
			if k := &t.Kernels[i]; k.Name == c.opt.Kernel {
				if !c.suits(k) {
					return nil, fmt.Errorf("%s: Options.Kernel %s wants operands that lie otherwise", c.set.Name, k.Name)
				}
				return k, nil
			}
		}
		return nil, fmt.Errorf("%s: Options.Kernel %q is none of its kernels; %s is the first", c.set.Name, c.opt.Kernel, t.Kernels[0].Name)
	}
	var best *Kernel
	least := math.MaxInt
	for i := range t.Kernels {
		k := &t.Kernels[i]
		switch {
		case best != nil && k.Unit < best.Unit:
			return best, nil // they stand widest first
		case int64(k.Shared) > info.SharedPerBlock:
			least = min(least, k.Shared)
		case !c.suits(k):
		case best == nil || c.cost(k, info.SMs) < c.cost(best, info.SMs):
			best = k
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: %w: its kernels take %d bytes of shared memory and more, %s has %d a block; generate it for this GPU's target",
			c.set.Name, cuda.ErrUnsupported, least, info.Name, info.SharedPerBlock)
	}
	return best, nil
}

// suits reports whether the operands lie as k wants them.
func (c *Call) suits(k *Kernel) bool {
	if k.Unit == 0 {
		return true
	}
	unit := int64(k.Unit)
	if !c.a.aligned(unit, k.AK) || !c.b.aligned(unit, !k.BK) {
		return false
	}
	if !k.Wide {
		return true
	}
	for s := range c.set.Slots {
		o := &c.slots[s]
		switch c.set.Slots[s].Kind {
		case Output, Full:
			if !o.aligned(16, true) {
				return false
			}
		case Column:
			if o.addr%16 != 0 || o.bs%16 != 0 {
				return false
			}
		}
	}
	return true
}

// cost estimates the time of a product, in multiplications of one SM. An SM does its
// share of tiles one after the other; each takes
//
//	K steps, the longer the more the tile loads for a multiplication
//	    (45/BM + 45/BN: what L2 delivers, in the terms of the tensor cores' speed)
//	and the epilogue, as if it were 150 steps and 14 for each operation.
//
// A CTA that fills an SM does its epilogue while the tensor cores wait; of smaller
// ones four fifths are hidden behind another's multiplications. The numbers are
// derived from the rates that are known for an H100, not measured.
func (c *Call) cost(k *Kernel, sms int) float64 {
	t := k.Tile
	n := int64(tiles(c.m, t.BM)) * int64(tiles(c.n, t.BN)) * int64(c.count)
	share := (n + int64(sms) - 1) / int64(max(sms, 1))
	steps := float64(c.k) * (0.47 + 45/float64(t.BM) + 45/float64(t.BN))
	end := 150 + 14*float64(c.set.Work)
	if k.Threads < 256 {
		end /= 5
	}
	return float64(share) * float64(t.BM*t.BN) * (steps + end)
}

func tiles(n, tile int) int { return int((int64(n) + int64(tile) - 1) / int64(tile)) }

// fits returns an error if the grid of k is larger than a launch can be.
func (c *Call) fits(k *Kernel) error {
	tm, tn := int64(tiles(c.m, k.Tile.BM)), int64(tiles(c.n, k.Tile.BN))
	const most = 1<<31 - 1
	if tm > most/tiling.GroupM || tn > most/tiling.GroupM || tm*tn > most {
		return fmt.Errorf("%s: %d x %d sums are %d x %d tiles, more than the %d of a launch; cut the product", c.set.Name, c.m, c.n, tm, tn, int64(most))
	}
	return nil
}
