package main

import (
	"github.com/tilesmith/tilesmith/gen"
)

// explain runs a spec program that prints one function pass by pass instead of
// writing files, and of an epilogue what it costs.
func explain(args []string) error {
	var e gen.Explanation
	flags := newFlags("explain", "spec.go [--target avx512] [--pass NAME] [--func NAME]")
	flags.StringVar(&e.Target, "target", "", "the target to show (default: the spec's first)")
	flags.StringVar(&e.Pass, "pass", "", "show the function after this pass only: go, lower, one of the backend's, or asm")
	flags.StringVar(&e.Func, "func", "", "the function to show, or the end of its name, as in epi or 6x16\n(default: the first epilogue, else the one with the most multiply-adds)")
	if err := parse(flags, args, 1, "explain takes one spec file, as in: tilesmith explain spec.go"); err != nil {
		return err
	}
	return startSpec(flags.Arg(0), gen.EnvExplain+"="+e.Env())
}
