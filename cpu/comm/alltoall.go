package comm

// AllToAllV sends send[r] elements of x to every rank r, in the order of ranks. It puts
// recv[r] elements from rank r into out, which must not overlap x. The count that rank a
// sends to b must equal the count that b receives from a. A message checks that even if the
// count is 0. All messages are on the way at once, the first of each rank to the next. If
// most ranks have nothing for each other, Exchange sends fewer messages.
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
	return c.collective("AllToAllV", call{tag: tagAllToAll, elem: elemOf[T](), root: -1, n: -1}, func() error {
		if c.native != nil {
			return c.called(func() error {
				return c.native.AllToAllV(bytesOf(out), inBytes[T](recv), bytesOf(x), inBytes[T](send))
			})
		}
		e := exchange{c: c, tag: tagAllToAll, wait: c.await}
		for d := range c.size {
			r := c.mod(c.rank - d)
			e.from(r, bytesOf(out[from[r]:from[r+1]]))
		}
		for d := range c.size {
			r := c.mod(c.rank + d)
			e.to(r, bytesOf(x[to[r]:to[r+1]]))
		}
		return e.finish()
	})
}
