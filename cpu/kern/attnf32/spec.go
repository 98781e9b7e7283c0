//go:build ignore

package main

import (
	"strconv"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

func main() {
	gen.Main(gen.Family{Name: "Kernels", Targets: gemm.CPUTargets(), Block: "SparseArgs", Table: "AttentionKernels", Build: kernels})
}

func kernels(t emit.Target) (gen.Members, error) {
	fs, k, err := lower.Attention{Name: "attention", Elem: emit.F32}.Lower(t)
	return gen.Members{Funcs: fs, Fields: []gen.Field{
		{Name: "VL", Value: strconv.Itoa(t.Lanes(emit.F32))},
		{Name: "Shift", Value: k.Shift}, {Name: "Exp", Value: k.Exp}, {Name: "Fence", Value: k.Fence},
		{Name: "Attend", Value: gen.List("SparseKernel", k.Attend)}, {Name: "Tail", Value: gen.List("SparseKernel", k.Tail)},
	}}, err
}
