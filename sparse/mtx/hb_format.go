package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A field is a Fortran format such as (16I5), (1P,5E16.8) or (4F20.12): numbers of a
// width, so many a line.
type field struct {
	text          string
	repeat, width int
	integer       bool
	digits        int // behind a point that is not written
	scale         int // of kP: numbers without an exponent are 10^k times too large
}

// lines is how many lines n numbers take.
func (f *field) lines(n int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/f.repeat + 1
}

// maxField bounds what a line of a format holds.
const maxField = 1 << 16

// parseField reads a format; reason is "" or what is wrong with it.
func parseField(text string) (f field, reason string) {
	f = field{text: text, repeat: 1}
	bad := quote([]byte(text)) + " is not a Fortran format"
	s := strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return f, bad
	}
	s = s[1 : len(s)-1]
	for p := ""; ; { // 1P, with or without a comma behind it
		if p, s = number(s); len(s) == 0 {
			return f, bad
		}
		c := s[0]
		s = s[1:]
		switch {
		case c == 'P':
			k, err := strconv.Atoi(p)
			if err != nil || k < -30 || k > 30 {
				return f, bad
			}
			f.scale, s = k, strings.TrimPrefix(s, ",")
			continue
		case strings.IndexByte("IEFDG", c) < 0:
			return f, bad
		}
		f.integer = c == 'I'
		var err error
		if p != "" {
			if f.repeat, err = strconv.Atoi(p); err != nil {
				return f, bad
			}
		}
		width, rest, point := strings.Cut(s, ".")
		if f.width, err = strconv.Atoi(width); err != nil || f.width < 1 || f.repeat < 1 || f.width > maxField/f.repeat {
			return f, bad
		}
		if point {
			d, _, _ := strings.Cut(rest, "E") // E16.8E3
			if f.digits, err = strconv.Atoi(d); err != nil || f.digits < 0 || f.digits > f.width {
				return f, bad
			}
		}
		return f, ""
	}
}

// number cuts a number, with a sign or not, from the beginning of s.
func number(s string) (n, rest string) {
	k := 0
	for k < len(s) && (s[k]-'0' <= 9 || k == 0 && (s[k] == '-' || s[k] == '+')) {
		k++
	}
	return s[:k], s[k:]
}

// intOf returns the integer of a field, which has blanks around it.
func intOf(b []byte) (int, string) {
	v, err := strconv.Atoi(string(bytes.TrimSpace(b)))
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(b) + " is too large"
	case err != nil:
		return 0, quote(b) + " is not an integer; want digits in a field as wide as the format says"
	}
	return v, ""
}

// floatOf returns the number of a field as Fortran reads it: a point that is not written
// stands before so many digits, an exponent may lack its letter, and 1P counts without one.
func (f *field) floatOf(b []byte) (float64, string) {
	t := bytes.TrimSpace(b)
	body, exp, shift := t, 0, 0
	for k := 1; k < len(t); k++ { // the exponent begins with a letter or a sign
		c := t[k] | 0x20
		digit := t[k-1]-'0' <= 9 || t[k-1] == '.'
		if digit && (c == 'e' || c == 'd' || c == 'q' || t[k] == '+' || t[k] == '-') {
			e := t[k:]
			if e[0] != '+' && e[0] != '-' {
				e = e[1:]
			}
			v, err := strconv.Atoi(string(bytes.TrimSpace(e)))
			if err != nil || v < -1<<20 || v > 1<<20 {
				return 0, notNumber(b)
			}
			body, exp, shift = t[:k], v, -f.scale
			break
		}
	}
	shift += f.scale // of numbers with an exponent none is left
	if bytes.IndexByte(body, '.') < 0 && isDigits(body) {
		shift += f.digits
	}
	if exp != 0 || shift != 0 || len(body) < len(t) {
		body = fmt.Appendf(bytes.Clone(body), "e%d", exp-shift)
	}
	v, end, reason := scanFloat(body, 0)
	if reason != "" || end < len(body) {
		return 0, notNumber(b)
	}
	return v, ""
}

// isDigits reports whether b is a number without a point.
func isDigits(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// A fixed cuts a line into fields of a width.
type fixed struct {
	line      []byte
	at, width int
}

func (f *fixed) field() []byte {
	from := min(f.at, len(f.line))
	return f.line[from:min(from+f.width, len(f.line))]
}

// int returns the next number, which is not negative, and moves on; an empty field is 0
// where it may be.
func (f *fixed) int(orNone bool) (int, bool) {
	b := bytes.TrimSpace(f.field())
	if len(b) == 0 && orNone {
		return 0, true
	}
	v, err := strconv.Atoi(string(b))
	if err != nil || v < 0 {
		return 0, false
	}
	f.at += f.width
	return v, true
}
