package rand

// A Stream is an endless sequence of random words. Streams with different seeds or numbers
// are independent. So use a number for each purpose, such as a layer or a step of training,
// instead of continuing one sequence. A Stream has no state: its methods always give the
// same words, in any goroutine.
type Stream struct {
	Seed   uint64 // of everything that belongs together
	Number uint64 // of this sequence among those of the seed
}

// Block returns words 4*n to 4*n+3 of the stream.
func (s Stream) Block(n uint64) [4]uint32 {
	return Block([4]uint32{uint32(n), uint32(n >> 32), uint32(s.Number), uint32(s.Number >> 32)},
		[2]uint32{uint32(s.Seed), uint32(s.Seed >> 32)})
}

// Uint32 returns word i of the stream.
func (s Stream) Uint32(i uint64) uint32 { return s.Block(i / 4)[i%4] }

// Uint64 returns words 2*i and 2*i+1 of the stream, the first in the low half.
func (s Stream) Uint64(i uint64) uint64 {
	b := s.Block(i / 2)
	return join(b, i%2)
}

// join returns half h of a block as one word.
func join(b [4]uint32, h uint64) uint64 { return uint64(b[2*h]) | uint64(b[2*h+1])<<32 }

// each calls f for numbers first to first+n-1 with the blocks that they lie in, per numbers to a block.
func (s Stream) each(first uint64, n int, per uint64, f func(k int, b [4]uint32, at uint64)) {
	for k := 0; k < n; {
		i := first + uint64(k)
		b := s.Block(i / per)
		for at := i % per; at < per && k < n; at++ {
			f(k, b, at)
			k++
		}
	}
}
