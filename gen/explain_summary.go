package gen

import (
	"fmt"
	"io"
	"strings"
)

// summary is what to know first: which function is shown, what it runs on and needs, how
// fast its kernel should be and what binds it. rows are those of an expectation, all are the
// functions of the specs, and long is how much assembly the spec has.
func summary(w io.Writer, h *history, specs []Spec, all []*history, long, machine string, rows []string) error {
	var b strings.Builder
	name := h.kernel(specs)
	fmt.Fprintf(&b, "== %s, %s, in short\n\n", name, h.target)
	kind := "one of its kernels"
	if h.epi != nil {
		kind = "its epilogue"
	}
	others := 0
	for _, g := range all {
		if g.target == h.target && g != h {
			others++
		}
	}
	fmt.Fprintf(&b, "function   %s, %s; --func shows one of %d others\n", h.name, kind, others)
	if h.bits > 0 {
		fmt.Fprintf(&b, "ISA        %s, vector registers of %d bits\n", h.target, h.bits)
	} else {
		fmt.Fprintf(&b, "ISA        %s\n", h.target)
	}
	first, _, _ := strings.Cut(h.needs, "\n")
	b.WriteString(first + "\n")
	if long != "" {
		fmt.Fprintf(&b, "size       %s\n", long)
	}
	head := "predicted "
	for _, row := range rows {
		if speed, ok := strings.CutPrefix(row, name+" "); ok {
			fmt.Fprintf(&b, "%s %s", head, expectedShort(speed))
			head = "          "
		}
	}
	if machine != "" && head != "predicted " {
		fmt.Fprintf(&b, "           on one core of %s; the ceiling is multiply-adds from registers\n", machine)
	}
	b.WriteString("below      the function after each pass, its assembly, and how all this is computed\n\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// expectedShort is a row of the table of predictions, without the name and with units.
func expectedShort(row string) string {
	shape, rest, _ := strings.Cut(strings.TrimSpace(row), "  ")
	f := strings.Fields(rest)
	if len(f) < 4 {
		return row
	}
	if f[1] == "us" {
		return fmt.Sprintf("%-20s %8s us, bound by %s\n", shape, f[0], strings.Join(f[2:], " "))
	}
	bound, parts, _ := strings.Cut(strings.Join(f[3:], " "), ": ")
	return fmt.Sprintf("%-20s %8s GFLOP/s, %3s %% of the ceiling, bound by %s (%s)\n", shape, f[0], f[1], bound, parts)
}

// kernel is the name of the spec that h came of.
func (h *history) kernel(specs []Spec) string {
	if best := kernelOf(h.name, specs); best != "" {
		return best
	}
	return specs[0].Kernel() // shared by all
}
