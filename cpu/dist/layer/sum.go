package layer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// sums is all-reduces under way, one for each chunk of a result, that go on between
// the products of this rank. Call begin once, start for each chunk, and progress now and
// then.
//
// A chunk is cut into as many parts as there are ranks. Every rank sends each part to the
// rank that adds it up, in the order of ranks, and gets the sums from there. So 2(p-1)/p of
// the bytes leave each rank, as with a ring. But there are 2 steps instead of 2(p-1),
// between which nobody has to take part. The order of additions is the same for each
// element, however many chunks there are.
type sums[T dtype.Float] struct {
	c    *comm.Comm
	tag  int // of the first chunk; each has two
	open []*chunkSum[T]
	// The requests of all open sums, and whose they are.
	requests []comm.Request
	whose    []*chunkSum[T]
	done     []int
	free     [][]T // buffers of sums that are done, for later ones
}

// buffer returns memory for n elements, with anything in them.
func (s *sums[T]) buffer(n int) []T {
	for i, x := range s.free {
		if cap(x) >= n {
			last := len(s.free) - 1
			s.free[i], s.free = s.free[last], s.free[:last]
			return x[:n]
		}
	}
	return make([]T, n)
}

// A chunkSum is the all-reduce of one chunk.
type chunkSum[T dtype.Float] struct {
	x, own   []T   // the chunk, and the part that is added up here
	from     [][]T // what came of that part, by rank
	tag      int
	left     int // messages of this phase that are on their way
	gather   bool
	complete bool
	requests []comm.Request
	finish   func(own []T, at int) // called with the sum of the part that begins at this element, or nil
	ready    func()                // called when all of the chunk is there, or nil
}

// maxChunks bounds the tags.
const maxChunks = 1024

// begin begins the sums of a result, with tags from tag on.
func (s *sums[T]) begin(c *comm.Comm, tag int) { s.c, s.tag = c, tag }

// start begins the all-reduce of the next chunk, x, which is not to be touched until
// ready is called. finish may change the part of the sum that is added up here.
func (s *sums[T]) start(x []T, finish func(own []T, at int), ready func()) error {
	me, p := s.c.Rank(), s.c.Size()
	mine := dist.Upto(len(x)).Part(me, p)
	sum := &chunkSum[T]{x: x, own: x[mine.Lo:mine.Hi], tag: s.tag, from: make([][]T, p), finish: finish, ready: ready}
	s.tag += 2
	s.open = append(s.open, sum)
	for d := 1; d < p; d++ {
		r := (me + p - d) % p
		sum.from[r] = s.buffer(mine.Len())
		if err := s.receive(sum, r, sum.tag, sum.from[r]); err != nil {
			return err
		}
	}
	for d := 1; d < p; d++ { // the next rank first, so that not all send to one
		r := (me + d) % p
		to := dist.Upto(len(x)).Part(r, p)
		if err := s.send(sum, r, sum.tag, x[to.Lo:to.Hi]); err != nil {
			return err
		}
	}
	return s.settle(sum)
}

func (s *sums[T]) receive(sum *chunkSum[T], from, tag int, x []T) error {
	if len(x) == 0 {
		return nil
	}
	r, err := comm.Irecv(s.c, from, tag, x)
	sum.requests = append(sum.requests, r)
	sum.left++
	return err
}

func (s *sums[T]) send(sum *chunkSum[T], to, tag int, x []T) error {
	if len(x) == 0 {
		return nil
	}
	r, err := comm.Isend(s.c, to, tag, x)
	sum.requests = append(sum.requests, r)
	sum.left++
	return err
}

// settle does what can be done with a sum of which no message is on its way.
func (s *sums[T]) settle(sum *chunkSum[T]) error {
	me, p := s.c.Rank(), s.c.Size()
	for sum.left == 0 {
		sum.requests = sum.requests[:0]
		if sum.gather {
			if sum.ready != nil {
				sum.ready()
			}
			s.drop(sum)
			return nil
		}
		sum.gather = true
		s.add(sum)
		at := dist.Upto(len(sum.x)).Part(me, p).Lo
		if sum.finish != nil {
			sum.finish(sum.own, at)
		}
		for d := 1; d < p; d++ {
			r := (me + p - d) % p
			of := dist.Upto(len(sum.x)).Part(r, p)
			if err := s.receive(sum, r, sum.tag+1, sum.x[of.Lo:of.Hi]); err != nil {
				return err
			}
		}
		for d := 1; d < p; d++ {
			if err := s.send(sum, (me+d)%p, sum.tag+1, sum.own); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds up the parts in the order of ranks.
func (s *sums[T]) add(sum *chunkSum[T]) {
	me := s.c.Rank()
	if len(sum.own) > 0 && len(sum.from) > 1 {
		sum.from[me] = sum.own
		addAll(sum.own, sum.from)
		sum.from[me] = nil
	}
	for _, x := range sum.from {
		if x != nil {
			s.free = append(s.free, x)
		}
	}
	sum.from = nil
}

// addAll puts the sum of all parts, in their order, into out, which may be one of them.
func addAll[T dtype.Float](out []T, parts [][]T) {
	const piece = 2048 // stays in L1
	var sum [piece]T
	for lo := 0; lo < len(out); lo += piece {
		n := min(piece, len(out)-lo)
		copy(sum[:n], parts[0][lo:])
		for _, x := range parts[1:] {
			into := sum[:n]
			for i, v := range x[lo:][:n] {
				into[i] += v
			}
		}
		copy(out[lo:], sum[:n])
	}
}

// drop takes a finished sum from the list.
func (s *sums[T]) drop(sum *chunkSum[T]) {
	sum.complete = true
	for i, x := range s.open {
		if x == sum {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}

// progress takes note of messages that are done and goes on with their sums. With wait, it
// waits for some of them if any are on their way.
func (s *sums[T]) progress(wait bool) error {
	if len(s.open) == 0 {
		return nil
	}
	s.requests, s.whose = s.requests[:0], s.whose[:0]
	for _, sum := range s.open {
		for _, r := range sum.requests {
			s.requests, s.whose = append(s.requests, r), append(s.whose, sum)
		}
		sum.requests = sum.requests[:0] // those that are not done come back
	}
	done, err := s.c.Some(s.requests, false, s.done[:0])
	if err == nil && len(done) == 0 && wait {
		// One that began late, of the sum that began first. To wait for any, one after
		// another, would take time with the square of their number.
		k := len(s.requests) - 1
		for s.whose[k] != s.whose[0] {
			k--
		}
		if done, err = s.c.Some(s.requests[k:k+1], true, done); err == nil {
			done, err = s.c.Some(s.requests, false, append(done[:0], k))
		} else {
			s.c.Some(s.requests, false, nil) // gives back the memory of the others
		}
	}
	s.done = done
	if err != nil {
		return err
	}
	for _, i := range done {
		if _, err := s.requests[i].Status(); err != nil {
			return fmt.Errorf("chunk of the sum: %w", err)
		}
		s.requests[i] = nil
		s.whose[i].left--
	}
	for i, r := range s.requests {
		if r != nil {
			s.whose[i].requests = append(s.whose[i].requests, r)
		}
	}
	for _, i := range done {
		if sum := s.whose[i]; sum.left == 0 && !sum.complete {
			if err := s.settle(sum); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait returns when all sums are there.
func (s *sums[T]) wait() error {
	for len(s.open) > 0 {
		if err := s.progress(true); err != nil {
			return err
		}
	}
	return nil
}
