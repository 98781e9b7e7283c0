package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// ABI6 is the version of the contract between generated code and this package.
// Every generated file refers to it. If a build says that run.ABI5 or another is undefined,
// an older generator made the file, so run go generate again.
const ABI6 = 6

// Args is the argument block of a kernel; generated stubs name it.
type Args = kernel.Args

// FixedArgs is the argument block of kernels for one shape; generated stubs name it.
type FixedArgs = kernel.FixedArgs

// BlocksArgs is the argument block of kernels that sum products of blocks; generated stubs name it.
type BlocksArgs = kernel.BlocksArgs

// Kernels is the set of kernels for one ISA; generated tables are of it.
type Kernels = kernel.Kernels

// MicroKernels, Packers and Triangles are the parts of Kernels that specs share.
type (
	MicroKernels = kernel.MicroKernels[kernel.Kernel]
	Packers      = kernel.Packers[kernel.Kernel]
	Triangles    = kernel.Triangles[kernel.Kernel]
)

// Tile is a kernel with the shape of its tile, and how it reads its operands; generated
// tables are of it.
type Tile = kernel.Tile[kernel.Kernel]

// The forms of micro-kernels.
const (
	Panel   = kernel.Panel
	Tail    = kernel.Tail
	Half    = kernel.Half
	Columns = kernel.Columns
	Axpy    = kernel.Axpy
	Dot     = kernel.Dot
	Join    = kernel.Join
)

// Kernel is the type of a stub.
type Kernel = kernel.Kernel

// VectorArgs is the argument block of a kernel for vectors, and VectorKernel the type of its
// stub; generated stubs name them.
type (
	VectorArgs   = kernel.VectorArgs
	VectorKernel = kernel.VectorKernel
)

// MoveArgs is the argument block of a kernel that moves elements, and MoveKernel the type of
// its stub; generated stubs name them.
type (
	MoveArgs   = kernel.MoveArgs
	MoveKernel = kernel.MoveKernel
)
