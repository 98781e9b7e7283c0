package emit

// A table is a map from values. Numbers that [Func.Number] gave make it an array. Values of a function that
// is still being built, or is wrong, may have any numbers, and those that have no place in an array are in a
// map.
type table[T any] struct {
	dense []entry[T] // by number
	rest  map[*Value]T
}

type entry[T any] struct {
	v *Value
	x T
}

// get returns what was put for v.
func (t *table[T]) get(v *Value) (x T, ok bool) {
	if v != nil && uint(v.ID) < uint(len(t.dense)) && t.dense[v.ID].v == v {
		return t.dense[v.ID].x, true
	}
	if t.rest == nil {
		return x, false
	}
	x, ok = t.rest[v]
	return x, ok
}

// put stores x for v, which has not changed its number since it was put before.
func (t *table[T]) put(v *Value, x T) {
	const ahead = 1 << 10 // so a number without bounds takes no memory without bounds
	if n := len(t.dense); v.ID >= n && v.ID < n+ahead {
		t.dense = append(t.dense, make([]entry[T], max(n, ahead))...)
	}
	if uint(v.ID) < uint(len(t.dense)) {
		if e := &t.dense[v.ID]; e.v == nil || e.v == v {
			*e = entry[T]{v, x}
			return
		}
	}
	if t.rest == nil {
		t.rest = map[*Value]T{}
	}
	t.rest[v] = x
}
