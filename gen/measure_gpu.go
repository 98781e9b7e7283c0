package gen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tilesmith/tilesmith/tiling"
)

// ptxEntry begins a kernel in generated PTX, ptxEnd ends it.
const (
	ptxEntry = "\n.visible .entry "
	ptxEnd   = "\n}\n"
)

// mmaFMAs is how many multiply-adds one mma.sync of 16 x 8 x 16 is for each lane.
const mmaFMAs = 16 * 8 * 16 / 32

// ptxOf cuts the kernel called name out of generated PTX, "" if it is not there.
func ptxOf(files []File, name string) string {
	for _, f := range files {
		s := string(f.Data)
		if i := strings.Index(s, ptxEntry+name+"("); i >= 0 {
			s = s[i+1:]
			return s[:strings.Index(s, ptxEnd)+len(ptxEnd)]
		}
	}
	return ""
}

var (
	ptxRegs   = regexp.MustCompile(`(?m)^\t\.reg \.(\w+) %\w+<(\d+)>;$`)
	ptxLabel  = regexp.MustCompile(`^(\$\w+):`)
	ptxBranch = regexp.MustCompile(`^\t(?:@!?%p\d+ )?bra(?:\.uni)? (\$\w+);$`)
)

// measurePTX says what a kernel asks of a GPU: what launches it, the values that it
// declares, of which the driver's compiler makes registers, and what its busiest loop
// does.
func measurePTX(h *history, text string) string {
	var b strings.Builder
	if h.threads > 0 {
		fmt.Fprintf(&b, "threads    %d a CTA, %d warps\n", h.threads, h.threads/32)
	}
	if most := tiling.GPUTargets[h.target].Shared; h.shared > 0 && most > 0 {
		fmt.Fprintf(&b, "shared     %d bytes a CTA of at most %d; CTAs an SM by that: %d\n", h.shared, most, (most+1024)/(h.shared+1024))
	}
	b.WriteString("values    ")
	for _, m := range ptxRegs.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, " %s %s,", m[2], m[1])
	}
	s := strings.TrimSuffix(b.String(), ",") + "\n"
	if l := busiestPTX(text); l.mma+l.fma > 0 {
		s += fmt.Sprintf("main loop  %d mma, %d fma, %d loads from shared memory, %d asynchronous copies, %d other instructions\n",
			l.mma, l.fma, l.loads, l.copies, l.others)
	}
	return s
}

// ptxMix counts the instructions of a loop.
type ptxMix struct{ mma, fma, loads, copies, others int }

// busiestPTX returns the loop without another in it that has the most products.
func busiestPTX(text string) (best ptxMix) {
	at := map[string]int{}
	lines := strings.Split(text, "\n")
	last := -1 // line of the last jump back
	for i, l := range lines {
		if m := ptxLabel.FindStringSubmatch(l); m != nil {
			at[m[1]] = i
		}
		m := ptxBranch.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if from, ok := at[m[1]]; ok {
			if x := ptxMixOf(lines[from+1 : i]); last < from && x.mma+x.fma > best.mma+best.fma {
				best = x
			}
			last = i
		}
	}
	return best
}

func ptxMixOf(lines []string) (m ptxMix) {
	for _, l := range lines {
		f := strings.Fields(l)
		if len(f) > 0 && strings.HasPrefix(f[0], "@") {
			f = f[1:]
		}
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "//") || strings.HasPrefix(f[0], "$"):
		case strings.HasPrefix(f[0], "mma."):
			m.mma++
		case strings.HasPrefix(f[0], "fma."):
			m.fma++
		case strings.HasPrefix(f[0], "ldmatrix."), strings.HasPrefix(f[0], "ld.shared"):
			m.loads++
		case strings.HasPrefix(f[0], "cp.async.c"):
			m.copies++
		default:
			m.others++
		}
	}
	return m
}
