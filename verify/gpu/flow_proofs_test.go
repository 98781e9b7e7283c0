package gpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// synchronous reports that there is no asynchronous copy in a kernel.
func synchronous(f *facts, _ int, _, _ parsed) bool {
	return !slices.ContainsFunc(f.code, func(p parsed) bool {
		return strings.HasPrefix(p.op, "cp.async.ca") || strings.HasPrefix(p.op, "cp.async.cg")
	})
}

// byWords reports that a line asks whether a chunk is there as a whole, to copy it in one go,
// or goes to where that is not so, and that there the words of it that there are are copied
// one by one, from and to the same places.
func byWords(f *facts, line int, p, q parsed) bool {
	if q.op != p.op || q.guard != "" {
		return false
	}
	for strings.HasPrefix(p.op, "setp.eq") {
		line++
		if next := f.code[line]; next.guard != "!"+p.args[0] {
			return false
		}
		p = f.code[line]
	}
	d := f.defs[strings.TrimPrefix(p.guard, "!")]
	if !strings.HasPrefix(p.op, "bra") || len(d) != 1 || p.guard[0] != '!' {
		return false
	}
	all := f.code[d[0]]
	count, size := all.args[1], all.args[2]
	var copies []string
	for line++; f.code[line].op != "bra.uni"; line++ {
		c := f.code[line]
		switch {
		case strings.HasPrefix(c.op, "cp.async.c"):
			d := f.defs[c.args[3]]
			if c.args[2] != size || len(d) != 1 || f.code[d[0]].op != "mov.b32" || f.code[d[0]].args[1] != size {
				return false
			}
			copies = append(copies, f.place(c.args[0])+" "+f.place(c.args[1]))
		case c.op != "" && !strings.HasPrefix(c.op, "mov.b32"):
			return false
		}
	}
	after := f.label(f.code[line].args[0])
	n, err := strconv.Atoi(size)
	if at := f.label(p.args[0]); err != nil || len(copies) != 1 || at < line || after < at {
		return false
	}
	guards, loads := map[string]int{}, map[string]string{}
	words := 0
	for line++; line < after; line++ {
		switch c := f.code[line]; {
		case strings.HasPrefix(c.op, "setp.lt.s32"):
			least, err := strconv.Atoi(c.args[1])
			if err != nil || c.args[2] != count {
				return false
			}
			guards[c.args[0]] = least
		case c.op == "ld.global.b32":
			least, ok := guards[c.guard]
			if !ok || least > 4*words {
				return false
			}
			loads[c.args[0]] = c.args[1]
		case c.op == "st.shared.b32":
			from, ok := loads[c.args[1]]
			to, src, _ := strings.Cut(copies[0], " ")
			if !ok || shifted4(f.place(c.args[0]), words) != to || shifted4(f.place(from), words) != src {
				return false
			}
			words++
		case c.op != "" && !strings.HasPrefix(c.op, "mov.b32"):
			return false
		}
	}
	return 4*words == n
}

// place is an address: a register that is no sum with a number, and that number.
func (f *facts) place(a string) string {
	m := offset.FindStringSubmatch(a)
	n, _ := strconv.Atoi(m[3])
	r := m[1]
	for {
		d := f.defs[r]
		if len(d) != 1 || !strings.HasPrefix(f.code[d[0]].op, "add.") {
			return fmt.Sprintf("%s+%d", r, n)
		}
		k, err := strconv.Atoi(f.code[d[0]].args[2])
		if err != nil {
			return fmt.Sprintf("%s+%d", r, n)
		}
		r, n = f.code[d[0]].args[1], n+k
	}
}

// shifted4 is the place so many words before another.
func shifted4(place string, words int) string {
	r, n, _ := strings.Cut(place, "+")
	k, _ := strconv.Atoi(n)
	return fmt.Sprintf("%s+%d", r, k-4*words)
}
