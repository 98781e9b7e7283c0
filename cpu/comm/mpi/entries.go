package mpi

// An entry is a function of the library.
type entry int

const (
	mpiGetLibraryVersion entry = iota
	mpiInitThread
	mpiFinalize
	mpiAbort
	mpiErrorString
	mpiErrorClass
	mpiCommSetErrhandler
	mpiCommRank
	mpiCommSize
	mpiCommDup
	mpiCommSplit
	mpiCommFree
	mpiSend
	mpiRecv
	mpiIsend
	mpiIrecv
	mpiProbe
	mpiIprobe
	mpiTest
	mpiTestsome
	mpiWaitsome
	mpiGetElements
	mpiIbarrier
	mpiTypeContiguous
	mpiTypeCreateStruct
	mpiTypeCommit
	mpiTypeFree
	mpiBarrier
	mpiBcast
	mpiAllgatherv
	mpiAlltoallv
	mpiAllreduce
	mpiReduce
	mpiReduceScatter
	mpiIbcast
	mpiIallgatherv
	mpiIalltoallv
	mpiIallreduce
	mpiIreduce
	mpiIreduceScatter
	entries
)

// names are those of MPI 3.1, which all libraries of the last ten years have.
var names = [entries]string{
	mpiGetLibraryVersion: "MPI_Get_library_version",
	mpiInitThread:        "MPI_Init_thread",
	mpiFinalize:          "MPI_Finalize",
	mpiAbort:             "MPI_Abort",
	mpiErrorString:       "MPI_Error_string",
	mpiErrorClass:        "MPI_Error_class",
	mpiCommSetErrhandler: "MPI_Comm_set_errhandler",
	mpiCommRank:          "MPI_Comm_rank",
	mpiCommSize:          "MPI_Comm_size",
	mpiCommDup:           "MPI_Comm_dup",
	mpiCommSplit:         "MPI_Comm_split",
	mpiCommFree:          "MPI_Comm_free",
	mpiSend:              "MPI_Send",
	mpiRecv:              "MPI_Recv",
	mpiIsend:             "MPI_Isend",
	mpiIrecv:             "MPI_Irecv",
	mpiProbe:             "MPI_Probe",
	mpiIprobe:            "MPI_Iprobe",
	mpiTest:              "MPI_Test",
	mpiTestsome:          "MPI_Testsome",
	mpiWaitsome:          "MPI_Waitsome",
	mpiGetElements:       "MPI_Get_elements_x",
	mpiIbarrier:          "MPI_Ibarrier",
	mpiTypeContiguous:    "MPI_Type_contiguous",
	mpiTypeCreateStruct:  "MPI_Type_create_struct",
	mpiTypeCommit:        "MPI_Type_commit",
	mpiTypeFree:          "MPI_Type_free",
	mpiBarrier:           "MPI_Barrier",
	mpiBcast:             "MPI_Bcast",
	mpiAllgatherv:        "MPI_Allgatherv",
	mpiAlltoallv:         "MPI_Alltoallv",
	mpiAllreduce:         "MPI_Allreduce",
	mpiReduce:            "MPI_Reduce",
	mpiReduceScatter:     "MPI_Reduce_scatter",
	mpiIbcast:            "MPI_Ibcast",
	mpiIallgatherv:       "MPI_Iallgatherv",
	mpiIalltoallv:        "MPI_Ialltoallv",
	mpiIallreduce:        "MPI_Iallreduce",
	mpiIreduce:           "MPI_Ireduce",
	mpiIreduceScatter:    "MPI_Ireduce_scatter",
}

// large are the functions whose counts have 64 bits, new in MPI 4.0. Their arguments
// are where those of the others are, so for one count only the address differs. Lists
// of counts, and of where each begins, have 64 bits a number.
var large = map[entry]string{
	mpiSend:           "MPI_Send_c",
	mpiRecv:           "MPI_Recv_c",
	mpiIsend:          "MPI_Isend_c",
	mpiIrecv:          "MPI_Irecv_c",
	mpiBcast:          "MPI_Bcast_c",
	mpiAllgatherv:     "MPI_Allgatherv_c",
	mpiAlltoallv:      "MPI_Alltoallv_c",
	mpiAllreduce:      "MPI_Allreduce_c",
	mpiReduce:         "MPI_Reduce_c",
	mpiReduceScatter:  "MPI_Reduce_scatter_c",
	mpiIreduceScatter: "MPI_Ireduce_scatter_c",
	mpiIreduce:        "MPI_Ireduce_c",
	mpiIallreduce:     "MPI_Iallreduce_c",
	mpiIalltoallv:     "MPI_Ialltoallv_c",
	mpiIallgatherv:    "MPI_Iallgatherv_c",
	mpiIbcast:         "MPI_Ibcast_c",
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
