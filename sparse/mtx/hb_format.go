package mtx

import (
	"strconv"
	"strings"
)

// A layout is a Fortran format such as (16I5), (1P,5E16.8), (1X,8I9) or (3(1X,E24.16)):
// where numbers stand in a line. Lines after the first begin at the last group of the
// outermost level, if there is one, as Fortran goes on when a format ends before a list.
type layout struct {
	text        string
	items       []item
	again       int // items[again:] are those of later lines
	first, rest int // numbers in the first line, and in each after it
	skips       bool
	scale       int // that the first line leaves behind
}

// An item of a format is a group, a field of numbers, nX or kP.
type item struct {
	repeat int
	group  []item // nil for the others
	field  field
	skip   int  // of nX
	scales bool // kP: field.scale holds from here on
}

// A field is a number of a width.
type field struct {
	width   int
	integer bool
	digits  int // behind a point that is not written
	scale   int // of kP: numbers without an exponent are 10^k times too large
}

// maxField bounds what a line of a format holds.
const maxField = 1 << 16

// lines is how many lines n numbers take.
func (l *layout) lines(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= l.first:
		return 1
	}
	return 1 + (n-l.first-1)/l.rest + 1
}

// end is where some fields of a line end.
func (l *layout) end(first bool, some int) (end int) {
	l.each(first, some, func(from int, f field) bool { end = from + f.width; return true })
	return end
}

// integers reports whether all fields are.
func (l *layout) integers() bool {
	all := true
	l.each(true, l.first, func(_ int, f field) bool { all = f.integer; return all })
	return all
}

// each calls visit for some fields of a line, the first or a later one, and the byte that each begins at.
func (l *layout) each(first bool, some int, visit func(from int, f field) bool) {
	w := walk{left: some, visit: visit}
	if first {
		w.items(l.items)
		return
	}
	w.scale = l.scale
	w.items(l.items[l.again:])
}

// A walk goes through a line.
type walk struct {
	at, scale, left int
	visit           func(from int, f field) bool
}

// items reports whether the line goes on.
func (w *walk) items(list []item) bool {
	for _, t := range list {
		for range t.repeat {
			switch {
			case t.scales:
				w.scale = t.field.scale
			case t.skip > 0:
				w.at += t.skip
			case t.group != nil:
				if !w.items(t.group) {
					return false
				}
			default:
				f := t.field
				f.scale = w.scale
				if w.left--; w.left < 0 || !w.visit(w.at, f) {
					return false
				}
				w.at += f.width
			}
		}
	}
	return true
}

// parseLayout reads a format; reason is "" or what is wrong with it.
func parseLayout(text string) (l layout, reason string) {
	p := formatParser{s: strings.ToUpper(strings.ReplaceAll(text, " ", ""))}
	l.text = text
	p.take('(')
	g := p.items()
	if p.bad || p.s != "" {
		return l, quote([]byte(text)) + " is not a Fortran format"
	}
	l.items, l.first, l.rest, l.skips, l.scale = g.items, g.fields, g.fields, p.skips, p.scale
	for k := len(g.items) - 1; k >= 0; k-- {
		if g.items[k].group != nil {
			l.again, l.rest = k, sum(g.items[k:]).fields
			break
		}
	}
	return l, ""
}

// A formatParser has s left to read.
type formatParser struct {
	s     string
	scale int // of the last kP
	skips bool
	bad   bool
}

// A size is how many fields and bytes of a line items take.
type size struct {
	items         []item
	fields, bytes int
}

// sum returns the size of items; one that is beyond what a line holds has no more than twice that.
func sum(items []item) (g size) {
	for _, t := range items {
		one := size{bytes: t.skip}
		switch {
		case t.group != nil:
			one = sum(t.group)
		case t.field.width > 0:
			one = size{fields: 1, bytes: t.field.width}
		}
		if one.bytes > 0 && t.repeat > (maxField-g.bytes)/one.bytes {
			return size{bytes: maxField + 1}
		}
		g.fields, g.bytes = g.fields+t.repeat*one.fields, g.bytes+t.repeat*one.bytes
	}
	return g
}

// take takes c, if it is next, and else fails.
func (p *formatParser) take(c byte) {
	if p.bad = p.bad || p.s == "" || p.s[0] != c; !p.bad {
		p.s = p.s[1:]
	}
}

// items takes items up to a parenthesis that closes them; there are fields among them.
func (p *formatParser) items() (g size) {
	for !p.bad && p.s != "" && p.s[0] != ')' {
		g.items = append(g.items, p.item())
		p.s = strings.TrimPrefix(p.s, ",")
	}
	p.take(')')
	all := sum(g.items)
	g.fields, g.bytes = all.fields, all.bytes
	p.bad = p.bad || g.fields == 0 || g.bytes > maxField
	return g
}

// item takes one.
func (p *formatParser) item() (t item) {
	t.repeat = 1
	n, rest := number(p.s)
	if rest == "" {
		p.bad = true
		return t
	}
	p.s = rest[1:]
	v, err := strconv.Atoi(n)
	if rest[0] == 'P' {
		if err != nil || v < -30 || v > 30 {
			p.bad = true
		}
		t.scales, t.field.scale, p.scale = true, v, v
		return t
	}
	if n != "" {
		if err != nil || v < 1 || v > maxField || n[0] == '+' {
			p.bad = true
			return t
		}
		t.repeat = v
	}
	switch c := rest[0]; {
	case c == '(':
		t.group = p.items().items
	case c == 'X':
		t.skip, t.repeat, p.skips = t.repeat, 1, true
	case strings.IndexByte("IEFDG", c) >= 0:
		if c == 'E' && p.s != "" && (p.s[0] == 'N' || p.s[0] == 'S') {
			p.s = p.s[1:]
		}
		t.field = p.field(c == 'I')
	default:
		p.bad = true
	}
	return t
}

// field takes what stands behind the letter: a width, the digits behind a point, and those of an exponent.
func (p *formatParser) field(integer bool) field {
	f := field{integer: integer, width: p.number(1)}
	if strings.HasPrefix(p.s, ".") {
		p.s = p.s[1:]
		f.digits = p.number(0)
		p.bad = p.bad || f.digits > f.width
		if e, ok := strings.CutPrefix(p.s, "E"); ok && !integer && e != "" && e[0]-'0' <= 9 { // E16.8E3
			p.s = e
			p.number(1)
		}
	}
	return f
}

// number takes digits of a number from least to maxField.
func (p *formatParser) number(least int) int {
	n, rest := number(p.s)
	v, err := strconv.Atoi(n)
	if p.bad = p.bad || err != nil || v < least || v > maxField || n[0]-'0' > 9; p.bad {
		return 0
	}
	p.s = rest
	return v
}

// number cuts a number, with a sign or not, from the beginning of s.
func number(s string) (n, rest string) {
	k := 0
	for k < len(s) && (s[k]-'0' <= 9 || k == 0 && (s[k] == '-' || s[k] == '+')) {
		k++
	}
	return s[:k], s[k:]
}
