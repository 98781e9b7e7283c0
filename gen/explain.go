package gen

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Explanation says what to show about a generated function. Zero fields have defaults: the
// first target, every pass, and the epilogue. Without an epilogue it is the function with
// the most multiply-adds, which is the largest full tile of a product. Func may be the end
// of a name: "epi", "6x16".
type Explanation struct {
	Target, Pass, Func string
	// Machine is what predictions are for: "" is the reference machine, the same
	// everywhere; else it is a [machine.Machine] in JSON, one line of it.
	Machine string
}

// passAsm is what --pass calls the last step.
const passAsm = "asm"

// Env is the explanation as the value of [EnvExplain].
func (e Explanation) Env() string {
	return strings.Join([]string{e.Target, e.Pass, e.Func, e.Machine}, "\n")
}

func parseExplanation(s string) (Explanation, error) {
	p := strings.Split(s, "\n")
	if len(p) != 4 {
		return Explanation{}, fmt.Errorf("gen: %s holds %q, want target, pass, function and machine in four lines", EnvExplain, s)
	}
	return Explanation{p[0], p[1], p[2], p[3]}, nil
}

// A stage is one function of one target after one pass.
type stage struct{ pass, text string }

// history is how a function came about.
type history struct {
	target, name string
	bits         int // of the target's registers
	fmas         int
	threads      int // of a CTA, on a GPU
	shared       int // bytes of a CTA, on a GPU
	stages       []stage
	needs        string   // registers, the busiest loop, the length of the code
	epi          *applied // of an epilogue; else nil
}

// is reports whether name, or the end of the name after a target, means h. A GPU's target
// has no underscore in names.
func (h *history) is(name string) bool {
	return name != "" && (h.name == name || strings.HasSuffix(h.name, "_"+h.target+"_"+name) || strings.HasSuffix(h.name, "_"+strings.ReplaceAll(h.target, "_", "")+"_"+name))
}

// Print generates the specs in memory. It writes to w a summary, the IR of one function after
// each pass, its assembly and what that needs. For an epilogue it adds the cost and the error
// of its Go function. Unless you ask for a single pass, it also predicts how fast each kernel
// for the function's target is, and what limits it.
func (e Explanation) Print(w io.Writer, o Options, specs ...Spec) error {
	var all []*history
	bits := map[string]int{}
	for _, s := range specs {
		if s != nil { // Generate refuses it
			targets, err := TargetsOf(s)
			if err != nil {
				return err
			}
			for _, t := range targets {
				bits[t.Name] = t.Bits
			}
		}
	}
	o.Dump = func(target, pass string, f *emit.Func) {
		i := slices.IndexFunc(all, func(h *history) bool { return h.target == target && h.name == f.Name })
		if i < 0 {
			i = len(all)
			all = append(all, &history{target: target, name: f.Name, bits: bits[target]})
		}
		h := all[i]
		if e.Target != "" && e.Target != target {
			return // its text takes longer than making it
		}
		switch pass {
		case passGo:
			h.epi = appliedIn(f)
		case passLower:
			h.fmas = count(f, "fma") + mmaFMAs*(strings.Count(f.String(), "mma.sync")+strings.Count(f.String(), "mma.sp::"))
			h.threads, h.shared = f.Threads, f.Shared
		}
		h.stages = append(h.stages, stage{pass, f.String()})
	}
	funcs := newFunctions(o)
	files, err := generateAll(o, funcs, specs)
	if err != nil {
		return err
	}
	h, err := e.choose(all)
	if err != nil {
		return err
	}
	if e.Pass == passLLVM {
		return h.printLLVM(w)
	}
	h.stages = append(h.stages, stage{passAsm, assemblyOf(files, h.name)})
	tiles, err := h.tiles(specs)
	if err != nil {
		return err
	}
	h.needs = h.measured() + tiles
	x := expectation{funcs: funcs, files: files, target: h.target}
	if e.Pass == "" {
		if err := x.reckon(e.Machine, specs); err != nil {
			return err
		}
		long, err := sizesOf(files, h.kernel(specs), specs)
		if err != nil {
			return err
		}
		if err := summary(w, h, specs, all, sizeText(long), x.name(), x.lines); err != nil {
			return err
		}
		if err := explained(w, h.kernel(specs), &unit.Context{Package: o.Package, Translator: funcs}, specs); err != nil {
			return err
		}
	}
	if err := e.print(w, h); err != nil {
		return err
	}
	if h.epi != nil {
		if err := h.epi.print(w, funcs, h); err != nil {
			return err
		}
	}
	if e.Pass != "" {
		return nil
	}
	return x.print(w)
}

// explained is what the spec called name says of itself, if it does.
func explained(w io.Writer, name string, c *unit.Context, specs []Spec) error {
	for _, s := range specs {
		if x, ok := s.(unit.Explainer); ok && s.Kernel() == name {
			text, err := x.Explain(c)
			if err == nil {
				_, err = fmt.Fprintf(w, "== how %s is computed\n\n%s\n", name, text)
			}
			return err
		}
	}
	return nil
}

func count(f *emit.Func, op string) int {
	n := 0
	f.Body.Walk(func(o *emit.Op) {
		if o.Def != nil && o.Def.Name == op {
			n++
		}
	})
	return n
}

// choose finds the function that is meant.
func (e Explanation) choose(all []*history) (*history, error) {
	target := e.Target
	if target == "" && len(all) > 0 {
		target = all[0].target
		for _, h := range all {
			if h.is(e.Func) {
				target = h.target
				break
			}
		}
	}
	var best *history
	var targets, names []string
	for _, h := range all {
		if !slices.Contains(targets, h.target) {
			targets = append(targets, h.target)
		}
		if h.target != target {
			continue
		}
		names = append(names, h.name)
		if e.Func == "" && (best == nil || h.before(best)) || best == nil && h.is(e.Func) {
			best = h
		}
	}
	switch {
	case best != nil:
		return best, nil
	case names == nil:
		return nil, fmt.Errorf("no spec has the target %q; there is %s", target, strings.Join(targets, ", "))
	}
	// The spec's own name means its main kernel.
	for _, h := range all {
		if h.target == target && strings.HasPrefix(h.name, unit.Lower(e.Func)+"_") && (best == nil || h.before(best)) {
			best = h
		}
	}
	if best != nil {
		return best, nil
	}
	const shown = 8
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("and %d more", len(names)-shown))
	}
	return nil, fmt.Errorf("target %s has no function %q; there is %s", target, e.Func, strings.Join(names, ", "))
}

// before reports whether h is rather shown than g when nobody says which.
func (h *history) before(g *history) bool {
	if (h.epi != nil) != (g.epi != nil) {
		return h.epi != nil
	}
	if h.special() != g.special() {
		return !h.special()
	}
	return h.epi == nil && h.fmas > g.fmas
}

// special reports whether h is for products with few rows or columns, or for triangles.
func (h *history) special() bool {
	return slices.ContainsFunc([]string{"wide", "dot", "triangle", "solve"}, func(end string) bool { return strings.HasSuffix(h.name, end) })
}

func (e Explanation) print(w io.Writer, h *history) error {
	var passes []string
	shown := false
	for _, s := range h.stages {
		passes = append(passes, s.pass)
		if e.Pass != "" && e.Pass != s.pass {
			continue
		}
		shown = true
		title := "after " + s.pass
		if s.pass == passAsm {
			title = "assembly"
		}
		if _, err := fmt.Fprintf(w, "== %s, %s, %s\n\n%s\n", h.name, h.target, title, s.text); err != nil {
			return err
		}
	}
	if !shown {
		return fmt.Errorf("there is no pass %q; the passes are %s", e.Pass, strings.Join(passes, ", "))
	}
	_, err := fmt.Fprintf(w, "== %s, %s, what it needs\n\n%s", h.name, h.target, h.needs)
	return err
}

// measured says which registers the last text of h uses, what its busiest loop does, and
// how long it is.
func (h *history) measured() string {
	text := h.stages[len(h.stages)-1].text
	if strings.HasPrefix(text, ptxEntry[1:]) {
		return measurePTX(h, text)
	}
	arch := ""
	if isa := isaset.ByName(h.target); isa != nil {
		arch = isa.GOARCH
	}
	return measure(arch, text)
}

// assemblyOf cuts the function called name out of the generated assembly.
func assemblyOf(files []File, name string) string {
	text := "TEXT ·" + name + "(SB)"
	for _, f := range files {
		s := string(f.Data)
		i := strings.Index(s, text)
		if i < 0 {
			continue
		}
		s = s[i:]
		if end := strings.Index(s[1:], "\nTEXT ·"); end >= 0 {
			s = s[:end+1]
		}
		return s[:strings.LastIndex(s, "\tRET\n")+len("\tRET\n")]
	}
	return ptxOf(files, name)
}
