package gpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gpu"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// A spec becomes a kernel for each way that a and b may lie in memory. A tile of
// one's own takes the place of the usual ones.
func Example() {
	spec := gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{
		Name: "MatMul", GPU: tiling.GPU{BM: 64, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 4},
	}
	m, err := gpu.Lower(spec.Describe(), ptx.SM80)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range m.Kernels {
		at, _, _ := m.Stage(k)
		fmt.Printf("%s: %d threads, %d bytes; a %v, b %v\n", k.Func.Name, k.Func.Threads, k.Func.Shared, at[0], at[1])
	}
	// Output:
	// matMul_sm80_kk16: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_kn16: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_mk16: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_mn16: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_kk16split: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_kn16split: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_mk16split: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_mn16split: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_kk4: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_kn4: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_mk4: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_mn4: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_kk4split: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_kn4split: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_mk4split: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<2,3,3> o (64,32):(32,1)
	// matMul_sm80_mn4split: 128 threads, 32768 bytes; a Sw<3,3,3> o (64,32):(1,64), b Sw<3,3,3> o (64,32):(1,64)
	// matMul_sm80_any: 128 threads, 32768 bytes; a Sw<2,3,3> o (64,32):(32,1), b Sw<2,3,3> o (64,32):(32,1)
}
