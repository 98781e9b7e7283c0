//go:build ignore

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

func main() {
	gen.Main(gen.Family{Name: "Rows", Targets: gemm.CPUTargets(), Block: "SparseArgs", Table: "RowKernels", Build: rows},
		gen.Family{Name: "Nests", Targets: gemm.CPUTargets(), Block: "NestArgs", Table: "NestKernels", Build: nests})
}

func rows(t emit.Target) (gen.Members, error) {
	fs, lists, err := lower.StockRows(emit.F32, t)
	m := gen.Members{Funcs: fs, Fields: []gen.Field{{Name: "VL", Value: strconv.Itoa(t.Lanes(emit.F32))}}}
	for _, l := range lists {
		m.Fields = append(m.Fields, gen.Field{Name: l.Field, Value: gen.List("SparseKernel", l.Names)})
	}
	return m, err
}

func nests(t emit.Target) (gen.Members, error) {
	fs, sets, err := lower.StockNests(emit.F32, t)
	var list strings.Builder
	for _, s := range sets {
		fmt.Fprintf(&list, "{Loops: %q, Full: %s, Tail: %s},\n", s.Loops, gen.List("NestKernel", s.Full), gen.List("NestKernel", s.Tail))
	}
	return gen.Members{Funcs: fs, Fields: []gen.Field{
		{Name: "VL", Value: strconv.Itoa(t.Lanes(emit.F32))},
		{Name: "Sets", Value: "[]run.NestSet{\n" + list.String() + "}"},
	}}, err
}
