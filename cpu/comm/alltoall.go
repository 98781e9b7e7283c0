package comm

// AllToAllV sends send[r] elements of x to every rank r, in the order of ranks, and
// puts recv[r] elements that came from rank r into out, which must not overlap x. What
// rank a sends to b must be what b receives from a; where that is nothing there is no
// message. All messages are on the way at once, the first of each rank to the next.
func AllToAllV[T Fixed](c *Comm, out []T, recv []int, x []T, send []int) error {
	from, err := c.offsets("AllToAllV", "out", recv, len(out))
	if err != nil {
		return err
	}
	to, err := c.offsets("AllToAllV", "x", send, len(x))
	if err != nil {
		return err
	}
	if recv[c.rank] != send[c.rank] {
		return c.errorf("AllToAllV", "it sends %d elements to itself and receives %d", send[c.rank], recv[c.rank])
	}
	if err := c.begin("AllToAllV"); err != nil {
		return err
	}
	defer c.end()
	if c.native != nil {
		return c.called("AllToAllV", c.native.AllToAllV(bytesOf(out), inBytes[T](recv), bytesOf(x), inBytes[T](send)))
	}
	e := exchange{c: c, what: "AllToAllV", tag: tagAllToAll}
	for d := range c.size {
		r := c.mod(c.rank - d)
		e.from(r, bytesOf(out[from[r]:from[r+1]]))
	}
	for d := range c.size {
		r := c.mod(c.rank + d)
		e.to(r, bytesOf(x[to[r]:to[r+1]]))
	}
	return e.wait()
}
