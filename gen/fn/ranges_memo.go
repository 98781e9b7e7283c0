package fn

import "sync"

// rangeMemo has the intervals of the nodes that a ranger has looked at. A ranger asks for one more often than for
// anything else, so they are in a slice, at the nodes' ids.
//
// What holds only under a condition is at a level of its own, which begins with nothing known.
type rangeMemo struct {
	entries []rangeEntry
	written []rangeWrite // at this level and those around it; the last is the newest
	level   uint64       // entries of others are not known here
	from    int          // where the writes of this level begin
	levels  uint64       // there were so far: none has the number of an older one
}

type rangeEntry struct {
	r     interval
	level uint64 // 0: not known at any
}

// rangeWrite says what an entry was before it was written.
type rangeWrite struct {
	id    int
	older rangeEntry
}

// rangeMemos keeps what is large. Their levels go on counting, so no entry of an earlier user is known to the next.
var rangeMemos = sync.Pool{New: func() any { return new(rangeMemo) }}

// reset begins at the outermost level.
func (m *rangeMemo) reset() {
	m.written = m.written[:0]
	m.open()
}

// A rangeLevel is what to go back to.
type rangeLevel struct {
	level uint64
	from  int
}

// open begins a level and returns the one around it.
func (m *rangeMemo) open() rangeLevel {
	around := rangeLevel{m.level, m.from}
	m.levels++
	m.level, m.from = m.levels, len(m.written)
	return around
}

// close goes back to the level around this one, and to what was known there.
func (m *rangeMemo) close(around rangeLevel) {
	for i := len(m.written) - 1; i >= m.from; i-- {
		m.entries[m.written[i].id] = m.written[i].older
	}
	m.written = m.written[:m.from]
	m.level, m.from = around.level, around.from
}

// known returns the interval of n.
func (m *rangeMemo) known(n *node) (r interval, ok bool) {
	if n.id >= len(m.entries) {
		return interval{}, false
	}
	e := &m.entries[n.id]
	return e.r, e.level == m.level
}

// set notes the interval of n.
func (m *rangeMemo) set(n *node, r interval) {
	if n.id >= len(m.entries) {
		m.entries = append(m.entries, make([]rangeEntry, n.id+1-len(m.entries))...)
	}
	m.written = append(m.written, rangeWrite{n.id, m.entries[n.id]})
	m.entries[n.id] = rangeEntry{r, m.level}
}

// forget drops what this level knows of the nodes from an id on.
func (m *rangeMemo) forget(id int) {
	for _, w := range m.written[m.from:] {
		if e := &m.entries[w.id]; w.id >= id && e.level == m.level {
			e.level = 0
		}
	}
}
