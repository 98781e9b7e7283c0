package comm

// AllReduceCount returns what AllReduce of n elements of size bytes each counts on one of p
// ranks: 2(p-1)/p of the bytes, but for short arrays.
func AllReduceCount(p, rank, n, size int) (c Count) {
	if short(p, int64(n)*int64(size)) {
		sends := butterflySends(p, rank)
		if n == 0 {
			sends = 0
		}
		c.Sent, c.Received = int64(sends), int64(sends)
		c.BytesSent = c.Sent * int64(n) * int64(size)
		c.BytesReceived = c.BytesSent
		return c
	}
	offsets := shares(n, p)
	ring := ringCount(offsets, rank, -1, size)
	ring.Add(ringCount(offsets, rank, 0, size))
	return ring
}

// ringCount counts p-1 rounds in which a rank sends part rank+first, then the one before,
// and so on. It receives what the rank before it sends.
func ringCount(offsets []int, rank, first, size int) (c Count) {
	p := len(offsets) - 1
	for d := range p - 1 {
		c.Send(int64(part(offsets, rank+first-d)) * int64(size))
		c.Receive(int64(part(offsets, rank+first-d-1)) * int64(size))
	}
	return c
}

// part is the length of part i, counted round the ring.
func part(offsets []int, i int) int {
	p := len(offsets) - 1
	i = (i%p + p) % p
	return offsets[i+1] - offsets[i]
}

// butterflySends is how many messages a rank sends, and receives, in a butterfly.
func butterflySends(p, rank int) int {
	l := rounds(p+1) - 1
	switch extra := p - 1<<l; {
	case rank >= 2*extra:
		return l
	case rank%2 == 1:
		return 1
	default:
		return l + 1
	}
}

// ReduceScatterCount returns what ReduceScatter of elements of size bytes, counts[r] of them
// for rank r, counts on one rank: all but one part of it.
func ReduceScatterCount(rank int, counts []int, size int) Count {
	return ringCount(sums(counts), rank, -1, size)
}

// sums returns where each part begins, and the end.
func sums(counts []int) []int {
	offsets := make([]int, len(counts)+1)
	for r, n := range counts {
		offsets[r+1] = offsets[r] + n
	}
	return offsets
}
