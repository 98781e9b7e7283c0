package peer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// fixedShapes are multiples of a vector, odd ones, and such as are less than a vector.
var fixedShapes = []gemm.Shape{{M: 3, N: 3, K: 3}, {M: 8, N: 8, K: 8}, {M: 13, N: 13, K: 13}, {M: 16, N: 16, K: 16}, {M: 23, N: 23, K: 23},
	{M: 32, N: 32, K: 32}, {M: 6, N: 32, K: 10}, {M: 5, N: 3, K: 3}, {M: 1, N: 50, K: 9}}

// TestLLCFixed compares llc's code for products of fixed shapes with the interpreter.
func TestLLCFixed(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("compiles kernels with another compiler")
	}
	for _, target := range llctest.Targets() {
		t.Run("isa="+target.Name+"/type=f32", func(t *testing.T) {
			testLLCFixed[float32](t, target)
		})
		t.Run("isa="+target.Name+"/type=f64", func(t *testing.T) {
			testLLCFixed[float64](t, target)
		})
	}
}

func testLLCFixed[T dtype.Float](t *testing.T, target emit.Target) {
	var fs []*emit.Func
	for i, s := range fixedShapes {
		spec := gemm.Spec[T, T, T, T]{Name: fmt.Sprintf("Fixed%d", i), Shape: s}
		m, err := simd.Lower(spec.Describe(), target, simd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(m.Funcs, func(f *emit.Func) bool { return f.Name == m.Fixed })
		if at < 0 {
			t.Fatalf("there is no kernel for %v", s)
		}
		fs = append(fs, m.Funcs[at])
	}
	o := llctest.Compile(t, target, fs)
	for i, f := range fs {
		compareFixed[T](t, o, fixedShapes[i], f)
	}
	t.Logf("%d kernels agree, bit for bit", len(fs))
}

func compareFixed[T dtype.Float](t *testing.T, o *llctest.Opinion, s gemm.Shape, f *emit.Func) {
	r := rand.New(level.PCG(1, 2))
	const count = 2 // products, one after another
	size := int(unsafe.Sizeof(T(0)))
	for _, kind := range llctest.Kinds {
		a, b := llctest.Fill[T](r, kind.Some, count*s.M*s.K), llctest.Fill[T](r, kind.Some, count*s.K*s.N)
		have, want := make([]T, count*s.M*s.N), make([]T, count*s.M*s.N)
		strides := [3]int{s.M * s.N * size, s.M * s.K * size, s.K * s.N * size}
		o.Call(f.Name)(unsafe.Pointer(&kernel.FixedArgs{Out: unsafe.Pointer(&have[0]), A: unsafe.Pointer(&a[0]), B: unsafe.Pointer(&b[0]),
			Count: count, OutStride: int64(strides[0]), AStride: int64(strides[1]), BStride: int64(strides[2])}))
		out := emit.MemoryOf("out", emit.Generic, want)
		words := map[int]emit.Word{
			kernel.Offset[kernel.FixedArgs]("out"): emit.PtrTo(out, 0), kernel.Offset[kernel.FixedArgs]("a"): emit.PtrTo(emit.MemoryOf("a", emit.Generic, a), 0),
			kernel.Offset[kernel.FixedArgs]("b"): emit.PtrTo(emit.MemoryOf("b", emit.Generic, b), 0), kernel.Offset[kernel.FixedArgs]("count"): emit.IntWord(count),
			kernel.Offset[kernel.FixedArgs]("outstride"): emit.IntWord(int64(strides[0])), kernel.Offset[kernel.FixedArgs]("astride"): emit.IntWord(int64(strides[1])),
			kernel.Offset[kernel.FixedArgs]("bstride"): emit.IntWord(int64(strides[2])),
		}
		var machine emit.Machine
		for _, a := range f.Args {
			machine.Bind(a.Name, words[a.Offset])
		}
		if err := machine.Run(f); err != nil {
			t.Fatal(err)
		}
		out.Decode(want)
		if i := llctest.Differs(have, want); i >= 0 {
			t.Fatalf("%v, %v, %s numbers: element %d is %v by llc, %v by the interpreter", s, dtype.Of[T](), kind.Name, i, have[i], want[i])
		}
	}
}
