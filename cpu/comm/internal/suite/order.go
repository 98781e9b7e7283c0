package suite

import (
	"math"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// order checks that sums of numbers that round have the same bits on all ranks and from
// time to time, whoever is late.
func order(s *state) {
	rounds := 4
	if s.Long {
		rounds = 20
	}
	for _, n := range []int{1, 17, 1000, 20000} {
		mine := make([]float64, n)
		for i := range mine {
			mine[i] = s.own.NormFloat64() * math.Exp2(float64(s.own.IntN(60)))
		}
		var first []float64
		for round := range rounds {
			if s.own.IntN(2) == 1 {
				time.Sleep(time.Duration(s.own.IntN(300)) * time.Microsecond)
			}
			x := append([]float64(nil), mine...)
			need(comm.AllReduce(s.Comm, x, comm.Sum[float64]()))
			counts := make([]int, s.p)
			counts[0] = n
			part := make([]float64, counts[s.me])
			need(comm.ReduceScatter(s.Comm, part, mine, counts, comm.Sum[float64]()))
			need(comm.Broadcast(s.Comm, 0, x))
			y := append([]float64(nil), mine...)
			need(comm.AllReduce(s.Comm, y, comm.Sum[float64]()))
			equal(s, y, x, "AllReduce of %d, compared with rank 0", n)
			all := append(y, part...)
			if round == 0 {
				first = all
			}
			equal(s, all, first, "sums of %d, compared with those before", n)
		}
	}
}
