package run

import (
	"encoding/binary"
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// join queues the kernels that join the partial results of n products from z on: a
// thread for each row or column of each. Without a workspace there are none, and the
// results are those of nothing.
func (c *Call) join(l *loaded, d cuda.Device, k *Kernel, w *scratch, z, n int) error {
	var used int64
	next := 0 // join
	var values int64
	for s := range c.set.Slots {
		slot := &c.set.Slots[s]
		if slot.Kind != Partial && slot.Kind != Second {
			continue
		}
		across, parts, stride, at := int64(c.m), int64(0), int64(0), int64(0)
		if slot.Col {
			across = int64(c.n)
		}
		if w != nil {
			across, parts = c.partial(k, s)
			stride, at = align(4*across*parts), int64(w.mem.Address())+used
			used += stride * int64(min(c.count, maxBatch))
		}
		if slot.Kind == Partial {
			values = at
			if slot.Reduce != Values {
				continue // what is beside them comes next
			}
		}
		out := &c.slots[s]
		if slot.Kind == Second {
			out = &c.slots[s-1]
		}
		if next == len(l.target.Joins) {
			return fmt.Errorf("%s: %w: none joins the results of %s; generate the code again", c.set.Name, cuda.ErrNoKernel, out.name)
		}
		name := l.target.Joins[next]
		next++
		if across == 0 {
			continue
		}
		f, err := l.function(c.set, d, name)
		if err != nil {
			return err
		}
		p := c.joins[:]
		put := func(at int, x int64) { binary.LittleEndian.PutUint64(p[at:], uint64(x)) }
		put(param.JoinValues, values)
		put(param.JoinIndices, at)
		put(param.JoinOut, int64(out.addr)+int64(z)*out.bs)
		put(param.JoinCount, across)
		put(param.JoinParts, parts)
		put(param.JoinPartStride, 4*across)
		put(param.JoinBatch, stride)
		put(param.JoinOutBatch, out.bs)
		for done := 0; done < n; done += maxBatch {
			g := cuda.Grid{Blocks: [3]int{int((across + param.JoinThreads - 1) / param.JoinThreads), 1, min(n-done, maxBatch)}, Threads: [3]int{param.JoinThreads, 1, 1}}
			put(param.JoinOut, int64(out.addr)+int64(z+done)*out.bs)
			if err := f.Launch(c.stream, g, p); err != nil {
				return err
			}
		}
	}
	return nil
}
