package comm

import "reflect"

// AllReduce replaces x on every rank by the sum, or another Op, of x of all ranks, which
// have one length. All ranks get the same bits.
//
// Short arrays go along a butterfly. A rank sends all of x to log2 p others, and additions
// bracket neighbouring ranks: (x0 + x1) + (x2 + x3). Long ones go round a ring twice, a p-th
// of x at a time. So 2(p-1)/p of the bytes of x leave each rank, the minimum (Patarasuk and
// Yuan 2009), and part i is added from rank i+1 on.
func AllReduce[T Number](c *Comm, x []T, op Op[T]) error {
	if err := checkOp(c, "AllReduce", op); err != nil {
		return err
	}
	return c.collective("AllReduce", call{tag: tagAllReduce, elem: elemOf[T](), op: op.text(), root: -1, n: len(x)}, func() error {
		if n := reducer(c, op); n != nil {
			return c.called(func() error { return n.AllReduce(bytesOf(x), reflect.TypeFor[T]().Kind(), op.Name) })
		}
		if short(c.size, int64(len(bytesOf(x)))) {
			return butterfly(c, x, op)
		}
		offsets := shares(len(x), c.size)
		if err := ringReduce(c, tagAllReduce, x[offsets[c.rank]:offsets[c.rank+1]], x, offsets, op); err != nil {
			return err
		}
		return ring(c, tagAllReduce, bytesOf(x), offsets, sizeOf[T]())
	})
}

// short reports whether p ranks add n bytes faster along a butterfly than round a ring.
// With a message's cost of perMessage + its bytes, and half a byte's for adding one, that
// is whether
//
//	log2(p) * (perMessage + 3n/2)  <=  (p-1) * (2 perMessage + 5n/(2p))
//
// where a p that is no power of two has two rounds more than its log2 rounded down.
func short(p int, n int64) bool {
	if p <= 1 || n == 0 {
		return true
	}
	l := rounds(p)
	if p&(p-1) != 0 {
		l++
	}
	q := int64(p)
	slope := 3*int64(l)*q - 5*(q-1) // times 2p
	return slope <= 0 || n <= 2*q*perMessage*(2*(q-1)-int64(l))/slope
}

// butterfly is recursive doubling (Thakur, Rabenseifner and Gropp 2005), in an order that
// keeps ranks' neighbours together. With 2^k + e ranks, the first 2e pair up before and
// after:
//
//	0   1   2   3   4      the first of each pair adds
//	0 <-1   2   3   4
//	0 <-------> 2   ...    doubling among 0, 2, 3, 4: two halves exchange all of x,
//	0 ->1                  the lower rank's as the left operand on both sides
func butterfly[T Number](c *Comm, x []T, op Op[T]) error {
	if c.size == 1 || len(x) == 0 {
		return nil
	}
	p2 := 1 << (rounds(c.size+1) - 1)
	extra := c.size - p2
	me := c.rank - extra
	if c.rank < 2*extra {
		me = c.rank / 2
		if c.rank%2 == 1 {
			if err := c.give(c.rank-1, tagAllReduce, bytesOf(x)); err != nil {
				return err
			}
			return c.take(c.rank-1, tagAllReduce, bytesOf(x))
		}
	}
	in := scratch[T](c, len(x))
	if c.rank < 2*extra {
		if err := c.take(c.rank+1, tagAllReduce, bytesOf(in)); err != nil {
			return err
		}
		op.Apply(x, in)
	}
	for d := 1; d < p2; d *= 2 {
		other := me ^ d
		if other < extra {
			other *= 2
		} else {
			other += extra
		}
		if err := c.shift(tagAllReduce, other, bytesOf(x), other, bytesOf(in)); err != nil {
			return err
		}
		if me&d == 0 {
			op.Apply(x, in)
		} else {
			op.Apply(in, x)
			copy(x, in)
		}
	}
	if c.rank < 2*extra {
		return c.give(c.rank+1, tagAllReduce, bytesOf(x))
	}
	return nil
}

// ReduceScatter adds x of all ranks and leaves to rank r the counts[r] elements that are
// its share, in the order of ranks, in out. x is as it was; out may be this rank's share
// of x, and may else not overlap it. Part i is added from rank i+1 on, round the ring:
// each rank sends p-1 messages, all of x but one share.
func ReduceScatter[T Number](c *Comm, out, x []T, counts []int, op Op[T]) error {
	offsets, err := c.offsets("ReduceScatter", "x", counts, len(x))
	if err != nil {
		return err
	}
	if err := c.checkLength("ReduceScatter", "out", len(out), counts[c.rank], "this rank's count"); err != nil {
		return err
	}
	if err := checkOp(c, "ReduceScatter", op); err != nil {
		return err
	}
	k := call{tag: tagReduceScatter, elem: elemOf[T](), op: op.text(), root: -1, n: -1, counts: counts}
	return c.collective("ReduceScatter", k, func() error {
		if n := reducer(c, op); n != nil {
			return c.called(func() error {
				return n.ReduceScatter(bytesOf(out), bytesOf(x), inBytes[T](counts), reflect.TypeFor[T]().Kind(), op.Name)
			})
		}
		return ringReduce(c, tagReduceScatter, out, x, offsets, op)
	})
}

// ringReduce sends partial sums to the right. That of part i begins at rank i+1 and ends
// at rank i, which puts it into out:
//
//	rank      0        1        2
//	round 0   sends 2  sends 0  sends 1
//	round 1   sends 1  sends 2  sends 0, each with its own added
//	          has 0    has 1    has 2
func ringReduce[T Number](c *Comm, tag int, out, x []T, offsets []int, op Op[T]) error {
	part := func(i int) []T { i = c.mod(i); return x[offsets[i]:offsets[i+1]] }
	most := 0
	for i := range c.size {
		most = max(most, len(part(i)))
	}
	if c.size == 1 {
		copy(out, x)
		return nil
	}
	both := scratch[T](c, 2*most)
	in, other := both[:most], both[most:]
	sum := part(c.rank - 1)
	for d := 1; d < c.size; d++ {
		own := part(c.rank - 1 - d)
		in = in[:len(own)]
		if err := c.shift(tag, c.mod(c.rank+1), bytesOf(sum), c.mod(c.rank-1), bytesOf(in)); err != nil {
			return err
		}
		op.Apply(in, own)
		sum = in
		in, other = other[:most], in[:most:cap(in)]
	}
	copy(out, sum)
	return nil
}

// Reduce puts the sum, or another Op, of x of all ranks into out on rank root. The
// other ranks' out is not used and may be nil. x is as it was and must not overlap out.
//
// Short arrays go along a binomial tree to rank 0 and from there to root, long ones are
// scattered as by ReduceScatter and gathered.
func Reduce[T Number](c *Comm, root int, out, x []T, op Op[T]) error {
	if err := c.checkRank("Reduce", "root", root); err != nil {
		return err
	}
	if c.rank == root {
		if err := c.checkLength("Reduce", "out", len(out), len(x), "the length of x"); err != nil {
			return err
		}
	}
	if err := checkOp(c, "Reduce", op); err != nil {
		return err
	}
	return c.collective("Reduce", call{tag: tagReduce, elem: elemOf[T](), op: op.text(), root: root, n: len(x)}, func() error {
		if c.size == 1 || len(x) == 0 {
			copy(out, x)
			return nil
		}
		if short(c.size, int64(len(bytesOf(x)))) {
			return treeReduce(c, root, out, x, op)
		}
		offsets := shares(len(x), c.size)
		mine := make([]T, offsets[c.rank+1]-offsets[c.rank])
		if err := ringReduce(c, tagReduce, mine, x, offsets, op); err != nil {
			return err
		}
		return c.gather(tagReduce, root, bytesOf(out), offsets, sizeOf[T](), bytesOf(mine))
	})
}

// treeReduce adds (x0 + x1) + (x2 + x3): a rank whose lowest bit set is d gives its sum
// to rank - d.
func treeReduce[T Number](c *Comm, root int, out, x []T, op Op[T]) error {
	both := scratch[T](c, 2*len(x))
	sum, in := both[:len(x)], both[len(x):]
	copy(sum, x)
	for d := 1; d < c.size; d *= 2 {
		if c.rank&d != 0 {
			if err := c.give(c.rank-d, tagReduce, bytesOf(sum)); err != nil {
				return err
			}
			break
		}
		if c.rank+d < c.size {
			if err := c.take(c.rank+d, tagReduce, bytesOf(in)); err != nil {
				return err
			}
			op.Apply(sum, in)
		}
	}
	switch {
	case c.rank == 0 && root == 0:
		copy(out, sum)
	case c.rank == 0:
		return c.give(root, tagReduce, bytesOf(sum))
	case c.rank == root:
		return c.take(0, tagReduce, bytesOf(out))
	}
	return nil
}
