package work

import "sync/atomic"

// Tasks are numbers that any number of workers take, one after another.
type Tasks struct {
	Count int
	next  atomic.Int64
}

// Begin starts with count tasks.
func (t *Tasks) Begin(count int) {
	t.Count = count
	t.next.Store(0)
}

// Next takes a task, and reports whether one was left. A loop over an iterator would be as short, and would
// allocate where the compiler does not inline it.
func (t *Tasks) Next() (task int, ok bool) {
	i := int(t.next.Add(1)) - 1
	return i, i < t.Count
}

// Run makes workers, no more than threads or tasks, take count tasks.
func (t *Tasks) Run(w Task, threads, count int) {
	t.Begin(count)
	Run(w, min(threads, count))
}
