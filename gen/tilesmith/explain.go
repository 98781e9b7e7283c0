package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// explain runs a spec program that prints one function pass by pass instead of
// writing files, of an epilogue what it costs, and how fast kernels should be.
func explain(args []string) error {
	var e gen.Explanation
	flags := newFlags("explain", "spec.go [--target avx512] [--pass NAME] [--func NAME] [--machine measured]")
	flags.StringVar(&e.Target, "target", "", "the target to show (default: the spec's first)")
	flags.StringVar(&e.Pass, "pass", "", "show the function after this pass only: go, lower, one of the backend's, asm, or llvm for LLVM IR")
	flags.StringVar(&e.Func, "func", "", "the function to show, or the end of its name, as in epi or 6x16\n(default: the first epilogue, else the one with the most multiply-adds)")
	flags.StringVar(&e.Machine, "machine", "", "what predictions are for: reference, which is the same everywhere, or measured, this one\n(default: reference)")
	if err := parse(flags, args, 1, "explain takes one spec file, as in: tilesmith explain spec.go"); err != nil {
		return err
	}
	switch e.Machine {
	case "", "reference":
	default:
		return usageError{fmt.Errorf("--machine %s: want reference or measured", e.Machine)}
	case "measured":
		var err error
		if e.Machine, err = measured(); err != nil {
			return err
		}
	}
	return startSpec(flags.Arg(0), gen.EnvExplain+"="+e.Env())
}

// measured is this machine as package gen reads it.
// It is measured here, since a spec program is also what generates the kernels that
// measuring takes.
const measuring = 3 * time.Second

func measured() (string, error) {
	text, err := json.Marshal(roof.Machine(measuring))
	return string(text), err
}
