package gen

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen/fn"
)

// applied is the Go function that an epilogue applies, to how many lanes, and the
// bits of a sum.
type applied struct {
	fn          any
	lanes, bits int
}

// appliedIn finds the function in an epilogue as it was lowered.
func appliedIn(f *emit.Func) *applied {
	var a *applied
	f.Body.Walk(func(op *emit.Op) {
		if op.Fn != nil {
			a = &applied{op.Fn.Fn, op.Results[0].Type.Lanes, op.Args[0].Type.Elem.Bits()}
		}
	})
	return a
}

// shareOf is the size of the square product that an epilogue is compared with.
const shareOf = 1024

// print says what the Go function is, what it costs and how exact it is.
func (a *applied) print(w io.Writer, funcs *functions, h *history) error {
	ref, err := fn.ValueOf(a.fn)
	if err != nil {
		return err
	}
	f, err := funcs.lookup(a.fn)
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s%s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "\n== %s, %s, the epilogue's function\n\n", h.name, h.target)
	line("function", "%s, %s", f.Name, placeOf(funcs.dir, ref))
	for _, p := range f.Promises() {
		line("range", "%s, says the spec; results for others are not specified", p)
	}
	line("lanes", "%d: the widest value inside is %v", a.lanes, f.Widest())
	line("operations", "%s", kinds(f.Cost()))

	code := codeOf(h.stages[len(h.stages)-1].text)
	kept, loaded := constantsOf(code.head), constantsOf(code.loop)
	line("constants", "%d kept in registers, %d loaded for every vector", kept, loaded)
	c := costOf(code.loop)
	line("cost", "%.1f cycles a vector, bound by %s; share of a product with n = %d: %.1f %%",
		c.cycles(), c.bound(), shareOf, 100*c.share(float64(a.lanes*a.bits)/float64(h.bits), shareOf))
	b.WriteString(modelText)
	fused := f.Contractions()
	for _, x := range contractionLines(fused) {
		line("fma", "%s", x)
	}
	exact := f.Accuracy()
	for _, x := range exact {
		line("accuracy", "%s", accuracyLine(x))
	}
	others := "every other operation"
	if len(exact) == 0 && !slices.ContainsFunc(fused, func(c fn.Contraction) bool { return c.Fused }) {
		others = "every operation"
	}
	line("accuracy", "%s is rounded by itself, as Go rounds it", others)
	for _, n := range f.Notes() {
		line("note", "%s", n)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// contractionLines say which products were fused into sums, a line of the source each, and
// which were not.
func contractionLines(list []fn.Contraction) []string {
	var lines []string
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j] == list[i] {
			j++
		}
		c, times := list[i], ""
		if j-i > 1 {
			times = fmt.Sprintf(" (%d times)", j-i)
		}
		if c.Fused {
			lines = append(lines, fmt.Sprintf("%s%s: a product and its sum are rounded once", c.Place, times))
		} else {
			lines = append(lines, fmt.Sprintf("%s%s: not fused, %s", c.Place, times, c.Why))
		}
		i = j
	}
	return lines
}

func accuracyLine(x fn.Call) string {
	times := ""
	if x.N > 1 {
		times = fmt.Sprintf(", used %d times", x.N)
	}
	return fmt.Sprintf("%s in %v is within %v ulp of the correctly rounded result, for every argument%s", x.Name, x.Type, x.ULP, times)
}

// placeOf says where a function stands, without what differs from machine to
// machine.
func placeOf(dir string, r fn.Ref) string {
	file := path.Join(r.Package, filepath.Base(r.File))
	if abs, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(abs, r.File); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return fmt.Sprintf("%s:%d", file, r.Line)
}

// kinds lists operations, the most frequent first. A bitcast is not an instruction.
func kinds(cost map[string]int) string {
	total := 0
	delete(cost, "bitcast")
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(cost), func(a, b string) int {
		return cmp.Or(cmp.Compare(cost[b], cost[a]), cmp.Compare(a, b))
	}) {
		total += cost[name]
		parts = append(parts, fmt.Sprintf("%d %s", cost[name], name))
	}
	if parts == nil {
		return "none: the sum is stored as it is"
	}
	return fmt.Sprintf("%d a vector: %s", total, strings.Join(parts, ", "))
}
