package spgemm

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

// table is a hash table of columns with open addressing: keys are columns and 1, and 0
// where there is none.
type table struct {
	keys  []int32
	shift int     // of a hash, so that it is a slot
	used  []int32 // slots, in the order in which columns came
}

// golden is the golden ratio as a fraction of 2^64: times it neighbours go far apart.
const golden = 0x9E3779B97F4A7C15

// tableSize returns the slots of a table for n columns: at most half of them are used.
func tableSize(n int) int { return 1 << bits.Len(uint(max(2*n-1, 1))) }

// table returns an empty table for n columns.
func (r *worker[T]) table(n int) table {
	size := tableSize(n)
	r.w.keys.Grow(4 * size)
	r.w.used.Grow(4 * n)
	r.w.slots.Grow(4 * slotsAtOnce)
	return table{call.SliceOf((*int32)(r.w.keys.P), size), 64 - bits.Len(uint(size-1)), call.SliceOf((*int32)(r.w.used.P), n)[:0]}
}

// slot returns where column j is, or the free slot where it would be.
func (t *table) slot(j int32) int {
	at := int(uint64(uint32(j)) * golden >> t.shift)
	for t.keys[at] != j+1 && t.keys[at] != 0 {
		at = (at + 1) & (len(t.keys) - 1)
	}
	return at
}

// add returns the slot of column j, and whether it is new.
func (t *table) add(j int32) (slot int32, isNew bool) {
	at := t.slot(j)
	if t.keys[at] != 0 {
		return int32(at), false
	}
	t.keys[at] = j + 1
	t.used = append(t.used, int32(at))
	return int32(at), true
}

// drop removes the columns of a row from the keys. It looks for each column, or goes through
// the keys, whichever are fewer.
func (t *table) drop(columns []int32) (n int) {
	if len(columns) > len(t.used)*bits.Len(uint(len(columns))) {
		for _, at := range t.used {
			if _, ok := slices.BinarySearch(columns, t.keys[at]-1); ok {
				t.keys[at] = -1
				n++
			}
		}
		return n
	}
	for _, j := range columns {
		if at := t.slot(j); t.keys[at] != 0 {
			t.keys[at] = -1
			n++
		}
	}
	return n
}

// empty leaves the keys 0.
func (t *table) empty() {
	for _, at := range t.used {
		t.keys[at] = 0
	}
}

// slotsAtOnce is how many slots or values are listed at once: they stay in L1.
const slotsAtOnce = 512

// countHashed counts the columns of a row by a table.
func (r *worker[T]) countHashed(i int, columns []int32, flops int) int {
	t := r.table(min(flops, r.c.b.Cols))
	for _, k := range columns {
		for _, j := range r.c.b.Columns(int(k)) {
			t.add(j)
		}
	}
	n := len(t.used)
	if r.c.except {
		n -= t.drop(r.c.mask.Columns(i))
	}
	t.empty()
	return n
}

// hashed computes a row by a table.
func (r *worker[T]) hashed(i int, columns []int32, factors []T, flops, at int) int {
	t := r.table(min(flops, r.c.b.Cols))
	r.w.tableSums.Grow(len(t.keys) * int(unsafe.Sizeof(r.op.Zero)))
	sums, list := r.w.tableSums.P, call.SliceOf((*int32)(r.w.slots.P), slotsAtOnce)
	for e, k := range columns {
		row, values := r.c.b.Row(int(k))
		for len(row) > 0 {
			n := min(len(row), slotsAtOnce)
			for q, j := range row[:n] {
				slot, isNew := t.add(j)
				if list[q] = slot; isNew {
					*call.Element[T](sums, int(slot)) = r.op.Zero
				}
			}
			r.op.Add(sums, list[:n], values[:n], factors[e])
			row, values = row[n:], values[n:]
		}
	}
	if r.c.except {
		t.drop(r.c.mask.Columns(i))
	}
	n := r.listed(&t, sums, at)
	t.empty()
	return n
}

// listed stores the columns of a table with their sums from at on, and returns how many
// there are.
func (r *worker[T]) listed(t *table, sums unsafe.Pointer, at int) int {
	n, indices, values := at, r.c.indices, r.c.values
	for _, slot := range t.used {
		if key := t.keys[slot]; key > 0 {
			indices[n], values[n] = key-1, *call.Element[T](sums, int(slot))
			n++
		}
	}
	if !r.c.how.Unsorted && !slices.IsSorted(indices[at:n]) {
		slices.Sort(indices[at:n])
		for q, j := range indices[at:n] {
			values[at+q] = *call.Element[T](sums, t.slot(j))
		}
	}
	return n - at
}
