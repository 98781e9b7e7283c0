// Package comm lets the ranks of a program exchange messages: point to point, in
// collectives, with neighbours.
//
// A rank is one of p copies of a program's main function, numbered 0 to p-1. A [Comm] is
// one rank's view of the group. By default ranks are goroutines of one process, which
// needs nothing installed:
//
//	err := comm.Run(4, func(c *comm.Comm) error {
//		x := []float64{float64(c.Rank())}
//		return comm.AllReduce(c, x, comm.Sum[float64]())
//	})
//
// With package cpu/comm/mpi they are the processes of an MPI job; the function is the same.
//
// If you know MPI, you find here
//
//	[Send], [Recv], [Isend], [Irecv], [Sendrecv], [Comm.Probe]   the same
//	[Comm.Wait], [Comm.Some]            MPI_Waitall; MPI_Waitsome, and MPI_Testsome
//	[Exchange]                          MPI_Neighbor_alltoallv
//	[AllReduce], [Reduce], [ReduceScatter], [Broadcast]
//	[AllGather], [AllGatherV], [Gather], [Scatter], [AllToAllV], [Comm.Barrier]
//	[Comm.Split]                        MPI_Comm_split; a negative color is MPI_UNDEFINED
//
// Slices of numbers replace MPI's buffers, counts and types. Numbers of elements by rank
// replace displacements: data of ranks lie in their order, without gaps. Errors replace
// the end of the job: an error says on which rank what is wrong and what would be right.
// Lengths are checked before anything is sent. Some mistakes that MPI does not look for
// are errors here. They are arguments of a collective that differ between ranks,
// messages that nobody receives, and, on goroutine ranks, ranks that wait for each
// other.
//
// Under a Comm is a [Transport], which only carries bytes from rank to rank. This package
// makes collectives and counters from point-to-point messages, so they mean the same on
// every transport. The order of additions depends only on the number of ranks and the
// length. The same run gives the same bits, on all ranks and on every transport.
//
// A program begins with [Start], which refuses a cluster of unlike machines and says how
// many threads a rank should use. It shares errors by [Agree], so no rank waits for one
// that has given up.
package comm
