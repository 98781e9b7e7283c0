// Package comm lets the ranks of a program exchange messages: point to point, in
// collectives, with neighbours.
//
// A rank is one of p copies of a program's main function, numbered 0 to p-1. A [Comm] is
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
// Who knows MPI finds here
//
//	[Send], [Recv], [Isend], [Irecv], [Sendrecv], [Comm.Probe]   the same
//	[Comm.Wait], [Comm.Some]            MPI_Waitall; MPI_Waitsome, and MPI_Testsome
//	[Exchange]                          MPI_Neighbor_alltoallv
//	[AllReduce], [Reduce], [ReduceScatter], [Broadcast]
//	[AllGather], [AllGatherV], [Gather], [Scatter], [AllToAllV], [Comm.Barrier]
//	[Comm.Split]                        MPI_Comm_split; a negative color is MPI_UNDEFINED
//
// with slices of numbers for buffers, counts and types, the number of elements of any
// rank where MPI has displacements (what ranks get lies in their order, without gaps), and
// errors instead of the end of the job: an error says on which rank what is wrong and
// what would be right. Lengths are checked before anything is sent. What MPI calls
// erroneous and does not look for is an error here where it can be seen: arguments of a
// collective that ranks give differently, messages that nobody receives, and on goroutine
// ranks also ranks that wait for each other.
//
// Under a Comm lies a [Transport], which only carries bytes from rank to rank. All that
// is more, the collectives and the counters of messages and bytes, is made here from
// point-to-point messages, so that it means the same on every transport. Sums are added
// in an order that depends on the number of ranks and the length only: the same run gives
// the same bits, on all ranks and on every transport.
//
// A program begins with [Start], which refuses a cluster of unlike machines and says how
// many threads a rank should use, and shares errors by [Agree], so that no rank waits for
// one that has given up.
package comm
