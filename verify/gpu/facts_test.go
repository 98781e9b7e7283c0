package gpu

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// Facts are what the text of a kernel tells of its registers: reasons why a mutant is
// equivalent are held against them, so that each excuses the lines it is true of only.
type facts struct {
	code   []parsed // by line
	labels map[string]int
	defs   map[string][]int
	uses   map[string][]int
	// bits are those of a register that may be 1, and negative the registers that may be
	// below 0, as long as sizes and strides are not and nothing overflows.
	bits     map[string]uint64
	negative map[string]bool
}

// parsed is an instruction: its guard's register ("!%p1" if that is to be false) or "", its
// name and its operands. Lines that are none have no name.
type parsed struct {
	guard, op string
	args      []string
}

var register = regexp.MustCompile(`%[a-z]+\d+`)

// writes reports whether the first operand is written.
func (p parsed) writes() bool {
	name, _, _ := strings.Cut(p.op, ".")
	return len(p.args) > 0 && !slices.Contains([]string{"st", "bar", "cp", "bra", "red", "ret"}, name)
}

// parse takes a line apart.
func parse(l string) parsed {
	m := instruction.FindStringSubmatch(l)
	if m == nil {
		return parsed{}
	}
	return parsed{strings.TrimPrefix(strings.TrimSpace(m[1]), "@"), m[2], split(m[3])}
}

// label is the line of a label, or -1.
func (f *facts) label(name string) int {
	if i, ok := f.labels[name]; ok {
		return i
	}
	return -1
}

func newFacts(text string) *facts {
	f := &facts{labels: map[string]int{}, defs: map[string][]int{}, uses: map[string][]int{}, bits: map[string]uint64{}, negative: map[string]bool{}}
	threads := 1
	for i, l := range strings.Split(text, "\n") {
		fmt.Sscanf(l, ".maxntid %d,", &threads)
		p := parse(l)
		f.code = append(f.code, p)
		if name, ok := strings.CutSuffix(l, ":"); ok {
			f.labels[name] = i
		}
		for j, a := range append([]string{p.guard}, p.args...) {
			for _, r := range register.FindAllString(a, -1) {
				of := f.uses
				if j == 1 && p.writes() {
					of = f.defs
				}
				of[r] = append(of[r], i)
			}
		}
	}
	f.records()
	once := f.once()
	f.bits["%tid.x"] = ones(bits.Len(uint(threads - 1)))
	// Least and greatest fixed points: a register's bits grow, and what may be negative.
	for again := true; again; {
		again = false
		for i, p := range f.code {
			if !p.writes() || once[i] {
				continue
			}
			for _, r := range register.FindAllString(p.args[0], -1) {
				if x := f.bits[r] | f.bitsOf(p)&ones(width(r)); x != f.bits[r] {
					f.bits[r], again = x, true
				}
				if !f.negative[r] && f.mayBeNegative(p) {
					f.negative[r], again = true, true
				}
			}
		}
	}
	return f
}

// records makes of loads of what a record of a group has, but for addresses, the parameters
// that they are: what is known of those holds for these.
func (f *facts) records() {
	def := func(r string) parsed {
		if d := f.defs[r]; len(d) == 1 && len(f.code[d[0]].args) > 1 {
			return f.code[d[0]]
		}
		return parsed{args: []string{"", ""}}
	}
	names := map[int]string{param.RsA: "rsa", param.CsA: "csa", param.RsB: "rsb", param.CsB: "csb",
		param.M: "m", param.N: "n", param.K: "k", param.TM: "tm", param.TN: "tn"}
	for s := range kernel.MaxSlots {
		names[param.Slots+s*param.SlotSize+8] = fmt.Sprint("rs", s)
		names[param.Slots+s*param.SlotSize+16] = fmt.Sprint("cs", s)
	}
	for i, p := range f.code {
		if !strings.HasPrefix(p.op, "ld.global") {
			continue
		}
		at := offset.FindStringSubmatch(p.args[1])
		if at == nil || def(def(def(at[1]).args[1]).args[1]).args[1] != "[arg_records]" {
			continue
		}
		n, _ := strconv.Atoi(at[3])
		if name := names[n]; name != "" {
			f.code[i] = parsed{p.guard, "ld.param", []string{p.args[0], "[arg_" + name + "]"}}
		}
	}
}

// once are the lines that step the variable of a loop which is gone round once: in the loop
// it is what it begins with, and nobody asks for it afterwards.
func (f *facts) once() map[int]bool {
	lines := map[int]bool{}
	for r, d := range f.defs {
		if len(d) != 2 {
			continue
		}
		begin, step, test, back := f.code[d[0]], f.code[d[1]], f.code[d[1]+1], f.code[d[1]+2]
		if !strings.HasPrefix(begin.op, "mov.") || !strings.HasPrefix(step.op, "add.s") || step.args[1] != r ||
			!strings.HasPrefix(test.op, "setp.lt.s") || test.args[1] != r || back.op != "bra.uni" && back.op != "bra" || back.guard != test.args[0] {
			continue
		}
		var n [3]int64
		ok := step.guard == ""
		for i, a := range []string{begin.args[1], step.args[2], test.args[2]} {
			x, err := strconv.ParseInt(a, 10, 64)
			n[i], ok = x, ok && err == nil
		}
		top := f.label(back.args[0])
		inside := !slices.ContainsFunc(f.uses[r], func(u int) bool { return u < top || u > d[1]+1 })
		if ok && inside && d[0] < top && top < d[1] && n[0]+n[1] >= n[2] {
			lines[d[1]] = true
		}
	}
	return lines
}

// ones is a number of n bits that are 1.
func ones(n int) uint64 { return 1<<uint(n) - 1 }

func width(r string) int {
	switch {
	case strings.HasPrefix(r, "%rd"):
		return 64
	case strings.HasPrefix(r, "%h"):
		return 16
	}
	return 32
}

// may are the bits of an operand that may be 1.
func (f *facts) may(a string) uint64 {
	if n, err := strconv.ParseInt(a, 0, 64); err == nil { // 0xFFFF0000 too
		return uint64(n)
	}
	if register.MatchString(a) && a[0] != '{' || a == "%tid.x" {
		return f.bits[a]
	}
	return ^uint64(0)
}

// bitsOf are the bits of what p writes that may be 1, as far as is known of its operands.
func (f *facts) bitsOf(p parsed) uint64 {
	name, kind, _ := strings.Cut(p.op, ".")
	x := make([]uint64, 4)
	for i, a := range p.args[1:] {
		x[min(i, 3)] = f.may(a)
	}
	n, err := 0, error(nil)
	if len(p.args) > 2 {
		n, err = strconv.Atoi(p.args[2])
	}
	switch {
	case name == "mov" && len(p.args) == 2, p.op == "cvt.u64.u32", p.op == "cvt.u32.u64":
		return x[0]
	case name == "and":
		return x[0] & x[1]
	case name == "or", name == "xor", name == "selp":
		return x[0] | x[1]
	case name == "shl" && err == nil:
		return x[0] << uint(n)
	case name == "shr" && kind[0] == 'u' && err == nil:
		return x[0] >> uint(n)
	case name == "add" && x[0]&x[1] == 0:
		return x[0] | x[1]
	case name == "add":
		low := min(bits.TrailingZeros64(x[0]), bits.TrailingZeros64(x[1]))
		return ones(min(64, max(bits.Len64(x[0]), bits.Len64(x[1]))+1)) &^ ones(low)
	case name == "mul" && (x[0] == 0 || x[1] == 0):
		return 0
	case name == "mul":
		low := bits.TrailingZeros64(x[0]) + bits.TrailingZeros64(x[1])
		return ones(min(64, bits.Len64(x[0])+bits.Len64(x[1]))) &^ ones(min(64, low))
	}
	return ^uint64(0)
}

// counts are parameters of which there is at least one in a launch.
var counts = regexp.MustCompile(`^\[arg_(m|n|tm|tn|steps|span|all)\]$`)

// mayBeNegative reports whether p may write a number below 0.
func (f *facts) mayBeNegative(p parsed) bool {
	name, kind, _ := strings.Cut(p.op, ".")
	neg := func(i int) bool {
		n, err := strconv.ParseInt(p.args[i], 10, 64)
		return err == nil && n < 0 || f.negative[p.args[i]]
	}
	switch {
	case strings.HasPrefix(p.op, "ld.param"), p.op == "cvt.u64.u32", name == "shr" && kind[0] == 'u', name == "div" && kind[0] == 'u':
		return false
	case name == "and":
		return neg(1) && neg(2)
	case name == "max":
		return neg(1) && neg(2)
	case name == "mov" && len(p.args) == 2, name == "cvt":
		return neg(1)
	case name == "add", name == "mul", name == "min", name == "or", name == "xor", name == "selp", name == "shl":
		return neg(1) || neg(2)
	case name == "sub" && f.may(p.args[2]) == 0:
		return neg(1)
	case name == "sub" && p.args[2] == "1": // the last of what there is one of
		for _, d := range f.defs[p.args[1]] {
			q := f.code[d]
			if !strings.HasPrefix(q.op, "ld.param") || !counts.MatchString(q.args[1]) {
				return true
			}
		}
		return false
	}
	return true
}

// formula spells out what a line computes, down to parameters, variables of loops (by how they
// begin) and loads: as functions, sub(arg_k, shl(x, 5)), without types.
func (f *facts) formula(line int) string { return f.expand(f.code[line], map[string]bool{}, 7) }

func (f *facts) expand(p parsed, above map[string]bool, depth int) string {
	name, _, _ := strings.Cut(p.op, ".")
	var args []string
	from := 0
	if p.writes() {
		from = 1
	}
	for _, a := range p.args[from:] {
		if r := register.FindString(a); r != "" && r == a {
			a = f.value(r, above, depth-1)
		}
		args = append(args, strings.Trim(a, "[]"))
	}
	switch {
	case name == "bra" && p.guard != "":
		return "if " + f.value(strings.TrimPrefix(p.guard, "!"), above, depth-1)
	case len(args) == 1 && (name == "mov" || name == "cvt" || name == "cvta" || strings.HasPrefix(p.op, "ld.param")):
		return args[0]
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (f *facts) value(r string, above map[string]bool, depth int) string {
	d := f.defs[r]
	switch {
	case len(d) == 0 || above[r] || depth <= 0 || strings.HasPrefix(r, "%f"):
		return r[:2]
	case len(d) > 1:
		above[r] = true
		defer delete(above, r)
		return "var(" + f.expand(f.code[d[0]], above, depth) + ")"
	}
	return f.expand(f.code[d[0]], above, depth)
}

// before is the instruction before a line.
func (f *facts) before(line int) parsed {
	for line--; line > 0 && f.code[line].op == ""; line-- {
	}
	return f.code[line]
}

// isNaN reports that a predicate says whether a number is NaN.
func (f *facts) isNaN(r string) bool {
	for _, d := range f.defs[r] {
		if p := f.code[d]; !strings.HasPrefix(p.op, "setp.neu.f") || p.args[1] != p.args[2] {
			return false
		}
	}
	return len(f.defs[r]) > 0
}
