package tiling

import (
	"fmt"
	"unsafe"
)

// NestAxes is how many axes a format may have for which kernels are generated.
const NestAxes = 4

// NestArgs is the argument block of a kernel for a matrix in some format: the
// arrays of its axes, outermost first, and what [SparseArgs] has. The kernel does
// positions From to To-1 of the outermost axis, or rows where that axis is not the
// outermost loop. Every coordinate it makes is checked against Rows and Cols where
// the format may go beyond them.
type NestArgs struct {
	Levels              [NestAxes]NestLevel
	Values, Mask, Order unsafe.Pointer
	B, C                unsafe.Pointer
	LdB, LdC            int64
	From, To            int64
	N                   int64
	Rows, Cols          int64
	// Ahead is how many positions of axis j behind the present one the index is whose
	// row of B is fetched early, and Last the last position there is.
	Ahead, Last int64
	Mode        int64
	Alpha, Beta uint64
}

// NestLevel is what one axis owns.
type NestLevel struct {
	Pointers, Indices unsafe.Pointer // int32
	Size              int64
}

// NestFields lists the fields of [NestArgs] in order: those of axis k are
// pointersK, indicesK and sizeK.
func NestFields() []Field {
	var a NestArgs
	var fields []Field
	for k := range NestAxes {
		base := int(unsafe.Offsetof(a.Levels)) + k*int(unsafe.Sizeof(NestLevel{}))
		var l NestLevel
		fields = append(fields,
			Field{fmt.Sprintf("pointers%d", k), base + int(unsafe.Offsetof(l.Pointers)), true, false},
			Field{fmt.Sprintf("indices%d", k), base + int(unsafe.Offsetof(l.Indices)), true, false},
			Field{fmt.Sprintf("size%d", k), base + int(unsafe.Offsetof(l.Size)), false, false})
	}
	return append(fields, []Field{
		{"values", int(unsafe.Offsetof(a.Values)), true, false}, {"mask", int(unsafe.Offsetof(a.Mask)), true, false},
		{"order", int(unsafe.Offsetof(a.Order)), true, false},
		{"b", int(unsafe.Offsetof(a.B)), true, false}, {"c", int(unsafe.Offsetof(a.C)), true, false},
		{"ldb", int(unsafe.Offsetof(a.LdB)), false, false}, {"ldc", int(unsafe.Offsetof(a.LdC)), false, false},
		{"from", int(unsafe.Offsetof(a.From)), false, false}, {"to", int(unsafe.Offsetof(a.To)), false, false},
		{"n", int(unsafe.Offsetof(a.N)), false, false},
		{"rows", int(unsafe.Offsetof(a.Rows)), false, false}, {"cols", int(unsafe.Offsetof(a.Cols)), false, false},
		{"ahead", int(unsafe.Offsetof(a.Ahead)), false, false}, {"last", int(unsafe.Offsetof(a.Last)), false, false},
		{"mode", int(unsafe.Offsetof(a.Mode)), false, false},
		{"alpha", int(unsafe.Offsetof(a.Alpha)), false, true}, {"beta", int(unsafe.Offsetof(a.Beta)), false, true},
	}...)
}

// NestKernel is the type of an assembly stub.
type NestKernel func(args *NestArgs)

// NestKernels is one ISA's kernels for formats, by the loops that they are.
type NestKernels struct {
	ISA  string
	VL   int
	Sets []NestSet
}

// NestSet is the kernels of one kind of loops: Full[nv-1] for nv whole vectors of
// columns, Tail with N lanes in the last.
type NestSet struct {
	Loops      string // as sparse.Loops spells them
	Full, Tail []NestKernel
}
