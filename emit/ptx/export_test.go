package ptx

import "github.com/tilesmith/tilesmith/emit"

// RangesOf returns what is known of the scalar integers of f.
func RangesOf(f *emit.Func) func(v *emit.Value) (lo, hi int64) {
	r := findRanges(f)
	return func(v *emit.Value) (lo, hi int64) {
		a := r.of(v)
		return a.lo, a.hi
	}
}
