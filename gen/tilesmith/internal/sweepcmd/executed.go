package sweepcmd

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// A hardware is the machine that executed kernels.
type hardware struct {
	goos, goarch string
	core         string // what its data are called
	cpu          machine.CPU
	has          []string // instruction sets
}

// thisHardware asks the machine itself, and not the file that TILESMITH_MACHINE names.
func thisHardware() hardware {
	return hardware{runtime.GOOS, runtime.GOARCH, machine.Data().Name, machine.ThisCPU(), run.ISAs()}
}

// executed is the line to report of a machine whose kernels no hardware ran before they were
// released: for which instruction sets it executed kernels, how many, what it has besides, and which processor
// it is. It is "" on other architectures than arm64, and where no assembly ran.
func executed(h hardware, verdicts []sweep.Verdict) string {
	if h.goarch != "arm64" {
		return ""
	}
	var names []string
	variants, wrong := 0, 0
	for _, v := range verdicts {
		isa := isaset.ByName(v.ISA)
		if isa == nil || isa.GOARCH != h.goarch || v.Skipped != "" {
			continue
		}
		if variants++; !v.Good() {
			wrong++
		}
		if !slices.Contains(names, isa.Name) {
			names = append(names, isa.Name)
		}
	}
	if variants == 0 {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(h.has), func(isa string) bool { return isa == run.Portable || slices.Contains(names, isa) })
	besides := ""
	if len(others) > 0 {
		besides = ", which also has " + strings.Join(others, " ")
	}
	return fmt.Sprintf("first run on hardware: %s, %d variants, %d wrong, on %s (%v, %s/%s)%s; please report this line: docs/arm64.md",
		strings.Join(names, " "), variants, wrong, h.core, h.cpu, h.goos, h.goarch, besides)
}
