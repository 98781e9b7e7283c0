package vectors

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Chunk is how many elements the sums of a pass are made of before they are added to
// others. They are few enough for L1, and as many for any number of goroutines.
const Chunk = 1024

// Args are the vectors and scalars of a pass; which is what, it says itself.
type Args[T dtype.Float] struct {
	V, W, X, Y, Z []T
	Alpha, Beta   T
}

// Pass does elements from to to-1 and returns their shares of two sums. It must not read
// elements that are written in another range.
type Pass[T dtype.Float] func(a *Args[T], from, to int) (s, t float64)

// Space is vectors of one length and the goroutines for them. It is used by one goroutine
// at a time; what it needs is made by [New].
type Space[T dtype.Float] struct {
	Args[T]
	n, threads int
	pass       Pass[T]
	sums       [][2]float64 // of each chunk
	tasks      work.Tasks   // chunks
	crew       work.Crew
}

// threaded is how many elements pay for waking a second goroutine, which takes some tens
// of microseconds. An element of a pass takes about a nanosecond.
const threaded = 1 << 16

// New returns a space of vectors of n elements for so many goroutines, 0 for
// [run.Threads]. It panics with a [run.OptionError] of the function called what if that is
// negative.
func New[T dtype.Float](what string, n, threads int) *Space[T] {
	run.CheckThreads(what, threads)
	s := &Space[T]{n: n, threads: min(work.Allowed(threads), 1+n/threaded)}
	s.sums = make([][2]float64, (n+Chunk-1)/Chunk)
	return s
}

// Run makes a pass and returns its two sums. They have the same bits for any number of
// goroutines: chunks are added in their order. It allocates nothing.
func (s *Space[T]) Run(pass Pass[T]) (a, b float64) {
	s.pass = pass
	s.tasks.Begin(len(s.sums))
	s.crew.Run(s, s.threads)
	for _, x := range s.sums {
		a, b = a+x[0], b+x[1]
	}
	return a, b
}

// Work is the share of one goroutine.
func (s *Space[T]) Work(bool) {
	for c, ok := s.tasks.Next(); ok; c, ok = s.tasks.Next() {
		s.sums[c][0], s.sums[c][1] = s.pass(&s.Args, c*Chunk, min((c+1)*Chunk, s.n))
	}
}

// Overlap reports whether two slices share memory.
func Overlap[T dtype.Float](x, y []T) bool { return mem.Touch(x, y) }
