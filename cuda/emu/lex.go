package emu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
)

// A tokenKind says what a token is.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokWord             // name, %name
	tokDot              // .name, with its dot: .reg, .b32, .shared::cta, .2d
	tokInt              // 17, 0x1F, 0b11, 017, 17U
	tokFloat            // 1.5, 1e-3, 0f3F800000, 0d…
	tokString           // "file.go", without quotes
	tokPunct            // one of ( ) [ ] { } < > , ; : @ ! | = + - * / % & ^ ~ ?
)

// A token is one word of the text and where it begins.
type token struct {
	kind tokenKind
	text string
	position
	bits   uint64 // of a number: an integer, or the bits of a float
	size   int    // of a float: 4 or 8 for 0f and 0d, 0 if it was written in decimal
	spaced bool   // there is blank or a comment before it
}

// A position is where in the text something stands, from 1.
type position struct{ line, col int }

func (at position) errorf(format string, args ...any) error {
	return &syntaxError{at, fmt.Sprintf(format, args...)}
}

// A syntaxError is a place in the text and what is wrong there. Whatever reads or compiles text
// panics with it, and [caught] is where that ends.
type syntaxError struct {
	position
	msg string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.line, e.col, e.msg) }
func (e *syntaxError) Unwrap() error { return cuda.ErrPTX }

// caught makes a syntaxError that the caller panicked with an error that it returns.
func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *syntaxError:
		*err = e
	default:
		panic(e)
	}
}

// A lexer cuts PTX text into tokens. Tokens are slices of the text.
type lexer struct {
	src       string
	at        int
	line, bol int // bol: where the line begins
}

func newLexer(src string) *lexer { return &lexer{src: src, line: 1} }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isWord(c byte) bool  { return isLetter(c) || isDigit(c) }

func (l *lexer) position(at int) position { return position{l.line, at - l.bol + 1} }

// errorf is an error in the line that is read.
func (l *lexer) errorf(at int, format string, args ...any) error {
	return l.position(at).errorf(format, args...)
}

// blank skips white space and comments.
func (l *lexer) blank() {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.at++
			l.line, l.bol = l.line+1, l.at
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.at++
		case strings.HasPrefix(l.src[l.at:], "//"):
			n := strings.IndexByte(l.src[l.at:], '\n')
			if n < 0 {
				n = len(l.src) - l.at
			}
			l.at += n
		case strings.HasPrefix(l.src[l.at:], "/*"):
			n := strings.Index(l.src[l.at:], "*/")
			if n < 0 {
				panic(l.errorf(l.at, "the comment does not end: */ is missing"))
			}
			for end := l.at + n + 2; l.at < end; l.at++ {
				if l.src[l.at] == '\n' {
					l.line, l.bol = l.line+1, l.at+1
				}
			}
		default:
			return
		}
	}
}

// next returns the next token.
func (l *lexer) next() token {
	from := l.at
	l.blank()
	start := l.at
	t := token{position: l.position(start), spaced: start > from}
	if start >= len(l.src) {
		return t
	}
	while := func(ok func(byte) bool) {
		for l.at < len(l.src) && ok(l.src[l.at]) {
			l.at++
		}
	}
	c := l.src[start]
	follows := func(ok func(byte) bool) bool { return start+1 < len(l.src) && ok(l.src[start+1]) }
	switch {
	case isLetter(c), c == '%' && follows(isWord):
		l.at++
		while(isWord)
		t.kind = tokWord
	case c == '.' && follows(isWord):
		l.at++
		while(isWord)
		for strings.HasPrefix(l.src[l.at:], "::") {
			l.at += 2
			while(isWord)
		}
		t.kind = tokDot
	case isDigit(c):
		l.number(&t)
	case c == '"':
		n := strings.IndexAny(l.src[start+1:], "\"\n")
		if n < 0 || l.src[start+1+n] == '\n' {
			panic(l.errorf(start, "the string does not end on its line: \" is missing"))
		}
		l.at = start + n + 2
		t.kind, t.text = tokString, l.src[start+1:start+1+n]
		return t
	case strings.IndexByte("()[]{}<>,;:@!|=+-*/%&^~?", c) >= 0:
		l.at++
		t.kind = tokPunct
	default:
		panic(l.errorf(start, "%q has no place in PTX", c))
	}
	t.text = l.src[start:l.at]
	return t
}

// number reads an integer or a float at l.at (ISA 4.5).
func (l *lexer) number(t *token) {
	start := l.at
	hex := func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
	while := func(ok func(byte) bool) string {
		from := l.at
		for l.at < len(l.src) && ok(l.src[l.at]) {
			l.at++
		}
		return l.src[from:l.at]
	}
	if rest := l.src[start:]; len(rest) > 1 && rest[0] == '0' {
		switch rest[1] {
		case 'f', 'F', 'd', 'D':
			t.kind, t.size = tokFloat, 4
			if rest[1] == 'd' || rest[1] == 'D' {
				t.size = 8
			}
			l.at += 2
			digits := while(hex)
			bits, err := strconv.ParseUint(digits, 16, 64)
			if err != nil || len(digits) != 2*t.size {
				panic(l.errorf(start, "%s is no float: 0%c wants %d hexadecimal digits", l.src[start:l.at], rest[1], 2*t.size))
			}
			t.bits = bits
			l.ended(start)
			return
		}
	}
	base, digit := 10, isDigit
	switch rest := l.src[start:]; {
	case strings.HasPrefix(rest, "0x"), strings.HasPrefix(rest, "0X"):
		base, digit, l.at = 16, hex, l.at+2
	case strings.HasPrefix(rest, "0b"), strings.HasPrefix(rest, "0B"):
		base, l.at = 2, l.at+2
	}
	digits := while(digit)
	if base == 10 && l.at < len(l.src) && (l.src[l.at] == '.' || l.src[l.at] == 'e' || l.src[l.at] == 'E') {
		l.decimal(t, start)
		return
	}
	if base == 10 && len(digits) > 1 && digits[0] == '0' {
		base = 8
	}
	bits, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		panic(l.errorf(start, "%s is no integer of 64 bits", l.src[start:l.at]))
	}
	if l.at < len(l.src) && l.src[l.at] == 'U' {
		l.at++
	}
	t.kind, t.bits = tokInt, bits
	l.ended(start)
}

// decimal reads the rest of a float written in decimal, which is a double.
func (l *lexer) decimal(t *token, start int) {
	for l.at < len(l.src) {
		c := l.src[l.at]
		sign := (c == '+' || c == '-') && (l.src[l.at-1] == 'e' || l.src[l.at-1] == 'E')
		if !isDigit(c) && c != '.' && c != 'e' && c != 'E' && !sign {
			break
		}
		l.at++
	}
	v, err := strconv.ParseFloat(l.src[start:l.at], 64)
	if err != nil {
		panic(l.errorf(start, "%s is no float", l.src[start:l.at]))
	}
	t.kind, t.bits = tokFloat, math.Float64bits(v)
	l.ended(start)
}

// ended refuses a number that runs into a name.
func (l *lexer) ended(start int) {
	if l.at < len(l.src) && isWord(l.src[l.at]) {
		panic(l.errorf(start, "%s… is neither a number nor a name", l.src[start:l.at+1]))
	}
}
