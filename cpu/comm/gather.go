package comm

// AllGather puts x of all ranks into out in the order of ranks. All x have one length; x
// may be this rank's part of out, and may else not overlap it.
func AllGather[T Fixed](c *Comm, out, x []T) error {
	n, err := c.times("AllGather", len(x))
	if err != nil {
		return err
	}
	if err := c.checkLength("AllGather", "out", len(out), n, "the length of x for each rank"); err != nil {
		return err
	}
	return allGather(c, "AllGather", out, c.equal(len(x)), x)
}

// AllGatherV is AllGather for ranks that give counts[r] elements each.
func AllGatherV[T Fixed](c *Comm, out []T, counts []int, x []T) error {
	return allGather(c, "AllGatherV", out, counts, x)
}

// allGather sends every part along the ring, or the parts that a rank has to more and more
// distant ranks if all together are short. Every part is sent p-1 times in either.
func allGather[T Fixed](c *Comm, what string, out []T, counts []int, x []T) error {
	offsets, err := c.offsets(what, "out", counts, len(out))
	if err != nil {
		return err
	}
	if err := c.checkLength(what, "x", len(x), counts[c.rank], "this rank's count"); err != nil {
		return err
	}
	return c.collective(what, call{tag: tagAllGather, elem: elemOf[T](), root: -1, n: -1, counts: counts}, func() error {
		if c.native != nil {
			return c.called(func() error { return c.native.AllGatherV(bytesOf(out), inBytes[T](counts), bytesOf(x)) })
		}
		if n := len(bytesOf(out)); n <= 4*perMessage && c.size > 2 {
			return bruck(c, bytesOf(out), offsets, sizeOf[T](), bytesOf(x))
		}
		copy(out[offsets[c.rank]:], x)
		return ring(c, tagAllGather, bytesOf(out), offsets, sizeOf[T]())
	})
}

// ring sends parts of out to the right until all ranks have all. Each begins with its own.
func ring(c *Comm, tag int, out []byte, offsets []int, size int) error {
	part := func(i int) []byte { i = c.mod(i); return out[offsets[i]*size : offsets[i+1]*size] }
	for d := range c.size - 1 {
		if err := c.shift(tag, c.mod(c.rank+1), part(c.rank-d), c.mod(c.rank-1), part(c.rank-d-1)); err != nil {
			return err
		}
	}
	return nil
}

// bruck doubles in ceil(log2 p) rounds the parts that a rank has. They are its own and
// those of the ranks after it (Bruck et al. 1997):
//
//	rank    0     1     2         of 3
//	        0     1     2
//	        01    12    20        each from the rank after it
//	        012   120   201       each from two ranks on, the last round only what misses
func bruck(c *Comm, out []byte, offsets []int, size int, x []byte) error {
	length := func(i int) int { i = c.mod(i); return (offsets[i+1] - offsets[i]) * size }
	have := scratch[uint8](c, len(out)+len(x)) // len(x) so that it is not the memory of nothing
	n := copy(have, x)
	for d := 1; d < c.size; d *= 2 {
		give, get := 0, 0
		for i := range min(d, c.size-d) {
			give += length(c.rank + i)
			get += length(c.rank + d + i - c.size)
		}
		if err := c.shift(tagAllGather, c.mod(c.rank-d), have[:give], c.mod(c.rank+d), have[n:n+get]); err != nil {
			return err
		}
		n += get
	}
	for i := range c.size {
		r := c.mod(c.rank + i)
		have = have[copy(out[offsets[r]*size:offsets[r+1]*size], have):]
	}
	return nil
}

// Gather puts counts[r] elements, x of rank r, into out of rank root in the order of
// ranks. On other ranks out is not used and may be nil; counts are the same on all.
// x must not overlap out. Each other rank sends one message.
func Gather[T Fixed](c *Comm, root int, out []T, counts []int, x []T) error {
	offsets, err := c.rooted("Gather", root, "out", len(out), counts, "x", len(x))
	if err != nil {
		return err
	}
	return c.collective("Gather", call{tag: tagGather, elem: elemOf[T](), root: root, n: -1, counts: counts}, func() error {
		return c.gather(tagGather, root, bytesOf(out), offsets, sizeOf[T](), bytesOf(x))
	})
}

func (c *Comm) gather(tag, root int, out []byte, offsets []int, size int, x []byte) error {
	e := exchange{c: c, tag: tag, sparse: true, wait: c.await}
	if c.rank == root {
		for r := range c.size {
			e.from(r, out[offsets[r]*size:offsets[r+1]*size])
		}
	}
	e.to(root, x)
	return e.finish()
}

// Scatter is Gather the other way: rank root gives each rank r counts[r] elements of x,
// which they get in out. On other ranks x is not used and may be nil.
func Scatter[T Fixed](c *Comm, root int, out, x []T, counts []int) error {
	offsets, err := c.rooted("Scatter", root, "x", len(x), counts, "out", len(out))
	if err != nil {
		return err
	}
	return c.collective("Scatter", call{tag: tagScatter, elem: elemOf[T](), root: root, n: -1, counts: counts}, func() error {
		e := exchange{c: c, tag: tagScatter, sparse: true, wait: c.await}
		e.from(root, bytesOf(out))
		if b, size := bytesOf(x), sizeOf[T](); c.rank == root {
			for r := range c.size {
				e.to(r, b[offsets[r]*size:offsets[r+1]*size])
			}
		}
		return e.finish()
	})
}

// rooted checks what Gather and Scatter are given: all, which only root has, and part.
func (c *Comm) rooted(what string, root int, all string, have int, counts []int, part string, n int) ([]int, error) {
	if err := c.checkRank(what, "root", root); err != nil {
		return nil, err
	}
	if c.rank != root && len(counts) == c.size {
		have = 0
		for _, n := range counts {
			have += n // where that overflows, offsets says so
		}
	}
	offsets, err := c.offsets(what, all, counts, have)
	if err != nil {
		return nil, err
	}
	return offsets, c.checkLength(what, part, n, counts[c.rank], "this rank's count")
}
