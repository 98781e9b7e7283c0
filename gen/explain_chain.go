package gen

import (
	"regexp"
	"strings"
)

// latencies are cycles until a result can be used, by the first pattern that a
// mnemonic matches; the rest takes 1. They are typical of recent cores, Zen 5 above
// all, and not measured: one core or another differs by a cycle or two.
var latencies = []struct {
	name   *regexp.Regexp
	cycles float64
}{
	{regexp.MustCompile(`^VFN?M(ADD|SUB)`), 4},
	{regexp.MustCompile(`^V(ADD|SUB|MUL)[PS]`), 3},
	{regexp.MustCompile(`^V(MAX|MIN)[PS]`), 2},
	{regexp.MustCompile(`^VDIV.D`), 13},
	{regexp.MustCompile(`^VDIV`), 11},
	{regexp.MustCompile(`^VSQRT.D`), 21},
	{regexp.MustCompile(`^VSQRT`), 15},
	{regexp.MustCompile(`^VCMP|^VPCMP.*Q?`), 5}, // into a mask
	{regexp.MustCompile(`^VCVT|^VRND|^VSCALEF|^VGETEXP|^VPMUL`), 4},
	{regexp.MustCompile(`^VPERM|^VEXTRACT|^VINSERT|^VSHUF[FI]|^VPMOV`), 4},
}

// loadCycles is the latency of a vector in L1.
const loadCycles = 7

var (
	vectorName = regexp.MustCompile(`^[XYZ](\d+)$`)
	maskName   = regexp.MustCompile(`^K\d$`)
	// An operation of a register and itself whose result does not depend on it.
	zeroing = regexp.MustCompile(`^VP?XOR`)
)

// chainOf returns the cycles of the longest chain of vector instructions in which each
// waits for the one before, for one turn of a loop. The results of the turn before are
// there.
func chainOf(lines []string) float64 {
	ready, longest := map[string]float64{}, 0.0
	for _, l := range lines {
		name, args, _ := strings.Cut(strings.TrimSpace(l), " ")
		name, _, _ = strings.Cut(name, ".")
		if !strings.HasPrefix(name, "V") && !strings.HasPrefix(name, "K") {
			continue
		}
		operands := strings.Split(args, ",")
		at := 0.0
		var regs []string
		for i := range operands {
			r := strings.TrimSpace(operands[i])
			if m := vectorName.FindStringSubmatch(r); m != nil {
				r = "v" + m[1]
			} else if !maskName.MatchString(r) {
				if i < len(operands)-1 && strings.Contains(r, "(") && !strings.Contains(r, "SB") {
					at = max(at, loadCycles)
				}
				r = ""
			}
			regs = append(regs, r)
		}
		to := regs[len(regs)-1]
		sources := regs[:len(regs)-1]
		if strings.HasPrefix(name, "VFM") || strings.HasPrefix(name, "VFN") || strings.HasPrefix(name, "VPTERN") {
			sources = regs // the destination is a term
		}
		if len(sources) == 2 && sources[0] == sources[1] && sources[0] != "" && zeroing.MatchString(name) {
			sources = nil
		}
		for _, s := range sources {
			at = max(at, ready[s])
		}
		cycles := 1.0
		if len(sources) == 1 && sources[0] == "" { // a load, which is counted above
			cycles = 0
		}
		for _, x := range latencies {
			if x.name.MatchString(name) {
				cycles = x.cycles
				break
			}
		}
		at += cycles
		if to != "" {
			ready[to] = at
		}
		longest = max(longest, at)
	}
	return longest
}
