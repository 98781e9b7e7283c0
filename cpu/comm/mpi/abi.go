package mpi

import "reflect"

// An abi is what a C program has from the header mpi.h of one family of MPI: the values
// of constants, and the layout of memory. All else of the binding is the same for all.
type abi struct {
	family string

	// A handle is a pointer, or an int of 32 bits where narrow is set. In Go it is a
	// uintptr. A list of handles is of what a handle is.
	narrow bool

	world, bytes, errorsReturn uintptr

	anySource, anyTag  int32
	undefined          int32
	funneled, multiple int32 // levels of threads
	truncated          int32 // the class of the error of a message longer than its buffer
	inPlace            uintptr
	status             statusLayout

	kinds map[reflect.Kind]uintptr // types of numbers
	ops   map[string]uintptr       // operations of reductions, by their names in package comm

	saturates bool // sums of 8 and 16 bits stop at the largest number
}

// A statusLayout says where in an MPI_Status what is, in words of 4 bytes.
type statusLayout struct{ words, source, tag, fault int }

// mpich is the family of MPICH, with Intel MPI, MVAPICH and Cray's: they agreed on one
// in 2013 (the MPICH ABI compatibility initiative). From mpi.h of MPICH 4.0.
func mpich() *abi {
	return &abi{
		family: "MPICH",
		narrow: true,
		world:  0x44000000, bytes: 0x4c00010d, errorsReturn: 0x54000001,
		anySource: -2, anyTag: -1, undefined: -32766,
		funneled: 1, multiple: 3,
		truncated: 14,
		inPlace:   ^uintptr(0),
		status:    statusLayout{words: 5, source: 2, tag: 3, fault: 4},
		kinds: map[reflect.Kind]uintptr{
			reflect.Int8: 0x4c000137, reflect.Int16: 0x4c000238, reflect.Int32: 0x4c000439, reflect.Int64: 0x4c00083a,
			reflect.Uint8: 0x4c00013b, reflect.Uint16: 0x4c00023c, reflect.Uint32: 0x4c00043d, reflect.Uint64: 0x4c00083e,
			reflect.Float32: 0x4c00040a, reflect.Float64: 0x4c00080b,
		},
		ops: map[string]uintptr{"max": 0x58000001, "min": 0x58000002, "sum": 0x58000003, "product": 0x58000004},
	}
}

// standard is the binary interface of MPI 5.0, chapter 20: libmpi_abi of MPICH 5, Open
// MPI 6 and Intel MPI 2021.17.
func standard() *abi {
	return &abi{
		family: "MPI-5 ABI",
		world:  0x101, bytes: 0x247, errorsReturn: 0x143,
		anySource: -1, anyTag: -2, undefined: -32766,
		funneled: 1024, multiple: 4096,
		truncated: 15,
		inPlace:   1,
		status:    statusLayout{words: 8, source: 0, tag: 1, fault: 2},
		kinds: map[reflect.Kind]uintptr{
			reflect.Int8: 0x240, reflect.Int16: 0x248, reflect.Int32: 0x250, reflect.Int64: 0x258,
			reflect.Uint8: 0x241, reflect.Uint16: 0x249, reflect.Uint32: 0x251, reflect.Uint64: 0x259,
			reflect.Float32: 0x210, reflect.Float64: 0x214,
		},
		ops: map[string]uintptr{"sum": 0x21, "min": 0x22, "max": 0x23, "product": 0x24},
	}
}

// openMPI is Open MPI up to 5, whose handles are addresses of objects of the library.
// From mpi.h of Open MPI 4.1.
func openMPI(address func(name string) uintptr) *abi {
	return &abi{
		family:       "Open MPI",
		saturates:    true, // its component op/avx, from 4.1 on
		world:        address("ompi_mpi_comm_world"),
		bytes:        address("ompi_mpi_byte"),
		errorsReturn: address("ompi_mpi_errors_return"),
		anySource:    -1, anyTag: -1, undefined: -32766,
		funneled: 1, multiple: 3,
		truncated: 15,
		inPlace:   1,
		status:    statusLayout{words: 6, source: 0, tag: 1, fault: 2},
		kinds: map[reflect.Kind]uintptr{
			reflect.Int8: address("ompi_mpi_int8_t"), reflect.Uint8: address("ompi_mpi_uint8_t"),
			reflect.Int16: address("ompi_mpi_int16_t"), reflect.Uint16: address("ompi_mpi_uint16_t"),
			reflect.Int32: address("ompi_mpi_int32_t"), reflect.Uint32: address("ompi_mpi_uint32_t"),
			reflect.Int64: address("ompi_mpi_int64_t"), reflect.Uint64: address("ompi_mpi_uint64_t"),
			reflect.Float32: address("ompi_mpi_float"), reflect.Float64: address("ompi_mpi_double"),
		},
		ops: map[string]uintptr{
			"sum": address("ompi_mpi_op_sum"), "product": address("ompi_mpi_op_prod"),
			"max": address("ompi_mpi_op_max"), "min": address("ompi_mpi_op_min"),
		},
	}
}
