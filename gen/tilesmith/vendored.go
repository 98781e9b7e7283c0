//go:build vendored

package main

// Spec files, and what is generated from them, import these too, which the command itself does not
// need. go mod vendor copies what a tool imports, and a spec file is not in the module's packages. It
// copies what a file imports whatever the tag, which no build sets: the command links none of them.
import (
	_ "github.com/tilesmith/tilesmith/cpu/kern/moves"
	_ "github.com/tilesmith/tilesmith/cpu/kern/products"
	_ "github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	_ "github.com/tilesmith/tilesmith/cpu/run/dense/fixed"
	_ "github.com/tilesmith/tilesmith/cpu/run/equation"
	_ "github.com/tilesmith/tilesmith/cpu/run/move"
	_ "github.com/tilesmith/tilesmith/cpu/run/spblas/triangle"
	_ "github.com/tilesmith/tilesmith/gemm/rand/lower"
	_ "github.com/tilesmith/tilesmith/gemm/tpp"
	_ "github.com/tilesmith/tilesmith/gemm/tpp/op"
	_ "github.com/tilesmith/tilesmith/layout/general"
	_ "github.com/tilesmith/tilesmith/layout/mesh"
	_ "github.com/tilesmith/tilesmith/sparse/aggregate"
	_ "github.com/tilesmith/tilesmith/sparse/files"
	_ "github.com/tilesmith/tilesmith/sparse/graph"
)
