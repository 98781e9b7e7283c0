package format

import "sync"

// rowCounts are the entries of each row, counted when a product first asks. Loops of most
// formats do not know how long a row is until they have left it.
type rowCounts struct {
	once sync.Once
	n    []int32
}

// RowCounts returns how many entries each row has. They are counted once for a matrix and
// all of its copies, and must not be written.
func (m stored) RowCounts() []int32 {
	p := m.s
	if p == nil { // the zero Packed
		return nil
	}
	p.counts.once.Do(func() {
		n := make([]int32, p.rows)
		for e := range p.entries() {
			n[e.I]++
		}
		p.counts.n = n
	})
	return p.counts.n
}
