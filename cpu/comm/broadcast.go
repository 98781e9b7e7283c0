package comm

// segment is what a chain passes on at a time.
const segment = 32 << 10

// Broadcast copies x of rank root to all ranks, whose x have the same length.
//
// Short arrays go along a binomial tree, long ones in segments along a chain of ranks,
// each of which receives and sends x once. Either way x is sent p-1 times in all.
func Broadcast[T Fixed](c *Comm, root int, x []T) error {
	if err := c.checkRank("Broadcast", "root", root); err != nil {
		return err
	}
	k := call{tag: tagBroadcast, elem: elemOf[T](), root: root, n: len(x)}
	return c.collective("Broadcast", k, func() error { return c.broadcast(root, bytesOf(x)) })
}

func (c *Comm) broadcast(root int, b []byte) error {
	if c.native != nil {
		return c.called(func() error { return c.native.Broadcast(root, b) })
	}
	if len(b) == 0 || c.size == 1 {
		return nil
	}
	// In units of time in which a byte is sent, with a wait of perMessage for each message.
	whole := int64(len(b)) + perMessage
	hops := int64(c.size - 2 + (len(b)+segment-1)/segment)
	if int64(rounds(c.size))*whole <= hops*(segment+perMessage) {
		return c.tree(root, b)
	}
	return c.chain(root, b)
}

// tree receives from the rank that differs in the lowest bit, counted from root. It
// sends to those that differ from this one in a lower bit, the furthest first.
func (c *Comm) tree(root int, b []byte) error {
	me := c.mod(c.rank - root)
	d := 1
	for ; d < c.size; d *= 2 {
		if me&d != 0 {
			if err := c.take(c.mod(c.rank-d), tagBroadcast, b); err != nil {
				return err
			}
			break
		}
	}
	for d /= 2; d > 0; d /= 2 {
		if me+d < c.size {
			if err := c.give(c.mod(c.rank+d), tagBroadcast, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// chain passes segments on from root to root-1, as they come.
func (c *Comm) chain(root int, b []byte) error {
	me := c.mod(c.rank - root)
	var in, out []Request
	for at := 0; at < len(b) && me > 0; at += segment {
		r, err := c.irecv(c.mod(c.rank-1), tagBroadcast, b[at:min(at+segment, len(b))])
		if err != nil {
			return err
		}
		in = append(in, r)
	}
	for at := 0; at < len(b); at += segment {
		part := b[at:min(at+segment, len(b))]
		if me > 0 {
			if err := c.taken(in[at/segment], c.mod(c.rank-1), len(part)); err != nil {
				return err
			}
		}
		if me+1 < c.size {
			r, err := c.isend(c.mod(c.rank+1), tagBroadcast, part)
			if err != nil {
				return err
			}
			out = append(out, r)
		}
	}
	return c.await(out...)
}
