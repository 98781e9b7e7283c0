package tiling

import "github.com/tilesmith/tilesmith/tiling/machine"

// Kept returns the hit rate of repeated scans over times as much memory as a cache holds, if
// the cache evicts lines at random. Up to the size of the cache it is 1, beyond it the h with
// h = exp(-times*(1-h)). A line survives each line that comes with exp(-1/lines), and as many
// come between two uses as miss. (For a dense product, which leaves lines in order, the share
// that fits predicts times better: see kept.)
func Kept(times float64) float64 {
	return hit(times, 1)
}

// FetchesRows reports whether a product prefetches the rows that it gathers in no order, which
// have so many bytes with a panel of columns. It does if they take more than half of L2, since
// the matrix and the result also stream through it. If the order of additions depends on the
// answer, m is a [machine.Reference].
func FetchesRows(m *machine.Machine, bytes int64) bool {
	return bytes > int64(m.Caches[machine.L2].Size/2)
}

// FetchAhead returns how many bytes of gathered rows should be on their way, if the rows take so many bytes
// in all. It is twice what their level of memory delivers in its latency (Little's law). With fewer, loads
// wait. With more, lines evict each other before they
// are used. Rows that are a power of two apart have only a part of L1 for that.
func FetchAhead(m *machine.Machine, bytes int64) int {
	c := &m.Caches[max(machine.L2, m.Holds(float64(bytes)))]
	return int(2 * c.Read * c.Latency)
}

// StoresPast reports whether a result of so many bytes, each written once, is better stored
// past the caches, with whoever reads it next counted in. A store through the caches reads
// a line that is no longer there, writes it back and reads it again; a line that is there
// is only changed and read. A store past the caches writes the line once and reads it from
// memory. Results that L3 holds stay there, whatever the rates say: those of writing to L3
// are the least known.
func StoresPast(m *machine.Machine, bytes int64) bool {
	l3, memory := &m.Caches[machine.L3], &m.Caches[machine.Memory]
	if bytes <= int64(l3.Size) {
		return false
	}
	kept := Kept(float64(bytes) / float64(l3.Size))
	through := kept*(1/l3.Write+1/l3.Read) + (1-kept)*(2/memory.Read+1/memory.Write)
	return 1/m.Stream+1/memory.Read < through
}
