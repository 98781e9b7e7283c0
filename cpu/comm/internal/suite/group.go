package suite

import (
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// split makes groups by color and key, and groups of those, whose messages do not meet
// though their tags do.
func split(s *state) {
	for _, kinds := range []int{1, 2, 3} {
		color := s.me % kinds
		if s.me == s.p/2 && kinds == 3 {
			color = -1
		}
		g := got(s.Split(color, -s.me/2)) // pairs of ranks have one key
		if color < 0 {
			s.expect(g == nil, "a negative color got a group")
			continue
		}
		if g == nil {
			s.expect(false, "color %d got no group", color)
			continue
		}
		var want []int64
		for k := s.p / 2 * 2; k >= 0; k -= 2 {
			for r := k; r < k+2 && r < s.p; r++ {
				if r%kinds == color && !(r == s.p/2 && kinds == 3) {
					want = append(want, int64(r))
				}
			}
		}
		have := make([]int64, g.Size())
		need(comm.AllGather(g, have, []int64{int64(s.me)}))
		equal(s, have, want, "ranks of color %d of %d", color, kinds)
		s.expect(len(have) > g.Rank() && have[g.Rank()] == int64(s.me), "rank %d is not at %d of %v", s.me, g.Rank(), have)

		// A message in each group to the same rank with one tag: first the inner is received.
		if g.Size() > 1 {
			next, before := (g.Rank()+1)%g.Size(), (g.Rank()+g.Size()-1)%g.Size()
			outer := got(comm.Isend(s.Comm, int(have[next]), 1, []int32{1}))
			inner := got(comm.Isend(g, next, 1, []int32{2}))
			x := make([]int32, 1)
			st := got(comm.Recv(g, comm.AnySource, 1, x))
			s.expect(x[0] == 2 && st.Source == before, "the group received %d of %d", x[0], st.Source)
			got(comm.Recv(s.Comm, int(have[before]), 1, x))
			s.expect(x[0] == 1, "all received %d", x[0])
			need(s.Wait(outer, inner)) // of two groups
		}
		half := got(g.Split(g.Rank()/2, 0))
		one := []int32{1}
		need(comm.AllReduce(half, one, comm.Sum[int32]()))
		s.expect(int(one[0]) == half.Size() && half.Size() <= 2, "a group of a group counts %d, size %d", one[0], half.Size())
		need(half.Close())
		need(g.Close())
	}
}

// groupsAtOnce runs collectives of rows and columns of a grid at the same time.
func groupsAtOnce(s *state) {
	width := 2
	row := got(s.Split(s.me/width, s.me))
	column := got(s.Split(s.me%width, s.me))
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i, g := range []*comm.Comm{row, column} {
		all.Go(func() {
			for round := range 30 {
				x := numbers[float64](g.Rank(), 1+round*round*10)
				if err := comm.AllReduce(g, x, comm.Sum[float64]()); err != nil {
					errs[i] = must(err)
					return
				}
				want := reduced(g.Size(), len(x), comm.Sum[float64]())
				for k := range x {
					if x[k] != want[k] && errs[i] == nil {
						errs[i] = fmt.Errorf("group %d, round %d: element %d is %v, want %v", i, round, k, x[k], want[k])
					}
				}
			}
		})
	}
	all.Wait()
	s.keep(errs...)
	need(row.Close())
	need(column.Close())
}

// goroutines of one rank use the Comm at once, each with a tag.
func goroutines(s *state) {
	const many = 6
	var all sync.WaitGroup
	errs := make([]error, many)
	for g := range many {
		all.Go(func() { errs[g] = s.chatter(g) })
	}
	all.Wait()
	s.keep(errs...)
}

// chatter exchanges with every rank in turn.
func (s *state) chatter(g int) error {
	var wrong error
	for round := range 6 {
		for d := range s.p {
			to, from := (s.me+d)%s.p, (s.me+s.p-d)%s.p
			n := (round*round*7 + g*300 + d) * (1 + round%3*15)
			buf := make([]byte, n)
			st, err := comm.Sendrecv(s.Comm, to, 100+g, message(s.me, to, g, round, n), from, 100+g, buf)
			if err != nil {
				return must(err)
			}
			if st.Bytes != n && wrong == nil {
				wrong = fmt.Errorf("goroutine %d, round %d: %d bytes of rank %d, want %d", g, round, st.Bytes, from, n)
			}
			for i, b := range message(from, s.me, g, round, n) {
				if buf[i] != b && wrong == nil {
					wrong = fmt.Errorf("goroutine %d, round %d: byte %d of rank %d is %d, want %d", g, round, i, from, buf[i], b)
				}
			}
		}
	}
	return wrong
}

// phases checks what counts where.
func phases(s *state) {
	before := s.Phase("suite a")
	s.expect(s.Phase("suite b") == "suite a", "Phase does not return the one before")
	a, b := s.Total("suite a"), s.Total("suite b")
	right, left := (s.me+1)%s.p, (s.me+s.p-1)%s.p
	x := make([]int32, 3)
	s.Phase("suite a")
	r := got(comm.Irecv(s.Comm, left, 1, x))
	s.Phase("suite b") // the receive belongs to a, where it was begun
	need(comm.Send(s.Comm, right, 1, []int32{7, 8}))
	need(s.Wait(r))
	if s.p > 1 {
		a.Received++
		a.BytesReceived += 8
		b.Sent++
		b.BytesSent += 8
	}
	s.expect(s.Total("suite a") == a && s.Total("suite b") == b, "counted %+v and %+v, want %+v and %+v", s.Total("suite a"), s.Total("suite b"), a, b)
	s.Phase("suite b")
	y := make([]float64, 20011)
	need(comm.AllReduce(s.Comm, y, comm.Sum[float64]()))
	will := comm.AllReduceCount(s.p, s.me, len(y), 8)
	b.Sent += will.Sent
	b.Received += will.Received
	b.BytesSent += will.BytesSent
	b.BytesReceived += will.BytesReceived
	s.expect(s.Total("suite b") == b, "AllReduce counted to %+v, want %+v", s.Total("suite b"), b)
	g := got(s.Split(0, 0))
	s.expect(s.Total("suite b") == b, "Split counted")
	need(g.Barrier())
	s.expect(s.Total("suite b") == g.Total("suite b") && (s.p == 1 || s.Total("suite b") != b), "a group counts apart")
	in, a, b := s.In("suite a"), s.Total("suite a"), s.Total("suite b")
	need(comm.Broadcast(in, 0, y))
	now := s.Total("suite a")
	s.expect(now.BytesSent+now.BytesReceived > a.BytesSent+a.BytesReceived || s.p == 1, "In counted to %+v, from %+v", now, a)
	need(in.Barrier())
	s.expect(s.Total("suite b") == b, "In counted elsewhere")
	s.Phase(before)
	need(g.Close())
}

func agree(s *state) {
	need(comm.Agree(s.Comm, nil, comm.NewFact("ranks", s.p)))
	if s.p == 1 {
		return
	}
	err := comm.Agree(s.Comm, nil, comm.NewFact("parity", s.me == 1))
	want := "the ranks disagree about parity: "
	if s.p == 2 {
		want += "rank 0 false, but rank 1 true"
	} else if s.p == 3 {
		want += "ranks 0, 2 false, but rank 1 true"
	} else {
		want += fmt.Sprintf("ranks 0, 2-%d false, but rank 1 true", s.p-1)
	}
	s.expect(err != nil && err.Error() == want, "Agree says %v, want %s", err, want)
}
