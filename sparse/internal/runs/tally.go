package runs

import (
	"iter"
	"maps"
	"slices"
)

// Tally is a small number for each key. It is an array, or a map if there are many
// more keys than entries; from several goroutines it can only be read.
type Tally struct {
	array []int32
	more  map[int]int32
}

// NewTally returns one of that many keys, of which at most as many as there are entries get a number.
func NewTally(keys, entries int) *Tally {
	if keys/16 > entries+1<<8 {
		return &Tally{more: map[int]int32{}}
	}
	return &Tally{array: make([]int32, keys)}
}

// Set sets the number of a key.
func (t *Tally) Set(key int, v int32) {
	if t.array != nil {
		t.array[key] = v
	} else {
		t.more[key] = v
	}
}

// Of returns the number of a key.
func (t *Tally) Of(key int) int {
	if t.array != nil {
		return int(t.array[key])
	}
	return int(t.more[key])
}

// Add counts a key once more.
func (t *Tally) Add(key int) { t.Set(key, int32(t.Of(key)+1)) }

// Keys yields the keys whose number is not 0, in ascending order. The one it yields
// may be set meanwhile.
func (t *Tally) Keys() iter.Seq[int] {
	return func(yield func(int) bool) {
		if t.array == nil {
			for _, k := range slices.Sorted(maps.Keys(t.more)) {
				if t.more[k] != 0 && !yield(k) {
					return
				}
			}
		}
		for k, v := range t.array {
			if v != 0 && !yield(k) {
				return
			}
		}
	}
}
