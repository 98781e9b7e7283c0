package run

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/device"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// Grouped makes one launch of a call for each problem: what a generated function NAMEGrouped is.
// call does the one that it is given, with opt; see [Gather.Group] for what there may be.
func Grouped[P any](opt Options, problems []P, call func(opt Options, p *P) error) error {
	var g Gather
	if opt.Gather != nil {
		return fmt.Errorf("run: Options.Gather: a group cannot be gathered; gather its products and call Group")
	}
	opt.Gather = &g
	for i := range problems {
		if err := call(opt, &problems[i]); err != nil {
			return fmt.Errorf("problem %d of %d: %w", i, len(problems), err)
		}
	}
	return g.Group()
}

// Group queues what was gathered as one launch of products of any shapes, and forgets it. Each
// has its own operands, strides, scalars and scaling; the function, the stream, and
// Options.Kernel and Schedule are the same for all. It is for functions whose spec says
// Grouped, as others have no kernels for it.
//
// One kernel does all products, one that takes them as they lie. If one of a hundred has rows that
// begin anywhere, all are copied 4 bytes at a time. The outputs of one product must not share memory
// with another product, since the order is undefined. Products without rows or columns have nothing
// to do, and those without K are beta*out, or the epilogue of zeros. A group of none is none:
// nothing is queued.
//
// The sizes and addresses of the products are copied to a workspace of the stream before the launch,
// in the order of the stream. As in any call, operands have to stay until the launch is done.
func (g *Gather) Group() error {
	calls := g.calls
	g.calls = nil
	if len(calls) == 0 {
		return nil
	}
	first := &calls[0]
	for i := range calls {
		c := &calls[i]
		if c.opt.Kernel != first.opt.Kernel || c.opt.Schedule != first.opt.Schedule {
			return fmt.Errorf("%s: problem %d has another Options.Kernel or Schedule than the first", c.set.Name, i)
		}
		c.opt.Gather, c.number = nil, i
		if err := c.check(); err != nil { // which finds the strides of vectors
			return err
		}
	}
	if first.opt.Pad {
		return fmt.Errorf("%s: Options.Pad is set, and nothing of a group is copied; leave it out", first.set.Name)
	}
	if s := first.opt.Schedule; s.how != chosen && !s.whole() {
		return fmt.Errorf("%s: Options.Schedule is %v, and CTAs of a group have a tile each; leave it out", first.set.Name, s)
	}
	if err := apart(calls); err != nil {
		return err
	}
	var group []*Call
	for i := range calls {
		c := &calls[i]
		if c.m == 0 || c.n == 0 {
			continue
		}
		if c.depth() == 0 { // a and b may lie as they like
			c.unread, c.a, c.b = true, operand{}, operand{}
		}
		group = append(group, c)
	}
	if len(group) == 0 {
		return nil
	}
	// Those that take longest begin first. No sum depends on it.
	slices.SortStableFunc(group, func(x, y *Call) int { return cmp.Compare(y.depth(), x.depth()) })
	return launchGroup(group)
}

// launchGroup queues products that have elements.
func launchGroup(group []*Call) error {
	c := group[0]
	d := c.stream.Device()
	l, err := c.set.on(d)
	if err != nil {
		return err
	}
	k, err := chooseGroup(group, l.target, &l.info)
	if err != nil {
		return err
	}
	firsts, err := firstTiles(group, k)
	if err != nil {
		return err
	}
	f, err := l.function(c.set, d, k.Name)
	if err != nil {
		return err
	}
	table := c.table(group, k, firsts)
	w, err := l.workspace(c.set, c.stream, int64(len(table)))
	if err != nil {
		return err
	}
	defer w.mu.Unlock()
	if err := c.stream.Write(w.mem, 0, table); err != nil {
		return fmt.Errorf("%s: the sizes and addresses of %d products: %w", c.set.Name, len(group), err)
	}
	params := c.fill(k, spans{}, nil, 0)
	end := len(params)
	params = c.block[:end+param.GroupBytes]
	at := int64(w.mem.Address())
	binary.LittleEndian.PutUint64(params[end+param.Firsts:], uint64(at))
	binary.LittleEndian.PutUint64(params[end+param.Records:], uint64(at+align(4*int64(len(group)))))
	binary.LittleEndian.PutUint32(params[end+param.Products:], uint32(len(group)))
	return f.Launch(c.stream, cuda.Grid{Blocks: [3]int{int(firsts[len(group)]), 1, 1}, Threads: [3]int{k.Threads, 1, 1}, Shared: k.Shared}, params)
}

// firstTiles returns the number of each product's first tile, and how many tiles there are.
func firstTiles(group []*Call, k *Kernel) ([]int32, error) {
	list := make([]int32, 0, len(group)+1)
	total := int64(0)
	for _, c := range group {
		if err := c.fits(k); err != nil {
			return nil, fmt.Errorf("problem %d: %w", c.number, err)
		}
		list = append(list, int32(total))
		total += int64(tiles(c.m, k.Tile.BM)) * int64(tiles(c.n, k.Tile.BN))
		if total > math.MaxInt32 {
			return nil, fmt.Errorf("%s: the products of a group have more than the %d tiles of a launch; make two groups", c.set.Name, math.MaxInt32)
		}
	}
	return append(list, int32(total)), nil
}

// table is what the kernel reads of a group: the products' first tiles, and their parameter
// blocks with addresses as distances from those of c.
func (c *Call) table(group []*Call, k *Kernel, firsts []int32) []byte {
	size := param.Bytes(len(c.set.Slots), max(4, c.set.Acc.Size()))
	head := int(align(4 * int64(len(group))))
	table := make([]byte, head, head+len(group)*size)
	addresses := []int{param.A, param.B}
	for s := range c.set.Slots {
		if kind := c.set.Slots[s].Kind; kind != Scalar && kind != Hidden {
			addresses = append(addresses, param.Slots+s*param.SlotSize)
		}
	}
	own := slices.Clone(c.fill(k, spans{}, nil, 0))
	for i, x := range group {
		binary.LittleEndian.PutUint32(table[4*i:], uint32(firsts[i]))
		record := x.fill(k, spans{}, nil, 0)
		table = append(table, record...)
		record = table[len(table)-size:]
		for _, at := range addresses {
			to := binary.LittleEndian.Uint64(record[at:])
			binary.LittleEndian.PutUint64(record[at:], to-binary.LittleEndian.Uint64(own[at:]))
		}
	}
	return table
}

// chooseGroup returns the kernel for all of a group. Of the kernels that take the operands as
// they lie with the widest copies, it is the one with the least predicted time.
func chooseGroup(group []*Call, t *Target, info *cuda.Info) (*Kernel, error) {
	c := group[0]
	v, err := c.set.view(t, info)
	if err != nil {
		return nil, err
	}
	var best cost.Best[*Kernel]
	least, any := math.MaxInt, false
	for i := range t.Kernels {
		k := &t.Kernels[i]
		named := c.opt.Kernel == k.Name
		switch {
		case named && !k.Grouped:
			return nil, fmt.Errorf("%s: Options.Kernel %s is for one product; those for groups end in group", c.set.Name, k.Name)
		case !k.Grouped:
			continue
		}
		any = true
		switch {
		case c.opt.Kernel != "" && !named, best.Found && k.Unit < best.Plan.Unit:
			continue
		case int64(k.Shared) > info.SharedPerBlock:
			least = min(least, k.Shared)
			continue
		}
		if other := slices.IndexFunc(group, func(x *Call) bool { return !x.suits(k) }); other >= 0 {
			if named {
				return nil, fmt.Errorf("%s: problem %d: Options.Kernel %s wants operands that lie otherwise", c.set.Name, group[other].number, k.Name)
			}
			continue
		}
		best.Offer(k, groupSeconds(group, v, i))
	}
	switch {
	case best.Found:
		return best.Plan, nil
	case !any:
		return nil, fmt.Errorf("%s: %w for groups: set Grouped in its spec and generate it again, or call it for each product", c.set.Name, cuda.ErrNoKernel)
	case least != math.MaxInt:
		return nil, fmt.Errorf("%s: %w: its kernels take %d bytes of shared memory and more, %s has %d a block; generate it for this GPU's target",
			c.set.Name, cuda.ErrUnsupported, least, info.Name, info.SharedPerBlock)
	}
	return nil, fmt.Errorf("%s: Options.Kernel %q is not one of its kernels", c.set.Name, c.opt.Kernel)
}

// predicted is how many of a group's products are asked about, evenly among those that are
// sorted by K.
const predicted = 64

// groupSeconds is what the i'th kernel takes for a group: the mean, over its products, of the time
// if all of the group were alike.
func groupSeconds(group []*Call, v *view, i int) (mean float64) {
	n := min(len(group), predicted)
	for j := range n {
		c := group[j*len(group)/n]
		x, err := v.device.Predict(&v.kernels[i], device.Product{M: c.m, N: c.n, K: c.depth(), Count: len(group)}, device.Split{})
		if err != nil {
			return math.Inf(1)
		}
		mean += x.Seconds / float64(n)
	}
	return mean
}
