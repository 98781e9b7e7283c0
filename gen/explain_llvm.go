package gen

import (
	"fmt"
	"io"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/llvm"
)

// passLLVM is what --pass calls the function as LLVM IR, for reading, for other tools
// and for other processors. It is not shown when no pass is named, since it is not a step
// on the way to the assembly.
const passLLVM = "llvm"

// printLLVM writes the function, as it was lowered, as a file that llc takes.
func (h *history) printLLVM(w io.Writer) error {
	for _, s := range h.stages {
		if s.pass != passLower {
			continue
		}
		f, err := emit.Parse(s.text)
		if err != nil {
			return fmt.Errorf("%s does not read back, which is a bug in tilesmith: %w", h.name, err)
		}
		b, t := llvm.Backend{Opaque: true}, knownTarget(h.target)
		if err := emit.Run(f, b.Passes(t), nil); err != nil {
			return err
		}
		return b.Print(w, t, "; "+h.name+" for "+h.target+", LLVM 15 or newer\n", []*emit.Func{f})
	}
	return fmt.Errorf("%s was not lowered", h.name)
}

// knownTarget returns the target called name, or one that has nothing but the name.
func knownTarget(name string) emit.Target {
	for _, t := range Known() {
		if t.Name == name {
			return t
		}
	}
	return emit.Target{Name: name}
}
