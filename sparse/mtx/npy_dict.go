package mtx

import (
	"fmt"
	"strconv"
	"strings"
)

// A dict reads a literal of Python, as much of it as NPY headers use. The first
// failure stands in reason, at byte at; after it nothing moves.
type dict struct {
	text   string
	at     int
	reason string
}

func (p *dict) fail(reason string) {
	if p.reason == "" {
		p.reason = reason
	}
}

func (p *dict) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// is takes s, if it is next, and reports whether.
func (p *dict) is(s string) bool {
	p.space()
	ok := p.reason == "" && strings.HasPrefix(p.text[p.at:], s)
	if ok {
		p.at += len(s)
	}
	return ok
}

// want takes s, which must be next.
func (p *dict) want(s string) {
	if !p.is(s) {
		p.fail(p.found() + "; want " + s)
	}
}

// found describes what is next.
func (p *dict) found() string {
	if p.at >= len(p.text) {
		return "the header ends here"
	}
	return quote([]byte(p.text[p.at:min(p.at+12, len(p.text))])) + " in the header"
}

// text1 takes a text in quotes, single or double, without escapes.
func (p *dict) text1() string {
	p.space()
	if p.reason == "" && p.at < len(p.text) && (p.text[p.at] == '\'' || p.text[p.at] == '"') {
		if s, _, ok := strings.Cut(p.text[p.at+1:], p.text[p.at:p.at+1]); ok {
			p.at += len(s) + 2
			return s
		}
	}
	p.fail(p.found() + "; want a text in quotes")
	return ""
}

func (p *dict) boolean() bool {
	switch {
	case p.is("True"):
		return true
	case !p.is("False"):
		p.fail(p.found() + "; want True or False")
	}
	return false
}

// tuple takes sizes, from least to most: (), (3,) or (3, 4).
func (p *dict) tuple(least, most int) (sizes []int) {
	p.want("(")
	for p.reason == "" && !p.is(")") {
		at := p.at
		end := at
		for end < len(p.text) && p.text[end]-'0' <= 9 {
			end++
		}
		v, err := strconv.ParseUint(p.text[at:end], 10, strconv.IntSize-1)
		if err != nil {
			p.fail(p.found() + fmt.Sprintf("; want a size below 2^%d", strconv.IntSize-1))
			return nil
		}
		p.at = end
		p.is("L") // Python 2 wrote 3L
		sizes = append(sizes, int(v))
		if !p.is(",") {
			if len(sizes) == 1 {
				p.want(",")
			}
			p.want(")")
			break
		}
	}
	if n := len(sizes); n < least || n > most {
		want := fmt.Sprintf("%d", least)
		if most > least {
			want = fmt.Sprintf("%d or %d", least, most)
		}
		if most > least+1 {
			want = fmt.Sprintf("%d to %d", least, most)
		}
		p.fail(fmt.Sprintf("an array of %d dimensions; want %s", n, want))
	}
	return sizes
}
