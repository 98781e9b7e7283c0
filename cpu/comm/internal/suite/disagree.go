package suite

import "github.com/tilesmith/tilesmith/cpu/comm"

// A Disagreement is a call that one rank makes with another argument than the rest. It
// ends the run: some rank's error must say what it calls, and what another does.
type Disagreement struct {
	Name string
	Run  func(c *comm.Comm, odd bool) error
	Says [2]string // of the rest, of the odd rank
}

// Disagreements are one for every argument of a collective that ranks must give alike.
var Disagreements = []Disagreement{
	{"AllReduce, op", func(c *comm.Comm, odd bool) error {
		return comm.AllReduce(c, make([]float64, 10), pick(odd, comm.Sum[float64](), comm.Max[float64]()))
	}, [2]string{"AllReduce of 10 float64 by sum", "AllReduce of 10 float64 by max"}},
	{"AllReduce of much, op", func(c *comm.Comm, odd bool) error {
		return comm.AllReduce(c, make([]float64, 1<<17), pick(odd, comm.Sum[float64](), comm.Min[float64]()))
	}, [2]string{"AllReduce of 131072 float64 by sum", "AllReduce of 131072 float64 by min"}},
	{"AllReduce, an op of one's own", func(c *comm.Comm, odd bool) error {
		own := comm.Op[int8]{Name: "sum", Apply: comm.Sum[int8]().Apply}
		return comm.AllReduce(c, make([]int8, 3), pick(odd, comm.Sum[int8](), own))
	}, [2]string{"AllReduce of 3 int8 by sum", `AllReduce of 3 int8 by "sum"`}},
	{"AllReduce, length", func(c *comm.Comm, odd bool) error {
		return comm.AllReduce(c, make([]float64, pick(odd, 10, 11)), comm.Sum[float64]())
	}, [2]string{"AllReduce of 10 ", "AllReduce of 11 "}},
	{"AllReduce, little and much", func(c *comm.Comm, odd bool) error {
		return comm.AllReduce(c, make([]float64, pick(odd, 10, 1<<17)), comm.Sum[float64]())
	}, [2]string{"AllReduce of 10 ", "AllReduce of 131072 "}},
	{"AllReduce, nothing", func(c *comm.Comm, odd bool) error {
		return comm.AllReduce(c, make([]float64, pick(odd, 10, 0)), comm.Sum[float64]())
	}, [2]string{"AllReduce of 10 ", "AllReduce of 0 "}},
	{"AllReduce, type", func(c *comm.Comm, odd bool) error {
		if odd {
			return comm.AllReduce(c, make([]uint32, 5), comm.Sum[uint32]())
		}
		return comm.AllReduce(c, make([]float32, 5), comm.Sum[float32]())
	}, [2]string{"AllReduce of 5 float32", "AllReduce of 5 uint32"}},
	{"Reduce, root", func(c *comm.Comm, odd bool) error {
		x := make([]int32, 4)
		return comm.Reduce(c, pick(odd, 0, c.Rank()), make([]int32, 4), x, comm.Sum[int32]())
	}, [2]string{"by sum with root 0", "by sum with root "}},
	{"Reduce, op", func(c *comm.Comm, odd bool) error {
		return comm.Reduce(c, 0, make([]int32, 4), make([]int32, 4), pick(odd, comm.Min[int32](), comm.Product[int32]()))
	}, [2]string{"Reduce of 4 int32 by min with root 0", "Reduce of 4 int32 by product with root 0"}},
	{"ReduceScatter, counts", func(c *comm.Comm, odd bool) error {
		counts := move(c, 8, odd)
		return comm.ReduceScatter(c, make([]float64, counts[c.Rank()]), make([]float64, 8*c.Size()), counts, comm.Sum[float64]())
	}, [2]string{"ReduceScatter of 8 float64 of each rank by sum", "ReduceScatter of [9 7"}},
	{"Broadcast, root", func(c *comm.Comm, odd bool) error {
		return comm.Broadcast(c, pick(odd, 0, c.Rank()), make([]float64, 10))
	}, [2]string{"Broadcast of 10 float64 with root 0", "Broadcast of 10 float64 with root "}},
	{"Broadcast, length", func(c *comm.Comm, odd bool) error {
		return comm.Broadcast(c, 0, make([]float64, pick(odd, 1<<17, 10)))
	}, [2]string{"Broadcast of 131072 ", "Broadcast of 10 "}},
	{"AllGather, length", func(c *comm.Comm, odd bool) error {
		n := pick(odd, 10, 12)
		return comm.AllGather(c, make([]int16, n*c.Size()), make([]int16, n))
	}, [2]string{"AllGather of 10 int16 of each rank", "AllGather of 12 int16 of each rank"}},
	{"AllGatherV, counts", func(c *comm.Comm, odd bool) error {
		counts := move(c, 8, odd)
		return comm.AllGatherV(c, make([]float64, 8*c.Size()), counts, make([]float64, counts[c.Rank()]))
	}, [2]string{"AllGather of 8 float64 of each rank", "AllGather of [9 7"}},
	{"Gather, root", func(c *comm.Comm, odd bool) error {
		counts := move(c, 2, false)
		return comm.Gather(c, pick(odd, 0, c.Rank()), make([]float64, 2*c.Size()), counts, make([]float64, 2))
	}, [2]string{"Gather of 2 float64 of each rank with root 0", "Gather of 2 float64 of each rank with root "}},
	{"Gather, counts", func(c *comm.Comm, odd bool) error {
		counts := move(c, 8, odd)
		return comm.Gather(c, 0, make([]float64, 8*c.Size()), counts, make([]float64, counts[c.Rank()]))
	}, [2]string{"Gather of 8 float64 of each rank", "Gather of [9 7"}},
	{"Scatter, counts", func(c *comm.Comm, odd bool) error {
		counts := move(c, 8, odd)
		return comm.Scatter(c, 0, make([]float64, counts[c.Rank()]), make([]float64, 8*c.Size()), counts)
	}, [2]string{"Scatter of 8 float64 of each rank", "Scatter of [9 7"}},
	{"AllToAllV, type", func(c *comm.Comm, odd bool) error {
		counts := move(c, 1, false)
		if odd {
			return comm.AllToAllV(c, make([]int64, c.Size()), counts, make([]int64, c.Size()), counts)
		}
		return comm.AllToAllV(c, make([]uint64, c.Size()), counts, make([]uint64, c.Size()), counts)
	}, [2]string{"AllToAllV of uint64", "AllToAllV of int64"}},
	{"AllToAllV, something for nothing", func(c *comm.Comm, odd bool) error {
		// The odd rank expects nothing of rank 0, which sends it something.
		send, recv := move(c, 3, false), move(c, 3, false)
		n := 3 * c.Size()
		if odd {
			recv[0], n = 0, n-3
		}
		return comm.AllToAllV(c, make([]int64, n), recv, make([]int64, 3*c.Size()), send)
	}, [2]string{"from rank 0", "buffer of 0 bytes"}},
	{"Exchange, something for nothing", func(c *comm.Comm, odd bool) error {
		last := c.Size() - 1
		if c.Rank() != 0 && c.Rank() != last {
			return nil
		}
		x := [][]float64{make([]float64, 3)}
		if odd {
			return comm.Exchange(c, 1, []int{0}, x, [][]float64{nil})
		}
		return comm.Exchange(c, 1, []int{last}, x, x)
	}, [2]string{"from rank 0", "buffer of 0 bytes"}},
	{"which collective", func(c *comm.Comm, odd bool) error {
		if odd {
			return c.Barrier()
		}
		return comm.AllReduce(c, make([]float64, 10), comm.Sum[float64]())
	}, [2]string{"AllReduce of 10 float64 by sum", "Barrier"}},
	{"Split and not", func(c *comm.Comm, odd bool) error {
		if odd {
			return c.Barrier()
		}
		_, err := c.Split(0, 0)
		return err
	}, [2]string{"Split", "Barrier"}},
	{"one collective more", func(c *comm.Comm, odd bool) error {
		x := []int32{1}
		if odd {
			if err := comm.Broadcast(c, c.Rank(), x); err != nil { // sends, and waits for nobody's data
				return err
			}
		}
		if err := comm.AllReduce(c, x, comm.Sum[int32]()); err != nil {
			return err
		}
		return c.Barrier()
	}, [2]string{"AllReduce of 1 int32 by sum", "Broadcast of 1 int32 with root "}},
}

// pick is the argument of the rank that runs.
func pick[T any](odd bool, rest, other T) T {
	if odd {
		return other
	}
	return rest
}

// move is n for each rank; to the odd one it is one more for rank 0, and one less for the
// next.
func move(c *comm.Comm, n int, odd bool) []int {
	counts := make([]int, c.Size())
	for r := range counts {
		counts[r] = n
	}
	if odd {
		counts[0]++
		counts[1]--
	}
	return counts
}
