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
	gen.Main(gen.Family{Name: "Kernels", Targets: gemm.CPUTargets(), Block: "SparseArgs", Table: "SampledKernels", Build: kernels})
}

func kernels(t emit.Target) (gen.Members, error) {
	fs, k, err := lower.Sampled{Name: "sddmm", Op: lower.NewSum(emit.F64)}.Lower(t)
	list := func(field string, names []string) gen.Field {
		return gen.Field{Name: field, Value: gen.List("SparseKernel", names)}
	}
	return gen.Members{Funcs: fs, Fields: []gen.Field{
		{Name: "VL", Value: strconv.Itoa(t.Lanes(emit.F64))},
		list("First", k.First), list("FirstTail", k.FirstTail),
		list("Near", k.Near), list("NearTail", k.NearTail), list("More", k.More), list("MoreTail", k.MoreTail),
		{Name: "Reduce", Value: k.Reduce}, {Name: "Weigh", Value: k.Weigh},
	}}, err
}
