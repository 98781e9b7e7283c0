package gen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/device"
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

var ptxRegs = regexp.MustCompile(`(?m)^\t\.reg \.(\w+) %\w+<(\d+)>;$`)

// measurePTX says what a kernel asks of a GPU: what launches it, the values that it
// declares, which the driver's compiler puts into registers, and what its busiest loop
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
	if l := device.MainLoop(text); l.MMA+l.FMA > 0 {
		s += fmt.Sprintf("main loop  %d mma, %d fma, %d loads from shared memory, %d asynchronous copies, %d other instructions\n",
			l.MMA, l.FMA, l.Loads, l.Copies, l.Others)
	}
	return s
}
