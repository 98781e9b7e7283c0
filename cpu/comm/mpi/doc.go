// Package mpi is the processes of an MPI job as the ranks of a [comm.Comm], by an MPI
// library that is loaded when the program runs, without cgo. Start with [Run]:
//
//	err := mpi.Run(4, func(c *comm.Comm) error {
//		x := []float64{float64(c.Rank())}
//		err := comm.AllReduce(c, x, comm.Sum[float64]())
//		fmt.Fprintln(mpi.Stdout(c), "sum of ranks", x[0])
//		return err
//	})
//
// Under mpirun or srun that runs on their processes, else on four goroutines. [Init] is
// for programs that want the Comm for themselves.
//
// # Which library
//
// One binary runs under Open MPI 4 and 5, under MPICH and its family (Intel MPI, MVAPICH,
// Cray's), and under every library with the binary interface of MPI 5 (libmpi_abi). Which
// is loaded, the launcher's environment says: Open MPI's where it has OMPI_COMM_WORLD_SIZE,
// MPICH's where it has PMI_SIZE. TILESMITH_MPI_LIB names another file, or the folder it is
// in; then nothing else is tried. A library that does not understand the launcher would
// make each process a job of one; Init says so instead.
//
// # Errors
//
// What the library reports is an [Error] with its words. A rank whose function returns an
// error or panics, or that is killed, ends the job with a status that is not 0, within
// seconds; MPI has no other way to tell ranks that wait for it. At the end a message that
// was not received is an error; ranks that have returned and wait for others for 5 seconds
// say so on standard error.
//
// # Goroutines
//
// Several goroutines may send and receive at once. Libraries that allow one thread only
// get one: it makes all calls, and none of them waits. Waiting costs a core: MPI asks
// again and again. Signals come to the program as ever (os/signal).
//
// # Messages
//
// Send and Recv are MPI_Send and MPI_Recv of bytes and allocate nothing. Messages may be
// longer than 2^31-1 bytes. Buffers of Isend and Irecv are pinned until they are done.
// Open MPI is told not to let processes write into each other's memory, since it does so
// beyond the end of a buffer that is too short for its message: openmpi.go says more.
//
// # Where it builds
//
// Everywhere. Libraries are loaded on Linux, amd64 and arm64; elsewhere, and with -tags
// nodl, Init fails with [ErrNoMPI] and says so. A program that imports this package is
// dynamically linked against glibc, unless it is built with -tags nodl; no other package
// of this module imports it.
package mpi
