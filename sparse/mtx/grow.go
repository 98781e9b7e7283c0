package mtx

// grow returns s with room for more elements. It makes room for twice as many in all as
// before, but for no more than most, which a file promises and may not keep. All
// allocations on the way are then at most 4 times what s comes to hold, or 3 times if
// the promise is kept. append, which grows by a quarter, allocates 5 times as much.
func grow[E any](s []E, more, most int) []E {
	n := len(s) + more
	if n <= cap(s) {
		return s
	}
	return append(make([]E, 0, max(min(max(2*cap(s), 1024), most), n)), s...)
}
