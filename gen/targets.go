package gen

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
)

// Values for the Targets of a spec: with nil it is CPU. The text for a GPU is for the
// oldest that has the instructions, and every later one's driver compiles it for
// itself.
var (
	CPU = emit.Targets(gemm.CPUTargets())
	GPU = emit.Targets{ptx.SM80}
	All = slices.Concat(CPU, GPU)
)

// Known returns all targets, CPUs first, the best of each kind first: the order that
// generated code tries them in.
func Known() emit.Targets {
	gpus := ptx.Targets()
	slices.Reverse(gpus)
	return slices.Concat(amd64.Targets(), arm64.Targets(), gpus)
}
