package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseTuple reads a tuple as [Tuple.String] writes it: ((4,8),2). Spaces are
// skipped. The error says the column, what is there and what would be right.
func ParseTuple(text string) (Tuple, error) {
	p := parser{text: text}
	t, err := p.tuple(0)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return Tuple{}, err
	}
	return t, nil
}

// Parse reads a layout as [Layout.String] writes it: ((4,8),2):((32,1),16). Spaces
// are skipped. It refuses what [Make] refuses.
func Parse(text string) (Layout, error) {
	p := parser{text: text}
	l, err := p.layout()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return Layout{}, err
	}
	return l, nil
}

// MustParse is Parse for text that is known to be right; it panics with the error.
func MustParse(text string) Layout {
	l, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return l
}

// ParseSwizzled reads a layout with or without a swizzle before it, as in
// Sw<3,4,3> o (8,64):(64,1).
func ParseSwizzled(text string) (Swizzled, error) {
	p := parser{text: text}
	s, err := p.swizzled()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return Swizzled{}, err
	}
	return s, nil
}

// parser reads from the left and never back.
type parser struct {
	text   string
	at     int
	leaves int
}

func (p *parser) swizzled() (s Swizzled, err error) {
	if p.take("Sw") {
		for i, x := range []struct {
			before string
			to     *int
		}{{"<", &s.swizzle.B}, {",", &s.swizzle.M}, {",", &s.swizzle.S}} {
			if err := p.want(x.before); err != nil {
				return s, err
			}
			minus := i == 2 && p.take("-")
			if *x.to, err = p.number(); err != nil {
				return s, err
			}
			if minus {
				*x.to = -*x.to
			}
		}
		if err := p.want(">"); err != nil {
			return s, err
		}
		if err := s.swizzle.Check(); err != nil {
			return s, err
		}
		if err := p.want("o"); err != nil {
			return s, err
		}
	}
	s.layout, err = p.layout()
	return s, err
}

func (p *parser) layout() (Layout, error) {
	shape, err := p.tuple(0)
	if err != nil {
		return Layout{}, err
	}
	if err := p.want(":"); err != nil {
		return Layout{}, err
	}
	stride, err := p.tuple(0)
	if err != nil {
		return Layout{}, err
	}
	return Make(shape, stride)
}

func (p *parser) tuple(depth int) (t Tuple, err error) {
	if !p.take("(") {
		if p.leaves++; p.leaves > 2*maxLeaves {
			return t, p.fail("more than %d integers", 2*maxLeaves)
		}
		n, err := p.number()
		return Int(n), err
	}
	if depth == maxDepth {
		p.at--
		return t, p.fail("nested deeper than %d", maxDepth)
	}
	if p.take(")") {
		return t, nil
	}
	for {
		m, err := p.tuple(depth + 1)
		if err != nil {
			return t, err
		}
		t.modes = append(t.modes, m)
		if p.take(")") {
			return t, nil
		}
		if !p.take(",") {
			return t, p.fail("%s, want ',' or ')'", p.next())
		}
	}
}

// number reads digits; a sign belongs to nothing but a swizzle.
func (p *parser) number() (int, error) {
	p.space()
	end := p.at
	for end < len(p.text) && p.text[end]-'0' <= 9 {
		end++
	}
	digits := p.text[p.at:end]
	if digits == "" {
		return 0, p.fail("%s, want an integer from 0 on", p.next())
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxSize {
		return 0, p.fail("%s is more than %d", p.next(), maxSize)
	}
	p.at = end
	return n, nil
}

func (p *parser) space() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t"))
}

// take steps over token if it is next.
func (p *parser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

// want is take of a token that must be there.
func (p *parser) want(token string) error {
	if !p.take(token) {
		return p.fail("%s, want '%s'", p.next(), token)
	}
	return nil
}

func (p *parser) end() error {
	if p.space(); p.at < len(p.text) {
		return p.fail("%s after the end", p.next())
	}
	return nil
}

// next is what the messages show of the text.
func (p *parser) next() string {
	rest := p.text[p.at:]
	if rest == "" {
		return "the end of the text"
	}
	if len(rest) > 20 {
		rest = rest[:20] + "..."
	}
	return strconv.Quote(rest)
}

func (p *parser) fail(format string, args ...any) error {
	return ShapeError{"layout", fmt.Sprintf("column %d: ", p.at+1) + fmt.Sprintf(format, args...)}
}
