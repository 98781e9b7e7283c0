// Package comm lets the ranks of a program exchange messages: point to point, in
// collectives, with neighbours.
//
// A rank is one of p copies of a program's main function, numbered 0 to p-1. A Comm is
// what one rank sees of the group. Ranks are goroutines of one process, the default,
// which needs nothing installed:
//
//	err := comm.Run(4, func(c *comm.Comm) error {
//		x := []float64{float64(c.Rank())}
//		return comm.AllReduce(c, x, comm.Sum[float64]())
//	})
//
// or the processes of an MPI job, by package cpu/comm/mpi; the function is the same.
//
// Under a Comm lies a Transport, which only carries bytes from rank to rank. All that
// is more, the collectives and the counters of messages and bytes, is made here from
// point-to-point messages, so that it means the same on every transport.
package comm
