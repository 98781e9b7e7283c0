package suite

import (
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// wrong gives every function arguments that it must refuse before it sends anything.
func wrong(s *state) {
	c, p, x := s.Comm, s.p, make([]float64, 2)
	sum := comm.Sum[float64]()
	counts := func(n int) []int {
		list := make([]int, p)
		list[0] = n
		return list
	}
	overflow := counts(math.MaxInt)
	if p > 1 {
		overflow[1] = 1
	} else {
		overflow = []int{math.MinInt}
	}
	request := func(_ comm.Request, err error) error { return err }
	status := func(_ comm.Status, err error) error { return err }
	for _, bad := range []struct {
		err  error
		want string
	}{
		{comm.Send(c, p, 0, x), "the destination is rank"},
		{comm.Send(c, -1, 0, x), "the destination is rank -1; want 0 to"},
		{comm.Send(c, 0, -1, x), "the tag is -1; want 0 to 32702"},
		{comm.Send(c, 0, comm.MaxUserTag+1, x), "the tag is 32703; want 0 to 32702"},
		{status(comm.Recv(c, p, 0, x)), "the source is rank"},
		{status(comm.Recv(c, -2, 0, x)), "the source is rank -2; want 0 to"},
		{status(comm.Recv(c, 0, 1<<15, x)), "the tag is 32768"},
		{request(comm.Isend(c, p, 0, x)), "comm.Isend on rank"},
		{request(comm.Isend(c, 0, -1, x)), "the tag"},
		{request(comm.Irecv(c, p, 0, x)), "comm.Irecv on rank"},
		{request(comm.Irecv(c, 0, -1, x)), "the tag"},
		{status(c.Probe(p, 0)), "comm.Probe on rank"},
		{status(c.Probe(0, -7)), "the tag is -7"},
		{status(comm.Sendrecv(c, p, 0, x, 0, 0, x)), "the destination"},
		{status(comm.Sendrecv(c, 0, 0, x, p, 0, x)), "the source"},
		{status(comm.Sendrecv(c, 0, 0, x, 0, -1, x)), "the tag is -1"},
		{comm.Exchange(c, 0, []int{0}, [][]float64{x}, nil), "1 peers, 1 slices to send, 0 to receive"},
		{comm.Exchange(c, 0, []int{0, 0}, [][]float64{x, x}, [][]float64{x, x}), "rank 0 is a peer twice"},
		{comm.Exchange(c, 0, []int{p}, [][]float64{x}, [][]float64{x}), "peer 0 is rank"},
		{comm.Exchange(c, -1, []int{}, [][]float64{}, [][]float64{}), "the tag is -1"},
		{comm.AllReduce(c, x, comm.Op[float64]{}), "the Op has no Apply"},
		{comm.Reduce(c, p, x, x, sum), "root is rank"},
		{comm.Reduce(c, s.me, x[:1], x, sum), "out has 1 elements; want 2"},
		{comm.Reduce(c, 0, x, x, comm.Op[float64]{}), "the Op"},
		{comm.ReduceScatter(c, x, x, counts(3), sum), "the counts for x add up to 3, but it has 2 elements"},
		{comm.ReduceScatter(c, x, x, make([]int, p+1), sum), "counts for x; want one for each"},
		{comm.ReduceScatter(c, make([]float64, 3), x, counts(2), sum), "out has 3 elements; want"},
		{comm.ReduceScatter(c, x, x, overflow, sum), "0 or more, and a sum that is an int"},
		{comm.Broadcast(c, -1, x), "root is rank -1"},
		{comm.AllGather(c, make([]float64, 2*p+1), x), "out has"},
		{comm.AllGatherV(c, x, counts(-2), x), "the count of rank 0 for out is -2; want 0 or more"},
		{comm.AllGatherV(c, x, counts(2), make([]float64, 5)), "x has 5 elements; want"},
		{comm.Gather(c, p, x, counts(2), x), "root is rank"},
		{comm.Gather(c, s.me, x, counts(1), x), "the counts for out add up to 1"},
		{comm.Gather(c, 0, x, nil, x), "0 counts for out"},
		{comm.Scatter(c, -1, x, x, counts(2)), "root is rank -1"},
		{comm.Scatter(c, s.me, x, x, counts(4)), "the counts for x add up to 4"},
		{comm.Scatter(c, s.me, make([]float64, 9), x, counts(2)), "out has 9 elements"},
		{comm.AllToAllV(c, x, counts(1), x, counts(2)), "the counts for out add up to 1"},
		{comm.AllToAllV(c, x, counts(2), x, overflow), "want 0 or more, and a sum"},
	} {
		s.expect(bad.err != nil && strings.Contains(bad.err.Error(), bad.want), "error %v, want %q", bad.err, bad.want)
	}
	self := make([]int, p)
	self[s.me] = 2
	other := make([]int, p)
	other[(s.me+1)%p] = 2
	if p > 1 {
		err := comm.AllToAllV(c, x, self, x, other)
		s.expect(err != nil && strings.Contains(err.Error(), "sends 0 elements to itself and receives 2"), "error %v", err)
	}
}
