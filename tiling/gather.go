package tiling

import "github.com/tilesmith/tilesmith/tiling/machine"

// Kept returns the share of a scan, again and again, of times as much as a cache holds
// that is found in it, if what makes room is drawn at random. It is 1 up to what the cache
// holds, and then the h with h = exp(-times*(1-h)): a line stays with exp(-1/lines) for each
// that comes, and as many come between two uses as are not found. (The times of a dense
// product, which leaves lines in order, are better told by the share that fits: see kept.)
func Kept(times float64) float64 {
	return hit(times, 1)
}

// FetchesRows reports whether a product fetches early the rows that it gathers in no order,
// of so many bytes in all, with a panel of columns: if they take more than half of L2, of
// which the matrix and the result take some as they stream by. Where the order of additions
// depends on it, m is a [machine.Reference].
func FetchesRows(m *machine.Machine, bytes int64) bool {
	return bytes > int64(m.Caches[machine.L2].Size/2)
}

// FetchAhead returns how many bytes of gathered rows, which take so many in all, should be on their way: twice what the level that
// they come from delivers in its latency (Little's law). Fewer wait; more push each other out before they are used, out of a part of L1
// where rows are apart by a power of two.
func FetchAhead(m *machine.Machine, bytes int64) int {
	level := machine.L2
	for level < machine.Memory && bytes > int64(m.Caches[level].Size) {
		level++
	}
	c := &m.Caches[level]
	return int(2 * c.Read * c.Latency)
}

// StoresPast reports whether a result of so many bytes, each written once, is better stored
// past the caches, with whoever reads it next counted in. Through them a line that is no
// longer there is read, written back and read again, and one that is there only changed and
// read; past them it is written once and read from memory. What L3 holds stays there,
// whatever the rates, of which those of writing to it are the least known.
func StoresPast(m *machine.Machine, bytes int64) bool {
	l3, memory := &m.Caches[machine.L3], &m.Caches[machine.Memory]
	if bytes <= int64(l3.Size) {
		return false
	}
	kept := Kept(float64(bytes) / float64(l3.Size))
	through := kept*(1/l3.Write+1/l3.Read) + (1-kept)*(2/memory.Read+1/memory.Write)
	return 1/m.Stream+1/memory.Read < through
}
