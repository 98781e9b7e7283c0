package mtx

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// squeeze returns a field without its blanks, which Fortran ignores: around a number, and behind a
// sign or before an exponent. Those between digits stay, as fields that are not where the format
// has them look so.
func squeeze(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if tokens(b) < 2 {
		return b
	}
	var s []byte
	for at := 0; at < len(b); at = skip(b, at) {
		t := token(b, at)
		if n := len(s); n > 0 && (s[n-1]-'0' <= 9 || s[n-1] == '.') && (t[0]-'0' <= 9 || t[0] == '.') {
			return b
		}
		s = append(s, t...)
		at += len(t)
	}
	return s
}

// intOf returns the integer of a field; one of blanks is 0.
func intOf(b []byte) (int64, string) {
	t := squeeze(b)
	if len(t) == 0 {
		return 0, ""
	}
	v, err := strconv.ParseInt(string(t), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(b) + " is too large"
	case err != nil:
		return 0, quote(b) + " is not an integer; want digits in a field as wide as the format says"
	}
	return v, ""
}

// floatOf returns the number of a field as Fortran reads it. A point that is not written
// stands before so many digits, an exponent may lack its letter, 1P counts without one, and
// blanks are 0.
func (f *field) floatOf(b []byte) (float64, string) {
	t := squeeze(b)
	if len(t) == 0 {
		return 0, ""
	}
	body, exp, shift := t, 0, 0
	for k := 1; k < len(t); k++ { // the exponent begins with a letter or a sign
		c := t[k] | 0x20
		digit := t[k-1]-'0' <= 9 || t[k-1] == '.'
		if digit && (c == 'e' || c == 'd' || c == 'q' || t[k] == '+' || t[k] == '-') {
			e := t[k:]
			if e[0] != '+' && e[0] != '-' {
				e = e[1:]
			}
			v, err := strconv.Atoi(string(e))
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

// int returns the next number, which is not negative, and moves on; blanks are 0.
func (f *fixed) int() (int, bool) {
	b := bytes.TrimSpace(f.field())
	v, err := strconv.Atoi(string(b))
	if len(b) > 0 && (err != nil || v < 0) {
		return 0, false
	}
	f.at += f.width
	return v, true
}
