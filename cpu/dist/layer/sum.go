package layer

import (
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
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
	flight wire.Flight[T] // by the number of the chunk
	tag    int            // of the first chunk; each has two
	chunks []*chunk[T]
	first  int   // the chunks before are done
	free   [][]T // buffers of chunks that are done, for later ones
}

// A chunk is the all-reduce of a part of a result.
type chunk[T dtype.Float] struct {
	x, own []T   // the chunk, and the part that is added up here
	from   [][]T // what came of that part, by rank
	left   int   // messages of this phase that are on their way
	gather bool  // sums come back
	done   bool
	finish func(own []T, at int) // called with the sum of the part that begins at this element, or nil
}

// maxChunks bounds the tags.
const maxChunks = 1024

// begin begins the sums of a result, with tags from tag on.
func (s *sums[T]) begin(c *comm.Comm, tag int) {
	s.flight.Begin(c)
	s.tag, s.chunks, s.first = tag, s.chunks[:0], 0
}

// start begins the all-reduce of the next chunk, x, which is not to be touched until wait has
// returned. finish may change the part of the sum that is added up here.
func (s *sums[T]) start(x []T, finish func(own []T, at int)) error {
	me, p := s.flight.C.Rank(), s.flight.C.Size()
	of := func(r int) []T { part := dist.Upto(len(x)).Part(r, p); return x[part.Lo:part.Hi] }
	k, c := len(s.chunks), &chunk[T]{x: x, own: of(me), from: make([][]T, p), finish: finish}
	s.chunks = append(s.chunks, c)
	for r := range p {
		if r != me {
			c.from[r] = s.buffer(len(c.own))
		}
	}
	if err := s.swap(k, 0, func(r int) []T { return c.from[r] }, of); err != nil {
		return err
	}
	return s.settle(k)
}

// swap begins to receive and send the messages of a phase of chunk k.
func (s *sums[T]) swap(k, phase int, in, out func(r int) []T) error {
	me, p, before := s.flight.C.Rank(), s.flight.C.Size(), s.flight.Len()
	for d := 1; d < p; d++ {
		r := (me + p - d) % p
		if err := s.flight.Receive(k, r, s.tag+2*k+phase, in(r)); err != nil {
			return err
		}
	}
	for d := 1; d < p; d++ { // the next rank first, so that not all send to one
		r := (me + d) % p
		if err := s.flight.Send(k, r, s.tag+2*k+phase, out(r)); err != nil {
			return err
		}
	}
	s.chunks[k].left = s.flight.Len() - before
	return nil
}

// settle does what can be done with chunk k, of which no message is on its way.
func (s *sums[T]) settle(k int) error {
	c := s.chunks[k]
	for c.left == 0 && !c.done {
		if c.gather {
			c.done = true
			for s.first < len(s.chunks) && s.chunks[s.first].done {
				s.first++
			}
			return nil
		}
		c.gather = true
		me, p := s.flight.C.Rank(), s.flight.C.Size()
		s.add(c, me)
		of := func(r int) dist.Span { return dist.Upto(len(c.x)).Part(r, p) }
		if c.finish != nil {
			c.finish(c.own, of(me).Lo)
		}
		if err := s.swap(k, 1, func(r int) []T { return c.x[of(r).Lo:of(r).Hi] }, func(int) []T { return c.own }); err != nil {
			return err
		}
	}
	return nil
}

// add adds up the parts in the order of ranks.
func (s *sums[T]) add(c *chunk[T], me int) {
	if len(c.own) > 0 && len(c.from) > 1 {
		c.from[me] = c.own
		addAll(c.own, c.from)
		c.from[me] = nil
	}
	for _, x := range c.from {
		if x != nil {
			s.free = append(s.free, x)
		}
	}
	c.from = nil
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

// progress takes note of messages that are done and goes on with their chunks. With wait, it
// waits for some of them if any are on their way.
func (s *sums[T]) progress(wait bool) error {
	step := func() ([]int, error) { return s.flight.Poll(false) }
	if wait {
		step = func() ([]int, error) { return s.flight.Await(s.first) }
	}
	done, err := step()
	if err != nil {
		return err
	}
	for _, k := range done {
		if s.chunks[k].left--; s.chunks[k].left == 0 {
			if err := s.settle(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait returns when all sums are there.
func (s *sums[T]) wait() error {
	for s.first < len(s.chunks) {
		if err := s.progress(true); err != nil {
			return err
		}
	}
	return nil
}
