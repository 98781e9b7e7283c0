package gpu

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Proofs that a changed line does the same, by what is known of the registers: for line p of
// the text and q that it was changed to.

// never reports that neither operand is below 0.
func never(f *facts, _ int, p, _ parsed) bool {
	for _, a := range p.args[1:3] {
		if n, err := strconv.ParseInt(a, 10, 64); err == nil && n < 0 || f.negative[a] {
			return false
		}
	}
	return true
}

// forward reports that a line branches to one behind it.
func forward(f *facts, line int, p, _ parsed) bool { return f.label(p.args[0]) > line }

// nothing reports that the second operand is 0.
func nothing(f *facts, _ int, p, _ parsed) bool { return f.may(p.args[2]) == 0 }

// twice reports that the first operand is the second, added to 0, and that it is added to itself instead.
func twice(f *facts, _ int, p, q parsed) bool {
	d := f.defs[p.args[1]]
	if len(d) != 1 || q.args[1] != p.args[1] || q.args[2] != p.args[1] {
		return false
	}
	first := f.code[d[0]]
	return first.op == p.op && f.may(first.args[1]) == 0 && first.args[2] == p.args[2]
}

// apart reports that the operands have no bit in common, or none that anybody asks for.
func apart(f *facts, _ int, p, _ parsed) bool {
	return f.may(p.args[1])&f.may(p.args[2])&f.wanted(p.args[0], 4) == 0
}

// masked reports that the bits in which the masks differ are 0, or that nobody asks for them.
func masked(f *facts, _ int, p, q parsed) bool {
	return (f.may(p.args[2])^f.may(q.args[2]))&f.may(p.args[1])&f.wanted(p.args[0], 4) == 0 && !register.MatchString(q.args[2]) ||
		q.args[2] == p.args[1] && f.may(p.args[1])&^f.may(p.args[2])&f.wanted(p.args[0], 4) == 0
}

// idle reports that what is computed without its guard is read under that guard only, or
// that the line after it puts something else in its place, and that it is computed from what
// is there without the guard too.
func idle(f *facts, line int, p, q parsed) bool {
	for _, a := range p.args[1:] {
		for _, x := range register.FindAllString(a, -1) {
			if !slices.ContainsFunc(f.defs[x], func(d int) bool { return f.code[d].guard != p.guard }) {
				return false
			}
		}
	}
	r := p.args[0]
	if q.guard != "" || strings.HasPrefix(p.op, "ld.global") && !f.storedTo(line, p.args[1]) {
		return false
	}
	if next := f.code[line+1]; len(f.defs[r]) == 2 && strings.HasPrefix(p.op, "selp") && next.guard == "!"+p.guard && next.writes() && next.args[0] == r {
		return true
	}
	if len(f.defs[r]) != 1 {
		return false
	}
	return !slices.ContainsFunc(f.uses[r], func(u int) bool { return f.code[u].guard != p.guard })
}

// stale reports that a line without its guard, which is that a loop is among the rows that there are,
// computes of what the last such turn left, of which there is one as a tile has rows, and that
// what it makes is read under the guard only.
func stale(f *facts, line int, p, q parsed) bool {
	r, d := p.args[0], f.defs[p.guard]
	if q.guard != "" || len(d) != 1 || !strings.HasPrefix(f.formula(d[0]), "setp(var(0), min(sub(arg_m, ") {
		return false
	}
	if next := f.code[line+1]; len(f.defs[r]) == 2 && next.guard == "!"+p.guard && next.writes() && next.args[0] == r {
		return true // and replaced
	}
	if len(f.defs[r]) != 1 {
		return false
	}
	return !slices.ContainsFunc(f.uses[r], func(u int) bool { return f.code[u].guard != p.guard })
}

// ofEquals reports that what is computed is selected where the two are equal, or of the NaN
// and the number that are left where they are not.
func ofEquals(f *facts, _ int, p, _ parsed) bool {
	for _, u := range f.uses[p.args[0]] {
		s := f.code[u]
		if !strings.HasPrefix(s.op, "selp") {
			return false
		}
		for _, d := range f.defs[s.args[3]] {
			if c := f.code[d]; !strings.HasPrefix(c.op, "setp.eq.f32") || !slices.Equal(c.args[1:3], p.args[1:3]) {
				return false
			}
		}
	}
	return true
}

// again reports that the loop that ends behind a line does the same if it does an element
// twice: it compares elements, and adds none.
func again(f *facts, line int, p, _ parsed) bool {
	for _, u := range f.uses[p.args[0]] {
		begin := f.label(f.code[u].args[0])
		if begin < 0 || begin > line {
			return false
		}
		sums := slices.ContainsFunc(f.code[begin:line], func(p parsed) bool {
			return strings.HasPrefix(p.op, "mma") || strings.HasPrefix(p.op, "st.shared")
		})
		compares := slices.ContainsFunc(f.code[begin:line], func(p parsed) bool { return strings.HasPrefix(p.op, "setp.eq.f32") })
		if sums || !compares {
			return false
		}
	}
	return true
}

// storedTo reports that the thread stores to an address after a line, come what may: it may
// be read.
func (f *facts) storedTo(line int, address string) bool {
	for line++; line < len(f.code) && f.code[line].op != "bra" && f.code[line].op != "bra.uni"; line++ {
		if p := f.code[line]; strings.HasPrefix(p.op, "st.global") && p.guard == "" && p.args[0] == address {
			return true
		}
	}
	return false
}

// absent reports that a line puts a number where there is no column.
func absent(f *facts, line int, p, _ parsed) bool {
	pred, ok := strings.CutPrefix(p.guard, "!")
	return ok && f.before(line).guard == pred && noColumn.MatchString(f.value(pred, map[string]bool{}, 7))
}

// shifted reports that the bits which differ by the number that is shifted are 0, or that
// nobody asks for them.
func shifted(f *facts, _ int, p, q parsed) bool {
	n, err := strconv.Atoi(p.args[2])
	m, err2 := strconv.Atoi(q.args[2])
	want := f.wanted(p.args[0], 4)
	return err == nil && err2 == nil && f.may(p.args[1])&(want<<uint(n)|want<<uint(m)) == 0
}

// stored reports that a thread has just stored a whole chunk.
func stored(f *facts, line int, _, _ parsed) bool {
	return strings.HasPrefix(f.before(line).op, "st.global.v")
}

// storedFirst reports that the line before stores the chunk that begins with what a line stores, there.
func storedFirst(f *facts, line int, p, q parsed) bool {
	whole := f.before(line)
	if q.guard != "" || !strings.HasPrefix(whole.op, "st.global.v") || whole.guard != strings.TrimPrefix(p.guard, "!") || whole.args[0] != p.args[0] {
		return false
	}
	return f.moved(split(strings.Trim(whole.args[1], "{}"))[0]) == f.moved(p.args[1])
}

// moved is the register that another is a copy of, if it is one.
func (f *facts) moved(r string) string {
	if d := f.defs[r]; len(d) == 1 && strings.HasPrefix(f.code[d[0]].op, "mov.") {
		return f.code[d[0]].args[1]
	}
	return r
}

// lineLeft reports that a thread's line is the first of a tile, or the second where there is some of K: in a part, and
// where there are more tiles than stages.
func lineLeft(f *facts, line int, p, _ parsed) bool {
	d := f.defs[p.args[2]]
	if len(d) != 1 {
		return false
	}
	most := f.may(f.code[d[0]].args[2])
	return most == 0 || most == 1 && (strings.Contains(f.formula(line), "min(arg_k, ") || betweenRounds(f, line, p, p))
}

// linesThere reports that a predicate asks of a part of K whether it has the first line of its last tile.
func linesThere(f *facts, line int, p, _ parsed) bool {
	d := f.defs[p.args[3]]
	if len(d) != 1 {
		return false
	}
	c := f.code[d[0]]
	return c.args[1] == "0" && lineLeft(f, d[0], c, parsed{}) && f.may(f.code[f.defs[c.args[2]][0]].args[2]) == 0
}

// betweenRounds reports that a line is in the loop of the two rounds of the main loop: what it copies is the
// last of more tiles than there are stages.
func betweenRounds(f *facts, line int, p, q parsed) bool {
	if q.op != "" && p.args[0] != q.args[0] { // elsewhere, where the thread's next word goes
		next := line + 1
		for next < len(f.code) && f.code[next].op != "st.shared.b32" {
			next++
		}
		if next == len(f.code) || f.code[next].args[0] != q.args[0] {
			return false
		}
	}
	for at, p := range f.code {
		if !strings.HasPrefix(p.op, "bra") || p.guard == "" || at < line || f.label(p.args[0]) > line {
			continue
		}
		if last := f.before(at); strings.HasPrefix(last.op, "setp.lt.s32") && last.args[2] == "2" {
			return true
		}
	}
	return false
}

// asked reports that what is counted is asked only whether it is all of a chunk, and if not
// which words of it there are.
func asked(f *facts, _ int, p, _ parsed) bool { return f.asked(p.args[0], 3) }

func (f *facts) asked(r string, depth int) bool {
	return depth > 0 && len(f.uses[r]) > 0 && !slices.ContainsFunc(f.uses[r], func(u int) bool {
		switch name, _, _ := strings.Cut(f.code[u].op, "."); name {
		case "min", "max", "shl":
			return !f.asked(f.code[u].args[0], depth-1)
		case "setp":
			return false
		}
		return true
	})
}

// ofWords reports that a line is done where there is some of a chunk of metadata and not all
// of it, which is asked after all of it was.
func ofWords(f *facts, line int, p, _ parsed) bool {
	d := f.defs[strings.TrimPrefix(p.guard, "!")]
	return len(d) == 1 && wordsSome.MatchString(f.formula(d[0])) && asked(f, line, parsed{args: []string{f.code[d[0]].args[2]}}, parsed{})
}

// unseen reports that what differs by the length of a field is 0, or that nobody asks for it.
func unseen(f *facts, _ int, p, q parsed) bool {
	at := len(p.args) - 2
	from, err := strconv.Atoi(p.args[at])
	long, err2 := strconv.Atoi(p.args[at+1])
	now, err3 := strconv.Atoi(q.args[at+1])
	if err != nil || err2 != nil || err3 != nil || p.args[at] != q.args[at] {
		return false
	}
	bits := ones(long) ^ ones(now)
	if p.op == "bfi.b32" {
		bits <<= uint(from)
	} else {
		bits &= f.may(p.args[1]) & ones(32) >> uint(from)
	}
	return bits&ones(32)&f.wanted(p.args[0], 6) == 0
}

// either reports that a comparison only selects one of the two that it compares, of which one
// is a number other than 0: if they are equal, either is the same.
func either(f *facts, _ int, p, _ parsed) bool {
	a, b := p.args[1], p.args[2]
	x, ok := constant(a)
	if !ok {
		x, ok = constant(b)
	}
	return ok && x != 0 && !slices.ContainsFunc(f.uses[p.args[0]], func(u int) bool {
		s := f.code[u]
		return !strings.HasPrefix(s.op, "selp.f32") || s.args[3] != p.args[0] || s.guard == p.args[0] || s.guard == "!"+p.args[0] ||
			!(s.args[1] == a && s.args[2] == b || s.args[1] == b && s.args[2] == a)
	})
}

// constant is the number that an operand of single precision spells out.
func constant(a string) (float64, bool) {
	hex, ok := strings.CutPrefix(a, "0f")
	n, err := strconv.ParseUint(hex, 16, 32)
	return float64(math.Float32frombits(uint32(n))), ok && err == nil
}

// most is what a number of single precision is at most, if it is one.
func (f *facts) most(a string, depth int) float64 {
	if x, ok := constant(a); ok {
		return x
	}
	d := f.defs[a]
	if len(d) != 1 || depth == 0 || f.code[d[0]].op != "selp.f32" {
		return math.Inf(1)
	}
	p := f.code[d[0]]
	x, y := f.most(p.args[1], depth-1), f.most(p.args[2], depth-1)
	if d := f.defs[p.args[3]]; len(d) == 1 && f.code[d[0]].op == "setp.lt.f32" && slices.Equal(f.code[d[0]].args[1:3], p.args[1:3]) {
		return min(x, y) // the first if it is less
	}
	return max(x, y)
}

// less reports that the first of those which are compared is below the second, or NaN.
func less(f *facts, _ int, p, _ parsed) bool {
	x, ok := constant(p.args[2])
	return p.op == "setp.lt.f32" && ok && f.most(p.args[1], 4) < x
}

// ofNaN reports that a line selects its second operand, a number, for NaN alone.
func ofNaN(f *facts, line int, p, q parsed) bool {
	d := f.defs[p.args[3]]
	return p.args[1] == q.args[1] && len(d) == 1 && less(f, line, f.code[d[0]], parsed{})
}

// zero reports that a line writes 0, and that the changed one does.
func zero(f *facts, _ int, p, q parsed) bool { return f.bitsOf(p) == 0 && f.bitsOf(q) == 0 }

// bounded reports that a line is a bound which is only compared with what is below it anyway.
func bounded(f *facts, _ int, p, q parsed) bool {
	n, err := strconv.ParseUint(p.args[2], 10, 32)
	m, err2 := strconv.ParseUint(q.args[2], 10, 32)
	if err2 != nil && q.args[2] == p.args[1] {
		m, err2 = n, nil
	}
	return err == nil && err2 == nil && m >= n && !slices.ContainsFunc(f.uses[p.args[0]], func(u int) bool {
		c := f.code[u]
		return !strings.HasPrefix(c.op, "setp.lt.s") || c.args[2] != p.args[0] || c.args[1] == p.args[0] || f.may(c.args[1]) >= n
	})
}

// pairs reports that metadata is that of the first two lanes of four alone: of instructions
// for elements of 16 or 32 bits, with that selector.
func pairs(f *facts, _ int, _, _ parsed) bool {
	of := regexp.MustCompile(`\.(m16n8k32\.row\.col\.f(16|32)\.(f16|bf16)|m16n8k16\.row\.col\.f32\.tf32)\.`)
	return !slices.ContainsFunc(f.code, func(p parsed) bool {
		return strings.HasPrefix(p.op, "mma.sp") && (!of.MatchString(p.op) || p.args[len(p.args)-1] != "0x0")
	})
}

// lastAbsent reports that a line puts a number where the last column of a chunk would be,
// in the branch of those of which a part is there.
func lastAbsent(f *facts, line int, p, _ parsed) bool {
	there, not := strings.CutPrefix(f.before(line).guard, "!")
	d := f.defs[p.args[0]]
	if !not {
		return false
	}
	m := columnIs.FindStringSubmatch(f.value(there, map[string]bool{}, 7))
	if m == nil || p.guard != "" || len(d) != 2 || d[1] != line {
		return false
	}
	column, _ := strconv.Atoi(m[1]) // the last but one
	top := line
	for top > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(f.labels)), func(at int) bool { return at == top }) {
		top--
	}
	for _, b := range f.code {
		if !strings.HasPrefix(b.op, "bra") || f.label(b.args[0]) != top {
			continue
		}
		all, not := strings.CutPrefix(b.guard, "!")
		if !not {
			return false
		}
		if w := wholeChunk.FindStringSubmatch(f.value(all, map[string]bool{}, 7)); w == nil || w[1] != strconv.Itoa(column+2) {
			return false
		}
	}
	// The other branch loads it behind the one that the line before is about.
	whole, part := f.code[d[0]], f.code[line]
	for above := line - 1; above > top && !strings.HasPrefix(part.op, "ld."); above-- {
		part = f.code[above]
	}
	if !strings.HasPrefix(whole.op, "ld.global.v") || !strings.HasPrefix(part.op, "ld.global.") || len(part.args) < 2 || len(whole.args) < 2 {
		return false
	}
	chunk := split(strings.Trim(whole.args[0], "{}"))
	size := 4
	if strings.HasSuffix(p.op, "16") {
		size = 2
	}
	from, to := offset.FindStringSubmatch(whole.args[1]), offset.FindStringSubmatch(part.args[1])
	a, _ := strconv.Atoi(from[3])
	b, _ := strconv.Atoi(to[3])
	return from[1] == to[1] && chunk[len(chunk)-1] == p.args[0] && a+size*(len(chunk)-2) == b
}

var columnIs, wholeChunk = regexp.MustCompile(`^setp\((\d+), ` + columnsLeft), regexp.MustCompile(`^setp\(` + columnsLeft + `.*, (\d+)\)$`)
