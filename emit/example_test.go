package emit_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/emit"
)

// A function is built, printed, and executed: its meaning does not depend on any
// machine.
func Example() {
	args := []emit.Arg{
		{Name: "x", Type: emit.Ptr, Offset: 0},
		{Name: "y", Type: emit.Ptr, Offset: 8},
		{Name: "scale", Type: emit.Scalar(emit.F32), Offset: 16},
	}
	f, err := emit.Build("axpy4", args, func(b *emit.Builder) {
		v := emit.Vector(emit.F32, 4)
		x := b.Load(v, emit.At(b.Param("x", emit.Ptr), 0))
		at := emit.At(b.Param("y", emit.Ptr), 0)
		b.Store(b.FMA(b.Load(v, at), x, b.Param("scale", v)), at)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(f)

	y := emit.MemoryOf("y", emit.Generic, []float32{10, 20, 30, 40})
	var m emit.Machine
	m.Bind("x", emit.PtrTo(emit.MemoryOf("x", emit.Generic, []float32{1, 2, 3, 4}), 0))
	m.Bind("y", emit.PtrTo(y, 0))
	m.Bind("scale", emit.F32Word(0.5))
	if err := m.Run(f); err != nil {
		log.Fatal(err)
	}
	got := make([]float32, 4)
	y.Decode(got)
	fmt.Println(got)
	// Output:
	// func @axpy4(x: ptr @0, y: ptr @8, scale: f32 @16) {
	//   %0 = param {name="x"} : ptr
	//   %1 = load %0 : f32x4
	//   %2 = param {name="y"} : ptr
	//   %3 = load %2 : f32x4
	//   %4 = param {name="scale"} : f32x4
	//   %5 = fma %3, %1, %4 : f32x4
	//   store %5, %2
	// }
	// [10.5 21 31.5 42]
}
