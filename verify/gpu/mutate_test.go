package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a kernel's text with one line changed.
type mutant struct {
	kind     string
	line     int // of the kernel
	was, now string
}

func (m mutant) String() string {
	now := m.now
	if now == "" {
		now = "nothing"
	}
	return fmt.Sprintf("%s: line %d: %s -> %s", m.kind, m.line, strings.TrimSpace(m.was), strings.TrimSpace(now))
}

// An instruction as the mutants take it apart: guard, name, operands.
var instruction = regexp.MustCompile(`^\t(@!?%p\d+ )?([a-z][\w.:]*) ?(.*);$`)

// A change is a way to break a line: what becomes of its guard, name and operands, or
// nothing if it does not apply.
type change struct {
	kind string
	of   func(guard, op string, args []string) []string // whole lines
}

func line(guard, op string, args []string) string {
	if len(args) == 0 {
		return "\t" + guard + op + ";"
	}
	return "\t" + guard + op + " " + strings.Join(args, ", ") + ";"
}

// with is args with number i replaced.
func with(args []string, i int, x string) []string {
	args = append([]string(nil), args...)
	args[i] = x
	return args
}

// renamed makes the change that names one thing otherwise.
func renamed(kind string, pairs ...string) change {
	return change{kind, func(guard, op string, args []string) (out []string) {
		for i := 0; i < len(pairs); i += 2 {
			if strings.Contains("."+op+".", pairs[i]) {
				now := strings.Trim(strings.Replace("."+op+".", pairs[i], pairs[i+1], 1), ".")
				out = append(out, line(guard, now, args))
			}
		}
		return out
	}}
}

var integer = regexp.MustCompile(`^-?\d+$`)
var offset = regexp.MustCompile(`^\[(.*?)(\+(\d+))?\]$`)

var changes = []change{
	{"removed", func(guard, op string, args []string) []string {
		switch op, _, _ = strings.Cut(op, "."); op {
		case "st", "red", "bar", "cp", "mma", "bra":
			return []string{""}
		}
		return nil
	}},
	{"guard", func(guard, op string, args []string) []string {
		if guard == "" {
			return nil
		}
		other := strings.Replace(guard, "@", "@!", 1)
		if guard[1] == '!' {
			other = "@" + guard[2:]
		}
		return []string{line("", op, args), line(other, op, args)}
	}},
	renamed("comparison", ".lt.", ".le.", ".le.", ".lt.", ".gt.", ".ge.", ".ge.", ".gt.", ".eq.", ".ne.", ".ne.", ".eq."),
	renamed("operation", ".add.", ".sub.", ".sub.", ".add.", ".and.", ".or.", ".or.", ".and.", ".xor.", ".or.", ".shl.", ".shr.", ".shr.", ".shl.", ".min.", ".max.", ".max.", ".min."),
	renamed("rounding", ".rn.", ".rz."),
	renamed("NaN", ".NaN.", ".", ".neu.", ".equ."),
	{"sign", func(guard, op string, args []string) []string {
		name, _, _ := strings.Cut(op, ".")
		switch {
		case strings.Contains(op, ".eq.") || strings.Contains(op, ".ne."), strings.HasPrefix(op, "mul.lo"), strings.HasPrefix(op, "mad.lo"):
			return nil // the same for both
		case !slices.Contains([]string{"setp", "min", "max", "shr", "div", "rem", "mul", "mad", "cvt"}, name):
			return nil
		}
		now := strings.NewReplacer(".s32", ".u32", ".s64", ".u64").Replace(op)
		return []string{line(guard, now, args)}
	}},
	renamed("lanes", ".trans.", ".", ".x4.shared.", ".x4.trans.shared.", ".bfly.", ".down."),
	{"operand", func(guard, op string, args []string) (out []string) {
		name, _, _ := strings.Cut(op, ".")
		switch name {
		case "sub", "setp", "selp", "shl", "shr", "div", "slct":
			if len(args) > 2 && args[1] != args[2] && strings.HasPrefix(args[2], "%") && strings.HasPrefix(args[1], "%") {
				out = append(out, line(guard, op, append([]string{args[0], args[2], args[1]}, args[3:]...)))
			}
		case "add", "mul", "mad", "fma", "min", "max", "and", "or", "xor":
			if len(args) > 2 && args[1] != args[2] {
				out = append(out, line(guard, op, with(args, 2, args[1])))
			}
			if len(args) > 3 && args[3] != args[1] && name == "fma" {
				out = append(out, line(guard, op, with(args, 3, args[1])))
			}
		}
		return out
	}},
	{"number", func(guard, op string, args []string) (out []string) {
		for i, a := range args {
			if i == 0 && !strings.HasPrefix(op, "cp.async.wait_group") || !integer.MatchString(a) || strings.HasPrefix(op, "cp.async.c") && i == 2 {
				continue
			}
			n, err := strconv.ParseInt(a, 10, 64)
			if err == nil && !strings.HasPrefix(op, "bar") {
				out = append(out, line(guard, op, with(args, i, strconv.FormatInt(n+1, 10))))
			}
		}
		return out
	}},
	{"address", func(guard, op string, args []string) (out []string) {
		step := 4
		switch {
		case strings.Contains(op, ".v4"), strings.HasPrefix(op, "ldmatrix"), strings.HasPrefix(op, "cp.async.cg"):
			step = 16
		case strings.Contains(op, "64"), strings.Contains(op, ".v2"):
			step = 8
		case strings.HasSuffix(op, "16"):
			step = 2
		}
		for i, a := range args {
			m := offset.FindStringSubmatch(a)
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[3])
			out = append(out, line(guard, op, with(args, i, fmt.Sprintf("[%s+%d]", m[1], n+step))))
		}
		return out
	}},
	{"special", func(guard, op string, args []string) (out []string) {
		for i, a := range args {
			for _, p := range [][2]string{{"%ctaid.z", "%ctaid.y"}, {"%ctaid.x", "%ctaid.z"}, {"%tid.x", "%laneid"}} {
				if a == p[0] {
					out = append(out, line(guard, op, with(args, i, p[1])))
				}
			}
		}
		return out
	}},
}

// mutants are all mutants of a kernel's text.
func mutants(text string) (list []mutant) {
	for i, l := range strings.Split(text, "\n") {
		m := instruction.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		args := split(m[3])
		for _, c := range changes {
			for _, now := range c.of(m[1], m[2], args) {
				if now != l {
					list = append(list, mutant{c.kind, i, l, now})
				}
			}
		}
	}
	return list
}

// split takes operands apart at commas that are not in braces.
func split(s string) (args []string) {
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if s = strings.TrimSpace(s[from:]); s != "" {
		args = append(args, s)
	}
	return args
}

// apply returns text with the mutant's line.
func (m mutant) apply(text string) string {
	lines := strings.Split(text, "\n")
	lines[m.line] = m.now
	return strings.Join(lines, "\n")
}
