package fn_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/fn"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

// A Go function becomes IR for four lanes: the branch is a select, the product is
// fused where the function leaves that open.
func Example() {
	p, err := fn.Load(".", "./testdata/fntest")
	if err != nil {
		log.Fatal(err)
	}
	ref, err := fn.ValueOf(fntest.Lines)
	if err != nil {
		log.Fatal(err)
	}
	lines, err := p.Lookup(ref)
	if err != nil {
		log.Fatal(err)
	}
	ref, err = fn.Named("fntest.Leaky", fn.Float32) // or by name, as a command gets it
	if err != nil {
		log.Fatal(err)
	}
	leaky, err := p.Lookup(ref)
	if err != nil {
		log.Fatal(err)
	}

	f, err := emit.Build("k", []emit.Arg{{Name: "x", Type: emit.Ptr}}, func(b *emit.Builder) {
		at := emit.At(b.Param("x", emit.Ptr), 0)
		v := []*emit.Value{b.Load(emit.Vector(lines.Widest(), 4), at)}
		for _, f := range []*fn.Func{lines, leaky} {
			if v, err = f.Emit(b, 4, v); err != nil {
				b.Refuse("%v", err)
			}
		}
		b.Store(v[0], at)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(f)
	// Output:
	// func @k(x: ptr @0) {
	//   %0 = param {name="x"} : ptr
	//   %1 = load %0 : f32x4
	//   %2 = const {f=-1} : f32x4
	//   %3 = const {f=3} : f32x4
	//   %4 = fma %2, %1, %3 : f32x4
	//   %5 = const : f32x4
	//   %6 = cmp %4, %5 {name="gt"} : i1x4
	//   %7 = const {f=0.009999999776482582} : f32x4
	//   %8 = mul %4, %7 : f32x4
	//   %9 = select %6, %4, %8 : f32x4
	//   store %9, %0
	// }
}
