//go:build ignore

package main

import (
	"strconv"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/tiling"
)

func main() {
	gen.Main(gen.Family{Name: "Kernels", Targets: gemm.CPUTargets(), Block: "SparseArgs", Table: "PrunedKernels", Build: kernels})
}

func kernels(t emit.Target) (gen.Members, error) {
	lanes := t.Lanes(emit.F32)
	fs, k, err := lower.Pruned{Name: "pruned", Elem: emit.F32, Vectors: tiling.PrunedPitch / (t.Bits / 8)}.Lower(t)
	list := func(field string, names []string) gen.Field {
		return gen.Field{Name: field, Value: gen.List("SparseKernel", names)}
	}
	return gen.Members{Funcs: fs, Fields: []gen.Field{
		{Name: "VL", Value: strconv.Itoa(lanes)}, list("Full", k.Full), list("Tail", k.Tail), list("Pack", k.Pack),
	}}, err
}
