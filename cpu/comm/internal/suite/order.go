package suite

import (
	"math"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// order checks that sums of numbers that round have the same bits on all ranks and from
// time to time, whoever is late.
func order(s *state) error {
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
			if err := comm.AllReduce(s.Comm, x, comm.Sum[float64]()); err != nil {
				return must(err)
			}
			counts := make([]int, s.p)
			counts[0] = n
			part := make([]float64, counts[s.me])
			if err := comm.ReduceScatter(s.Comm, part, mine, counts, comm.Sum[float64]()); err != nil {
				return must(err)
			}
			if err := comm.Broadcast(s.Comm, 0, x); err != nil {
				return must(err)
			}
			y := append([]float64(nil), mine...)
			if err := comm.AllReduce(s.Comm, y, comm.Sum[float64]()); err != nil {
				return must(err)
			}
			equal(s, y, x, "AllReduce of %d, compared with rank 0", n)
			all := append(y, part...)
			if round == 0 {
				first = all
			}
			equal(s, all, first, "sums of %d, compared with those before", n)
		}
	}
	return s.err
}
