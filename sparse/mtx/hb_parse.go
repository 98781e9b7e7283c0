package mtx

import (
	"strconv"
	"strings"
)

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

// An extent is how many fields and bytes of a line items take.
type extent struct {
	items         []item
	fields, bytes int
}

// sum returns the extent of items; one that is beyond what a line holds has no more than twice that.
func sum(items []item) (g extent) {
	for _, t := range items {
		one := extent{bytes: t.skip}
		switch {
		case t.group != nil:
			one = sum(t.group)
		case t.field.width > 0:
			one = extent{fields: 1, bytes: t.field.width}
		}
		if one.bytes > 0 && t.repeat > (maxField-g.bytes)/one.bytes {
			return extent{bytes: maxField + 1}
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
func (p *formatParser) items() (g extent) {
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
