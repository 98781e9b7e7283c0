package suite

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// number is element i of rank r. It is small, so that sums of nine are exact in
// float32, and integers of 8 bits wrap on both sides.
func number[T comm.Number](r, i int) T { return T((r+1)*(i%11+1) + i%7) }

func numbers[T comm.Number](r, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = number[T](r, i)
	}
	return x
}

// reduced is what an operation makes of numbers of n ranks.
func reduced[T comm.Number](p, n int, op comm.Op[T]) []T {
	x := numbers[T](0, n)
	for r := 1; r < p; r++ {
		op.Apply(x, numbers[T](r, n))
	}
	return x
}

// uneven are counts of n elements in all, some of them 0.
func (s *state) uneven(n int) []int {
	counts := make([]int, s.p)
	for range 4 {
		k := n / 4
		counts[s.same.IntN(s.p)] += k
	}
	counts[s.same.IntN(s.p)] += n - 4*(n/4)
	return counts
}

func sum(counts []int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// collectivesOf checks reductions and moves of one type, shorter and longer than where the
// algorithms change.
func collectivesOf[T comm.Number](s *state) {
	size := int(unsafe.Sizeof(T(0)))
	for _, n := range []int{0, 1, 2, s.p - 1, 13, 1003, 30011 / size, s.long(size)} {
		reductions[T](s, n)
		at := func(r, i int) T { return number[T](r, i) }
		movesOf(s, n, at)
	}
}

func reductions[T comm.Number](s *state, n int) {
	for _, op := range []comm.Op[T]{comm.Sum[T](), comm.Max[T](), comm.Min[T](), comm.Product[T]()} {
		var one T = 1
		if op.Name == "product" && one/2 != 0 {
			continue // products of nine numbers are not exact in floating point
		}
		want := reduced(s.p, n, op)
		x := numbers[T](s.me, n)
		need(comm.AllReduce(s.Comm, x, op))
		equal(s, x, want, "AllReduce %s of %d", op.Name, n)

		root := s.same.IntN(s.p)
		x = numbers[T](s.me, n)
		var out []T
		if s.me == root {
			out = make([]T, n)
		}
		need(comm.Reduce(s.Comm, root, out, x, op))
		if s.me == root {
			equal(s, out, want, "Reduce %s of %d to %d", op.Name, n, root)
		}
		equal(s, x, numbers[T](s.me, n), "x of Reduce %s", op.Name)

		counts := s.uneven(n)
		begin := sum(counts[:s.me])
		out = make([]T, counts[s.me])
		need(comm.ReduceScatter(s.Comm, out, x, counts, op))
		equal(s, out, want[begin:begin+counts[s.me]], "ReduceScatter %s of %v", op.Name, counts)
		equal(s, x, numbers[T](s.me, n), "x of ReduceScatter %s", op.Name)
		if op.Name != "sum" && n > 30000/int(unsafe.Sizeof(one)) {
			break // long ones with two operations
		}
	}
}

// movesOf checks what moves n elements, or about as many of each rank.
func movesOf[T interface {
	comm.Fixed
	comparable
}](s *state, n int, at func(r, i int) T) {
	c := s.Comm
	of := func(r, n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = at(r, i)
		}
		return x
	}
	root := s.same.IntN(s.p)
	x := of(s.me, n)
	need(comm.Broadcast(c, root, x))
	equal(s, x, of(root, n), "Broadcast of %d from %d", n, root)

	k := n / s.p
	var want []T
	for r := range s.p {
		want = append(want, of(r, k)...)
	}
	out := make([]T, k*s.p)
	need(comm.AllGather(c, out, of(s.me, k)))
	equal(s, out, want, "AllGather of %d each", k)

	counts := s.uneven(n)
	want = want[:0]
	for r, k := range counts {
		want = append(want, of(r, k)...)
	}
	begin := sum(counts[:s.me])
	mine := want[begin : begin+counts[s.me]]
	out = make([]T, n)
	copy(out[begin:], mine) // in place
	need(comm.AllGatherV(c, out, counts, out[begin:begin+counts[s.me]]))
	equal(s, out, want, "AllGatherV of %v", counts)

	out = nil
	if s.me == root {
		out = make([]T, n)
	}
	need(comm.Gather(c, root, out, counts, mine))
	if s.me == root {
		equal(s, out, want, "Gather of %v to %d", counts, root)
	}
	got := make([]T, counts[s.me])
	need(comm.Scatter(c, root, got, out, counts))
	equal(s, got, mine, "Scatter of %v from %d", counts, root)

	// Rank a sends b a number of elements that both can tell, for many pairs none.
	between := func(a, b int) int {
		if (a*5+b*3)%4 == 1 {
			return 0
		}
		return (a*31 + b*17 + 1) * n / (40 * s.p * s.p)
	}
	send, recv := make([]int, s.p), make([]int, s.p)
	x, want = nil, nil
	for r := range s.p {
		send[r], recv[r] = between(s.me, r), between(r, s.me)
		for i := range send[r] {
			x = append(x, at(s.me, r+i))
		}
		for i := range recv[r] {
			want = append(want, at(r, s.me+i))
		}
	}
	out = make([]T, len(want))
	need(comm.AllToAllV(c, out, recv, x, send))
	equal(s, out, want, "AllToAllV of %v", send)
	need(c.Barrier())
}

// bits is a type that is made of another.
type bits uint64

func moves(s *state) {
	for _, n := range []int{1, 70, 1003, s.long(16)} {
		movesOf(s, n, func(r, i int) complex64 { return complex(float32(r), float32(-i)) })
		movesOf(s, n, func(r, i int) complex128 { return complex(float64(r), float64(-i)) })
		movesOf(s, n, func(r, i int) dtype.BF16 { return dtype.BF16FromBits(uint16(r<<12 + i)) })
		movesOf(s, n, func(r, i int) dtype.F16 { return dtype.F16FromBits(uint16(r<<12 + i)) })
		movesOf(s, n, func(r, i int) bits { return bits(r)<<60 + bits(i) })
	}
}

// native checks the transport's own collectives, which count as calls and send nothing.
func native(s *state) {
	if s.err = s.Comm.Native(true); s.err != nil {
		return // on all ranks: they have one transport
	}
	defer s.Comm.Native(false)
	before := s.Phase("native")
	defer s.Phase(before)
	was := s.Total("native")
	group := got(s.Split(0, s.me))
	for _, c := range []*comm.Comm{s.Comm, group} {
		x := []float64{number[float64](s.me, 3)}
		need(comm.AllReduce(c, x, comm.Sum[float64]()))
		equal(s, x, reduced(s.p, 4, comm.Sum[float64]())[3:], "AllReduce")
	}
	calls := s.Total("native")
	s.expect(calls.Calls == was.Calls+2 && calls.Sent == was.Sent, "counted %+v after %+v; want two calls more and no messages", calls, was)
	s.Phase(before)
	for _, run := range []func(*state){collectivesOf[int32], collectivesOf[uint64], collectivesOf[float32], collectivesOf[float64], collectivesOf[int8], moves} {
		run(s)
	}
}
