package run

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// A Schedule says how CTAs share a product. The zero value leaves that to the shape and
// the GPU. If there are few tiles and K is long, several CTAs share a tile's K, and their
// sums are added in the order of K. Roundings then depend on the number of SMs. If you set
// a schedule, bits are the same on all GPUs.
type Schedule struct {
	how howSplit
	n   int
}

type howSplit uint8

const (
	chosen howSplit = iota
	splitK
	streamK
)

// SplitK cuts K into so many parts, or fewer if K does not have that many steps of BK.
// That number of CTAs shares each tile of out. SplitK(1) gives a tile to one CTA, as is
// usual.
func SplitK(parts int) Schedule { return Schedule{splitK, parts} }

// StreamK gives each of so many CTAs the same share of the work, within a step of BK. A
// share is consecutive tiles, of which the first and the last may be parts. As many CTAs as
// the GPU has SMs leave none of them idle, whatever the number of tiles.
func StreamK(ctas int) Schedule { return Schedule{streamK, ctas} }

func (s Schedule) String() string {
	switch s.how {
	case splitK:
		return fmt.Sprintf("SplitK(%d)", s.n)
	case streamK:
		return fmt.Sprintf("StreamK(%d)", s.n)
	}
	return "chosen"
}

// check returns what is wrong with s, or nil.
func (s Schedule) check() error {
	if s.how != chosen && s.n < 1 {
		return fmt.Errorf("Options.Schedule is %v, want 1 or more", s)
	}
	return nil
}

// whole reports whether s wants tiles in one part.
func (s Schedule) whole() bool { return s == SplitK(1) }

// spans are the steps of K of one product as CTAs have them: see param.Steps. Zero
// is a tile for each CTA.
type spans struct {
	steps, span, all int64
	ctas             int64
}

// parts reports whether there are tiles in parts.
func (p spans) parts() bool { return p.steps > 0 && p.span%p.steps != 0 }

// spansOf returns those of kernel k with a schedule, which is not the zero value.
func (c *Call) spansOf(k *Kernel, s Schedule) (p spans, err error) {
	n, n1 := int64(tiles(c.m, k.Tile.BM)), int64(tiles(c.n, k.Tile.BN))
	p.steps = max(1, int64(tiles(c.depth(), k.Tile.BK)))
	if n > param.MostSteps/n1 || p.steps > param.MostSteps/(n*n1) {
		return p, fmt.Errorf("%s: %d x %d tiles of %d steps of K are more steps than the %d that are shared between CTAs; ask for SplitK(1), or cut the product",
			c.set.Name, n, n1, p.steps, param.MostSteps)
	}
	n *= n1
	if s.how == splitK {
		p.span = up(p.steps, int64(s.n))
		parts := up(p.steps, p.span)
		if parts*p.span > param.MostSteps/n { // by less than a span each
			return p, fmt.Errorf("%s: %d tiles in %d parts of %d steps of K are more steps than the %d that are shared between CTAs; cut the product",
				c.set.Name, n, parts, p.span, param.MostSteps)
		}
		p.steps = parts * p.span
	} else {
		p.span = up(n*p.steps, int64(s.n))
	}
	p.all = n * p.steps
	p.ctas = up(p.all, p.span)
	return p, nil
}

func up(n, by int64) int64 { return n/by + min(n%by, 1) }

// depth is how much of K there is to sum.
func (c *Call) depth() int {
	if alpha, _ := c.opt.Scaling.Factors(); alpha == 0 {
		return 0
	}
	return c.k
}

// A GPU's SM takes turns between its warps. Eight of them are two for each of its
// schedulers, of which one multiplies while the other waits for memory.
const busyThreads = 8 * 32

// share returns the spans of kernel k that fill a GPU. ok is false if its SMs have a tile
// each. A tile is then left to one CTA: CTAs with spans of their own would be far from one
// another in the product, and share nothing in the L2 cache.
func (c *Call) share(k *Kernel, info *cuda.Info) (p spans, ok bool) {
	perSM := max(1, min(int64(busyThreads/k.Threads), info.SharedPerBlock/int64(max(k.Shared, 1))))
	ctas := min(perSM*int64(info.SMs), math.MaxInt32) / int64(c.count)
	each := ctas / int64(tiles(c.m, k.Tile.BM)) / int64(tiles(c.n, k.Tile.BN)) // CTAs of a tile
	var s Schedule
	switch {
	case each > 1:
		s = SplitK(int(each)) // none has parts of two tiles
	case each == 1:
		s = StreamK(int(ctas))
	default:
		return p, false
	}
	p, err := c.spansOf(k, s)
	return p, err == nil && p.parts()
}

// places returns the bytes for the sums of parts of one product.
func (c *Call) places(k *Kernel, p spans) int64 {
	if !p.parts() {
		return 0
	}
	return align(p.ctas * param.PartsOfCTA * int64(k.Tile.BM) * int64(k.Tile.BN) * int64(max(4, c.set.Acc.Size())))
}

// workspaceOf returns the bytes of workspace for a call: partial results of reductions,
// behind them the sums of parts, and copies of operands.
func (c *Call) workspaceOf(w way, info *cuda.Info) (int64, error) {
	n, each, count := c.partials(w.k), c.places(w.k, w.how), int64(min(c.count, maxBatch))
	most := info.TotalMemory
	if most <= 0 {
		most = math.MaxInt64
	}
	if each > 0 && (n > most || each > (most-n)/count) {
		return 0, fmt.Errorf("%s: %w: the sums of %d CTAs with parts of tiles take %d bytes for each of %d products, %s has %d; ask for fewer parts in Options.Schedule",
			c.set.Name, cuda.ErrMemory, w.how.ctas, each, count, info.Name, info.TotalMemory)
	}
	n += each * count
	for i, pad := range w.pad {
		if !pad {
			continue
		}
		p := c.padOf(i)
		if bytes := p.bytes(); n > most || bytes > most-n {
			return 0, fmt.Errorf("%s: %w: a copy of %s with lines at multiples of %d bytes takes %d bytes, %s has %d; let it lie so",
				c.set.Name, cuda.ErrMemory, p.from.name, param.PadAlign, bytes, info.Name, info.TotalMemory)
		}
		n += p.bytes()
	}
	return n, nil
}

// addParts queues the kernel that ends the tiles in parts of n products, whose parameter
// block is that of the kernel before.
func (c *Call) addParts(l *loaded, k *Kernel, params []byte, n int) error {
	f, err := l.function(c.set, c.stream.Device(), k.Parts.Name)
	if err != nil {
		return err
	}
	g := cuda.Grid{
		Blocks:  [3]int{tiles(c.m, k.Tile.BM) * tiles(c.n, k.Tile.BN), 1, n},
		Threads: [3]int{k.Threads, 1, 1}, Shared: k.Parts.Shared,
	}
	return f.Launch(c.stream, g, params)
}
