package run

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// A way is how a call is done: by which kernel, how its CTAs share tiles, and which of a and b
// are copied first.
type way struct {
	k   *Kernel
	how spans
	pad [2]bool
}

// copies reports whether an operand is copied.
func (w *way) copies() bool { return w.pad[0] || w.pad[1] }

// choose returns how a call is done. It takes the first kernel that its operands are aligned for and the
// device has shared memory for, in the size that suits the shape. If that is the one for any strides, or
// there is none, operands may be copied for a better one, if the model finds that faster.
func (c *Call) choose(t *Target, info *cuda.Info) (way, error) {
	if c.opt.Kernel != "" {
		return c.forced(t, info)
	}
	v, err := c.set.view(t, info)
	if err != nil {
		return way{}, err
	}
	best, least, err := c.fastest(t, info, v, false)
	if err != nil {
		return way{}, err
	}
	if !best.Found || best.Plan.k.Unit == 0 {
		padded, _, err := c.fastest(t, info, v, true)
		switch {
		case padded.Found && (!best.Found || c.opt.Pad || padded.Seconds < best.Seconds):
			best = padded
		case err != nil && (!best.Found || c.opt.Pad):
			return way{}, err
		case c.opt.Pad && best.Found:
			return way{}, fmt.Errorf("%s: Options.Pad is set, and no kernel takes copies of the operands", c.set.Name)
		}
	}
	switch {
	case best.Found:
		return best.Plan, nil
	case least == math.MaxInt:
		return way{}, fmt.Errorf("%s: Options.Schedule is %v, and %s, or ask for SplitK(1)", c.set.Name, c.opt.Schedule, t.unshared())
	}
	return way{}, fmt.Errorf("%s: %w: its kernels take %d bytes of shared memory and more, %s has %d a block; generate it for this GPU's target",
		c.set.Name, cuda.ErrUnsupported, least, info.Name, info.SharedPerBlock)
}

// fastest returns the way that takes least time. It considers the kernels with the widest
// copies that take the operands as they lie. If copying is set, it considers all that take copies of operands
// that lie otherwise. least is the shared memory that the device has too little of. Without a kernel the
// error, if it is one, says why copies are none.
func (c *Call) fastest(t *Target, info *cuda.Info, v *view, copying bool) (best cost.Best[way], least int, err error) {
	least = math.MaxInt
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if !copying && best.Found && k.Unit < best.Plan.k.Unit {
			break // they stand widest first
		}
		if !c.scheduled(k) {
			continue
		}
		if int64(k.Shared) > info.SharedPerBlock {
			least = min(least, k.Shared)
			continue
		}
		w, ok := way{k: k}, c.suits(k)
		if copying {
			w.pad, ok = c.padded(t, k)
		}
		if !ok {
			continue
		}
		if k.Parts.Name != "" {
			if c.opt.Schedule.how == chosen {
				w.how, ok = c.share(k, info)
			} else if w.how, err = c.spansOf(k, c.opt.Schedule); err != nil {
				return cost.Best[way]{}, least, err
			}
			if !ok {
				continue
			}
		}
		x := c.seconds(v, i, w.how)
		if copying {
			if _, full := c.workspaceOf(w, info); full != nil {
				err = full
				continue
			}
			x += c.padding(v, w.pad).Seconds
		}
		best.Offer(w, x)
	}
	if best.Found {
		err = nil
	}
	return best, least, err
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

// forced returns the way with the kernel that Options.Kernel names.
func (c *Call) forced(t *Target, info *cuda.Info) (w way, err error) {
	for i := range t.Kernels {
		k := &t.Kernels[i]
		if k.Name != c.opt.Kernel {
			continue
		}
		w, ok := way{k: k}, c.suits(k)
		if !ok && c.opt.Pad {
			w.pad, ok = c.padded(t, k)
		}
		switch {
		case k.Grouped:
			return w, fmt.Errorf("%s: Options.Kernel %s is for groups of products", c.set.Name, k.Name)
		case !ok:
			return w, fmt.Errorf("%s: Options.Kernel %s wants operands that lie otherwise", c.set.Name, k.Name)
		case k.Parts.Name == "" && !c.scheduled(k):
			return w, fmt.Errorf("%s: Options.Kernel %s has a tile for each CTA, and Options.Schedule is %v", c.set.Name, k.Name, c.opt.Schedule)
		case k.Parts.Name == "":
			return w, nil
		case c.opt.Schedule.how == chosen:
			if w.how, ok = c.share(k, info); ok {
				return w, nil
			}
			w.how, err = c.spansOf(k, SplitK(1))
			return w, err
		}
		w.how, err = c.spansOf(k, c.opt.Schedule)
		return w, err
	}
	return w, fmt.Errorf("%s: Options.Kernel %q is not one of its kernels; %s is the first", c.set.Name, c.opt.Kernel, t.Kernels[0].Name)
}

// suits reports whether the operands lie as k wants them.
func (c *Call) suits(k *Kernel) bool {
	return k.Unit == 0 || (c.unread || k.takes(0, &c.a) && k.takes(1, &c.b)) && c.stores(k)
}

// takes reports whether k takes o, a or b, as it lies.
func (k *Kernel) takes(i int, o *operand) bool {
	byRows := k.AK
	if i == 1 {
		byRows = !k.BK
	}
	return o.aligned(int64(k.Unit), byRows)
}

// stores reports whether all but a and b lies as k wants it.
func (c *Call) stores(k *Kernel) bool {
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
