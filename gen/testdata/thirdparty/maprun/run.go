// Package maprun is the run time of maps: what packages generated from maps.Spec import.
package maprun

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// Args is the argument block of a kernel.
type Args struct {
	X, Out unsafe.Pointer
	N      int64
}

// Kernel is the type of an assembly stub.
type Kernel func(args *Args)

// Variant is the kernel for an instruction set.
type Variant struct {
	ISA string
	F   Kernel
}

// Op is a function of float32 that is applied to each element of a slice.
type Op struct {
	F        func(float32) float32
	Variants []Variant
}

// Run sets out[i] to F(x[i]). It panics if the lengths differ, or isa is neither "" nor
// one that there is.
func (o *Op) Run(isa string, out, x []float32) {
	if len(out) != len(x) {
		panic(fmt.Sprintf("maprun: out has %d elements, x has %d", len(out), len(x)))
	}
	for _, v := range o.Variants {
		if (isa == "" || isa == v.ISA) && slices.Contains(run.ISAs(), v.ISA) {
			v.F(&Args{unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(out)), int64(len(x))})
			return
		}
	}
	if isa != "" && isa != run.Portable {
		panic("maprun: there is no " + isa)
	}
	for i, v := range x {
		out[i] = o.F(v)
	}
}
