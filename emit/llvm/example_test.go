package llvm_test

import (
	"fmt"
	"os"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/llvm"
)

// A function that doubles a float, as LLVM IR.
func Example() {
	f, err := emit.Build("double", []emit.Arg{{Name: "x", Type: emit.Ptr}}, func(b *emit.Builder) {
		at := emit.At(b.Param("x", emit.Ptr), 0)
		x := b.Load(emit.Scalar(emit.F32), at)
		b.Store(b.Add(x, x), at)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	backend := llvm.Backend{Opaque: true} // for llc 15 and later
	if err := emit.Run(f, backend.Passes(amd64.AVX2), nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := backend.Print(os.Stdout, amd64.AVX2, "; doubles\n", []*emit.Func{f}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ; doubles
	// define void @double(ptr %args) #0 {
	// entry:
	// 	%0 = getelementptr i8, ptr %args, i64 0
	// 	%1 = load ptr, ptr %0, align 1
	// 	%2 = load float, ptr %1, align 1
	// 	%3 = fadd float %2, %2
	// 	store float %3, ptr %1, align 1
	// 	ret void
	// }
	//
	// attributes #0 = { nounwind "prefer-vector-width"="256" "target-features"="+avx2,+fma,+f16c,+bmi,+bmi2" }
}
