package sparse

import (
	"iter"
	"maps"
	"slices"
)

// tally is a small number for each key. It is an array, or a map if there are many
// more keys than entries; from several goroutines it can only be read.
type tally struct {
	array []int32
	more  map[int]int32
}

func newTally(keys, entries int) *tally {
	if keys/16 > entries+1<<8 {
		return &tally{more: map[int]int32{}}
	}
	return &tally{array: make([]int32, keys)}
}

func (t *tally) set(key int, v int32) {
	if t.array != nil {
		t.array[key] = v
	} else {
		t.more[key] = v
	}
}

func (t *tally) of(key int) int {
	if t.array != nil {
		return int(t.array[key])
	}
	return int(t.more[key])
}

func (t *tally) add(key int) { t.set(key, int32(t.of(key)+1)) }

// keys yields the keys whose number is not 0, in ascending order. The one it yields
// may be set meanwhile.
func (t *tally) keys() iter.Seq[int] {
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
