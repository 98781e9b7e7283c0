// Package mpi makes the processes of an MPI job the ranks of a [comm.Comm]. It loads an
// MPI library when the program runs, without cgo. Start with [Run]:
//
//	err := mpi.Run(4, func(c *comm.Comm) error {
//		x := []float64{float64(c.Rank())}
//		err := comm.AllReduce(c, x, comm.Sum[float64]())
//		fmt.Fprintln(mpi.Stdout(c), "sum of ranks", x[0])
//		return err
//	})
//
// Under mpirun or srun that runs on their processes, otherwise on four goroutines. [Init]
// is for programs that want to hold the Comm themselves.
//
// # Which library
//
// One binary runs under Open MPI 4 and 5, under MPICH and its family (Intel MPI, MVAPICH,
// Cray's), and under every library with the binary interface of MPI 5 (libmpi_abi). The
// launcher's environment decides which is loaded: Open MPI's if it has
// OMPI_COMM_WORLD_SIZE, MPICH's if it has PMI_SIZE. TILESMITH_MPI_LIB names another file or
// its folder; then nothing else is tried. A library that does not understand the launcher
// would make each process a job of one; Init returns an error instead.
//
// # Errors
//
// An error that the library reports is an [Error] with its words. A rank that returns an
// error, panics or is killed ends the job within seconds, with a status other than 0. MPI
// has no other way to tell the ranks that wait for it. A message that nobody received is an
// error at the end. Ranks that have returned and wait for others for 5 seconds say so on
// standard error.
//
// # Goroutines
//
// Several goroutines may send and receive at once. In libraries that allow one thread only,
// one thread makes all calls, and none of them waits. Waiting costs a core, since MPI
// polls. Signals reach the program as usual (os/signal).
//
// # Messages
//
// Send and Recv are MPI_Send and MPI_Recv of bytes and allocate nothing. Messages may be
// longer than 2^31-1 bytes. Buffers of Isend and Irecv are pinned until they are done.
// Processes under Open MPI do not write into each other's memory unless you ask for it.
// Open MPI would write beyond the end of a buffer that is too short for its message
// (openmpi.go).
//
// # Where it builds
//
// Everywhere. Libraries are loaded on Linux, amd64 and arm64; elsewhere, and with -tags
// nodl, Init fails with [ErrNoMPI] and says so. A program that imports this package is
// dynamically linked against glibc, unless it is built with -tags nodl. No other package
// of this module imports it.
package mpi
