package emit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The scanner of the text form. Blanks separate, newlines end an operation; a
// method that reads something skips the blanks before it.

// fail leaves the parser with an error about the byte at.
func (p *parser) fail(at int, format string, args ...any) {
	before := p.text[:at]
	line, column := 1+strings.Count(before, "\n"), at-strings.LastIndexByte(before, '\n')
	panic(syntaxError{line, column, fmt.Sprintf(format, args...)})
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// peek returns the next byte that is not blank, 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// take moves past s if it comes next.
func (p *parser) take(s string) bool {
	p.space()
	ok := strings.HasPrefix(p.text[p.pos:], s)
	if ok {
		p.pos += len(s)
	}
	return ok
}

func (p *parser) want(s string) {
	if !p.take(s) {
		p.fail(p.pos, "found %s; want %s", p.next(), s)
	}
}

// next describes what comes next, for errors.
func (p *parser) next() string {
	switch p.peek() {
	case 0:
		if p.pos == len(p.text) {
			return "the end of the text"
		}
	case '\n':
		return "the end of the line"
	}
	if s := p.peekRun(wordByte); s != "" {
		return strconv.Quote(s[:min(len(s), 32)])
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

// newline moves to the next line; at the end of the text it is refused, since
// every caller needs more.
func (p *parser) newline() {
	if p.peek() != '\n' {
		p.fail(p.pos, "found %s; want the end of the line", p.next())
	}
	p.pos++
	p.line, p.start = p.line+1, p.pos
}

// endLine skips a comment and the end of the line, or of the text.
func (p *parser) endLine() {
	p.comment()
	if p.space(); p.pos < len(p.text) {
		p.newline()
	}
}

// comment reads a comment up to the end of the line.
func (p *parser) comment() (text string, ok bool) {
	if !p.take("//") {
		return "", false
	}
	text = p.text[p.pos:]
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	p.pos += len(text)
	return strings.TrimRight(strings.TrimPrefix(text, " "), "\r"), true
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.'
}

func (p *parser) peekRun(ok func(byte) bool) string {
	n := p.pos
	for n < len(p.text) && ok(p.text[n]) {
		n++
	}
	return p.text[p.pos:n]
}

func (p *parser) run(ok func(byte) bool) (at int, s string) {
	p.space()
	at, s = p.pos, p.peekRun(ok)
	p.pos += len(s)
	return at, s
}

// word reads a word, which is empty if none comes next.
func (p *parser) word() (at int, s string) { return p.run(wordByte) }

// quoteWord describes a word that was read where another was wanted.
func quoteWord(s string, p *parser) string {
	if s == "" {
		return p.next()
	}
	return strconv.Quote(s[:min(len(s), 32)])
}

func (p *parser) number(what string) (at int, s string) {
	at, s = p.run(func(c byte) bool { return wordByte(c) || c == '-' || c == '+' })
	if s == "" {
		p.fail(at, "found %s; want %s", p.next(), what)
	}
	return at, s
}

// name reads the name of a function or field: a word or a quoted string.
func (p *parser) name() string {
	if p.peek() == '"' {
		return p.quoted()
	}
	at, s := p.word()
	if s == "" {
		p.fail(at, "found %s; want a name", p.next())
	}
	return s
}

func (p *parser) quoted() string {
	if p.peek() != '"' {
		p.fail(p.pos, "found %s; want a quoted string", p.next())
	}
	q, err := strconv.QuotedPrefix(p.text[p.pos:])
	if err != nil {
		p.fail(p.pos, "the quoted string does not end, or has an escape that Go does not know")
	}
	s, err := strconv.Unquote(q)
	if err != nil {
		p.fail(p.pos, "%s is not a quoted string", q)
	}
	p.pos += len(q)
	return s
}

// valueName reads a value's name without the percent sign.
func (p *parser) valueName() (at int, name string) {
	p.space()
	at = p.pos
	p.want("%")
	name = p.peekRun(wordByte)
	if name == "" {
		p.fail(at, "a value looks like %%7 or %%sum")
	}
	p.pos += len(name)
	return at, name
}

func (p *parser) typ() Type {
	at, s := p.run(typeByte)
	if s == "async" {
		_, rest := p.run(typeByte)
		s += " " + rest
	}
	t, err := parseType(s)
	if err != nil {
		if s == "" {
			s = p.next()
		} else {
			s = strconv.Quote(s[:min(len(s), 32)])
		}
		p.fail(at, "%s is not a type; types look like f32, f32x16, i1x16, async f32x1*128, ptr.shared.16", s)
	}
	return t
}

func typeByte(c byte) bool { return wordByte(c) || c == '*' }

// list reads items with commas between.
func (p *parser) list(what string, item func()) {
	for n := 1; ; n++ {
		if n > maxList {
			p.fail(p.pos, "more than %d %s", maxList, what)
		}
		item()
		if !p.take(",") {
			return
		}
	}
}
