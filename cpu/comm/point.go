package comm

import "strconv"

// Send sends x to rank dst and returns when x may be changed. It may wait for the receive,
// and does for long messages: see Local.
func Send[T Fixed](c *Comm, dst, tag int, x []T) error {
	if err := c.checkTo("Send", dst, tag); err != nil {
		return err
	}
	return c.wrap("Send", c.send(dst, tag, bytesOf(x)))
}

// Recv receives into x a message of rank src, or AnySource. The message may be shorter
// than x, and the Status says how long it was; one that is longer is an error.
func Recv[T Fixed](c *Comm, src, tag int, x []T) (Status, error) {
	if err := c.checkFrom("Recv", src, tag); err != nil {
		return Status{}, err
	}
	s, err := c.recv(src, tag, bytesOf(x))
	return s, c.wrap("Recv", err)
}

// Isend begins to send x, which must not change until the request is done: until Some or
// Wait said so.
func Isend[T Fixed](c *Comm, dst, tag int, x []T) (Request, error) {
	if err := c.checkTo("Isend", dst, tag); err != nil {
		return nil, err
	}
	r, err := c.isend(dst, tag, bytesOf(x))
	return r, c.wrap("Isend", err)
}

// Irecv begins to receive into x, which must not be used until the request is done: until
// Some or Wait said so. The request's Status is that of Recv.
func Irecv[T Fixed](c *Comm, src, tag int, x []T) (Request, error) {
	if err := c.checkFrom("Irecv", src, tag); err != nil {
		return nil, err
	}
	r, err := c.irecv(src, tag, bytesOf(x))
	return r, c.wrap("Irecv", err)
}

// Sendrecv sends x to dst while it receives into out from src, so that all ranks may call
// it at once. x and out must not overlap.
func Sendrecv[T Fixed](c *Comm, dst, sendTag int, x []T, src, recvTag int, out []T) (Status, error) {
	if err := c.checkTo("Sendrecv", dst, sendTag); err != nil {
		return Status{}, err
	}
	if err := c.checkFrom("Sendrecv", src, recvTag); err != nil {
		return Status{}, err
	}
	r, err := c.irecv(src, recvTag, bytesOf(out))
	if err != nil {
		return Status{}, c.wrap("Sendrecv", err)
	}
	if err := c.send(dst, sendTag, bytesOf(x)); err != nil {
		return Status{}, c.wrap("Sendrecv", err)
	}
	if err := c.wait(r); err != nil {
		return Status{}, c.wrap("Sendrecv", err)
	}
	return r.Status()
}

// Exchange sends send[i] to rank peers[i] and receives recv[i] from it, for all i at once. It is a neighbour
// collective of those ranks that name each other as peers, with lengths that both know. A length of 0 is also
// a message, so that disagreeing ranks are found. Peers are different; this rank may be among them. The
// received elements must overlap nothing. A message of another length than recv[i] is an error.
func Exchange[T Fixed](c *Comm, tag int, peers []int, send, recv [][]T) error {
	if len(send) != len(peers) || len(recv) != len(peers) {
		return c.errorf("Exchange", "%d peers, %d slices to send, %d to receive; want as many of each", len(peers), len(send), len(recv))
	}
	if err := c.open("Exchange"); err != nil {
		return err
	}
	if err := c.checkTag("Exchange", tag); err != nil {
		return err
	}
	seen := make(map[int]bool, len(peers))
	for i, r := range peers {
		if err := c.checkRank("Exchange", "peer "+strconv.Itoa(i), r); err != nil {
			return err
		}
		if seen[r] {
			return c.errorf("Exchange", "rank %d is a peer twice", r)
		}
		seen[r] = true
	}
	x := exchange{c: c, tag: tag, wait: c.wait}
	for i, r := range peers {
		x.from(r, bytesOf(recv[i]))
	}
	for i, r := range peers {
		x.to(r, bytesOf(send[i]))
	}
	return c.wrap("Exchange", x.finish())
}

// Probe waits for a message of src, or AnySource, with this tag, says how long it is and
// leaves it there. Len tells its length in elements.
func (c *Comm) Probe(src, tag int) (Status, error) {
	if err := c.checkFrom("Probe", src, tag); err != nil {
		return Status{}, err
	}
	s, err := c.t.Probe(src, tag)
	return s, c.wrap("Probe", err)
}

func (c *Comm) checkTo(what string, dst, tag int) error {
	if err := c.open(what); err != nil {
		return err
	}
	if err := c.checkRank(what, "the destination", dst); err != nil {
		return err
	}
	return c.checkTag(what, tag)
}

func (c *Comm) checkFrom(what string, src, tag int) error {
	if err := c.open(what); err != nil {
		return err
	}
	if err := c.checkSource(what, src); err != nil {
		return err
	}
	return c.checkTag(what, tag)
}
