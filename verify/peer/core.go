package peer

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// levels are the instruction sets of amd64 that kernels are written for, each with all before it.
var levels = []string{"sse2", "avx", "avx2", "avx512"}

// coresOf lists, for each of levels, the cores that libraries name whose kernels use no more. They are those
// of OpenBLAS, in its driver/others/dynamic.c, of BLIS, in frame/base/bli_arch.c, and of libxsmm, in its
// libxsmm_cpuid.h.
var coresOf = map[string][]string{
	"sse2": {"generic", "katmai", "coppermine", "northwood", "prescott", "banias", "atom", "core2", "penryn", "dunnington", "nehalem",
		"athlon", "opteron", "opteron_sse3", "barcelona", "nano", "bobcat", "wsm"},
	"avx":    {"sandybridge", "bulldozer", "piledriver", "steamroller", "excavator", "snb"},
	"avx2":   {"haswell", "zen", "zen2", "zen3", "hsw"},
	"avx512": {"skylakex", "cooperlake", "sapphirerapids", "skx", "knl", "knm", "zen4", "zen5", "icl", "clx", "cpx", "spr", "gnr", "dmr"},
}

// isaOf is what the kernels for a core use, "" if the core is none that is known here.
func isaOf(core string) string {
	for _, isa := range levels {
		if slices.Contains(coresOf[isa], strings.ToLower(core)) {
			return isa
		}
	}
	return ""
}

// best is the last of levels that this machine has, "" if it has none of them.
func best() string {
	switch x := &cpu.X86; {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		return "avx512"
	case x.HasAVX2 && x.HasFMA:
		return "avx2"
	case x.HasAVX:
		return "avx"
	case x.HasSSE2:
		return "sse2"
	}
	return ""
}

// A setting is how a library is told which core to take the CPU for: a variable, and a core for each of levels.
type setting struct {
	variable string
	core     map[string]string
}

// olderCore is the Note of a library that chose kernels for an older core than this one. The core may be none that is known here.
func (s setting) olderCore(core string) string {
	have, want := isaOf(core), best()
	if slices.Index(levels, have) >= slices.Index(levels, want) && (have != "" || want == "") {
		return ""
	}
	runs := have + " code"
	if have == "" {
		runs = "code for that"
	}
	note := fmt.Sprintf("it took this CPU for %q and runs %s, where there is %s", core, runs, want)
	if to := s.core[want]; to != "" {
		note += fmt.Sprintf("; to have it use that, start with %s=%s", s.variable, to)
	}
	return note
}
