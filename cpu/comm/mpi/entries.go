package mpi

// An entry is a function of the library, an index into names.
type entry int

// The functions are those of MPI 3.1, which all libraries of the last ten years have. A second name is that of the
// same function whose counts have 64 bits, new in MPI 4.0. Its arguments are where those of
// the other are, so for one count only the address differs. Lists of counts, and of where
// each begins, have 64 bits a number.
var (
	mpiGetLibraryVersion = function("MPI_Get_library_version", "")
	mpiInitThread        = function("MPI_Init_thread", "")
	mpiFinalize          = function("MPI_Finalize", "")
	mpiAbort             = function("MPI_Abort", "")
	mpiErrorString       = function("MPI_Error_string", "")
	mpiErrorClass        = function("MPI_Error_class", "")
	mpiCommSetErrhandler = function("MPI_Comm_set_errhandler", "")
	mpiCommRank          = function("MPI_Comm_rank", "")
	mpiCommSize          = function("MPI_Comm_size", "")
	mpiCommDup           = function("MPI_Comm_dup", "")
	mpiCommSplit         = function("MPI_Comm_split", "")
	mpiCommFree          = function("MPI_Comm_free", "")
	mpiSend              = function("MPI_Send", "MPI_Send_c")
	mpiRecv              = function("MPI_Recv", "MPI_Recv_c")
	mpiIsend             = function("MPI_Isend", "MPI_Isend_c")
	mpiIrecv             = function("MPI_Irecv", "MPI_Irecv_c")
	mpiProbe             = function("MPI_Probe", "")
	mpiIprobe            = function("MPI_Iprobe", "")
	mpiTest              = function("MPI_Test", "")
	mpiTestsome          = function("MPI_Testsome", "")
	mpiWaitsome          = function("MPI_Waitsome", "")
	mpiGetElements       = function("MPI_Get_elements_x", "")
	mpiIbarrier          = function("MPI_Ibarrier", "")
	mpiTypeContiguous    = function("MPI_Type_contiguous", "")
	mpiTypeCreateStruct  = function("MPI_Type_create_struct", "")
	mpiTypeCommit        = function("MPI_Type_commit", "")
	mpiTypeFree          = function("MPI_Type_free", "")
	mpiBarrier           = function("MPI_Barrier", "")
	mpiBcast             = function("MPI_Bcast", "MPI_Bcast_c")
	mpiAllgatherv        = function("MPI_Allgatherv", "MPI_Allgatherv_c")
	mpiAlltoallv         = function("MPI_Alltoallv", "MPI_Alltoallv_c")
	mpiAllreduce         = function("MPI_Allreduce", "MPI_Allreduce_c")
	mpiReduce            = function("MPI_Reduce", "MPI_Reduce_c")
	mpiReduceScatter     = function("MPI_Reduce_scatter", "MPI_Reduce_scatter_c")
	mpiIbcast            = function("MPI_Ibcast", "MPI_Ibcast_c")
	mpiIallgatherv       = function("MPI_Iallgatherv", "MPI_Iallgatherv_c")
	mpiIalltoallv        = function("MPI_Ialltoallv", "MPI_Ialltoallv_c")
	mpiIallreduce        = function("MPI_Iallreduce", "MPI_Iallreduce_c")
	mpiIreduce           = function("MPI_Ireduce", "MPI_Ireduce_c")
	mpiIreduceScatter    = function("MPI_Ireduce_scatter", "MPI_Ireduce_scatter_c")
)

// names are those of the functions, and large of those whose counts have 64 bits, "" for none.
var names, large []string

func function(name, wide string) entry {
	names, large = append(names, name), append(large, wide)
	return entry(len(names) - 1)
}

// begins are the functions that only begin what others do.
var begins = map[entry]entry{
	mpiBarrier:       mpiIbarrier,
	mpiBcast:         mpiIbcast,
	mpiAllgatherv:    mpiIallgatherv,
	mpiAlltoallv:     mpiIalltoallv,
	mpiAllreduce:     mpiIallreduce,
	mpiReduce:        mpiIreduce,
	mpiReduceScatter: mpiIreduceScatter,
}
