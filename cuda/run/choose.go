package run

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling"
)

// choose returns the kernel for the operands of c: the first that they are aligned
// for and the device has shared memory for, in the size that suits the shape; and how its
// CTAs share tiles, if they do.
func (c *Call) choose(t *Target, info *cuda.Info) (*Kernel, spans, error) {
	if c.opt.Kernel != "" {
		return c.forced(t, info)
	}
	v, err := c.set.view(t, info)
	if err != nil {
		return nil, spans{}, err
	}
	var best *Kernel
	var how spans
	cost, least := 0.0, math.MaxInt
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if best != nil && k.Unit < best.Unit {
			break // they stand widest first
		}
		if !c.scheduled(k) {
			continue
		}
		if int64(k.Shared) > info.SharedPerBlock {
			least = min(least, k.Shared)
			continue
		}
		if !c.suits(k) {
			continue
		}
		p, ok := spans{}, true
		if k.Parts.Name != "" {
			if c.opt.Schedule.how == chosen {
				p, ok = c.share(k, info)
			} else if p, err = c.spansOf(k, c.opt.Schedule); err != nil {
				return nil, p, err
			}
			if !ok {
				continue
			}
		}
		x := c.seconds(v, i, p)
		if best == nil || x < cost {
			best, how, cost = k, p, x
		}
	}
	switch {
	case best != nil:
		return best, how, nil
	case least == math.MaxInt:
		return nil, how, fmt.Errorf("%s: Options.Schedule is %v, and %s, or ask for SplitK(1)", c.set.Name, c.opt.Schedule, t.unshared())
	}
	return nil, how, fmt.Errorf("%s: %w: its kernels take %d bytes of shared memory and more, %s has %d a block; generate it for this GPU's target",
		c.set.Name, cuda.ErrUnsupported, least, info.Name, info.SharedPerBlock)
}

// unshared says why no kernel with tiles in parts took the operands, and what would be.
func (t *Target) unshared() string {
	least := math.MaxInt
	for i := range t.Kernels {
		if k := &t.Kernels[i]; k.Parts.Name != "" {
			least = min(least, k.Unit)
		}
	}
	if least == math.MaxInt {
		return "none of its kernels shares tiles; give the spec's operator a Join"
	}
	return fmt.Sprintf("no kernel that shares tiles takes operands that lie so; have their rows or columns at multiples of %d bytes, as padded copies", least)
}

// scheduled reports whether k does what Options.Schedule wants.
func (c *Call) scheduled(k *Kernel) bool {
	s := c.opt.Schedule
	return !k.Grouped && (s.how == chosen || s.whole() == (k.Parts.Name == ""))
}

// forced returns the kernel that Options.Kernel names.
func (c *Call) forced(t *Target, info *cuda.Info) (*Kernel, spans, error) {
	for i := range t.Kernels {
		k := &t.Kernels[i]
		switch {
		case k.Name != c.opt.Kernel:
			continue
		case k.Grouped:
			return nil, spans{}, fmt.Errorf("%s: Options.Kernel %s is for groups of products", c.set.Name, k.Name)
		case !c.suits(k):
			return nil, spans{}, fmt.Errorf("%s: Options.Kernel %s wants operands that lie otherwise", c.set.Name, k.Name)
		case k.Parts.Name == "" && !c.scheduled(k):
			return nil, spans{}, fmt.Errorf("%s: Options.Kernel %s has a tile for each CTA, and Options.Schedule is %v", c.set.Name, k.Name, c.opt.Schedule)
		case k.Parts.Name == "":
			return k, spans{}, nil
		case c.opt.Schedule.how == chosen:
			if p, ok := c.share(k, info); ok {
				return k, p, nil
			}
			p, err := c.spansOf(k, SplitK(1))
			return k, p, err
		}
		p, err := c.spansOf(k, c.opt.Schedule)
		return k, p, err
	}
	return nil, spans{}, fmt.Errorf("%s: Options.Kernel %q is none of its kernels; %s is the first", c.set.Name, c.opt.Kernel, t.Kernels[0].Name)
}

// suits reports whether the operands lie as k wants them.
func (c *Call) suits(k *Kernel) bool {
	if k.Unit == 0 {
		return true
	}
	unit := int64(k.Unit)
	if !c.unread && (!c.a.aligned(unit, k.AK) || !c.b.aligned(unit, !k.BK)) {
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
