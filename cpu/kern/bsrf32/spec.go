//go:build ignore

package main

import (
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

func main() {
	gen.Main(gen.Family{Name: "Kernels", Targets: gemm.CPUTargets(), Block: "SparseArgs", Table: "BlockKernels", Build: kernels})
}

func kernels(t emit.Target) (gen.Members, error) {
	fs, k, err := lower.Blocks{Name: "blocks", Elem: emit.F32}.Lower(t)
	return gen.Members{Funcs: fs, Fields: []gen.Field{
		{Name: "MR", Value: strconv.Itoa(k.Tile.MR)}, {Name: "NV", Value: strconv.Itoa(k.Tile.NV)},
		{Name: "VL", Value: strconv.Itoa(t.Lanes(emit.F32))},
		{Name: "Full", Value: table(k.Full)}, {Name: "Tail", Value: table(k.Tail)},
		{Name: "Pack", Value: gen.List("SparseKernel", k.Pack)},
	}}, err
}

// table is the Go expression for rows of kernels.
func table(rows [][]string) string {
	var b strings.Builder
	b.WriteString("[][]run.SparseKernel{\n")
	for _, names := range rows {
		b.WriteString("{" + strings.Join(names, ", ") + "},\n")
	}
	return b.String() + "}"
}
