package mtx

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// blank reports whether c stands between tokens of a line.
func blank(c byte) bool { return c == ' ' || c == '\t' }

// skip returns the index of the first byte of b that is not blank, from at on.
func skip(b []byte, at int) int {
	for at < len(b) && blank(b[at]) {
		at++
	}
	return at
}

// token returns what stands in b from at to the next blank.
func token(b []byte, at int) []byte {
	end := at
	for end < len(b) && !blank(b[end]) {
		end++
	}
	return b[at:end]
}

// tokens counts what stands between blanks.
func tokens(b []byte) (n int) {
	for at := skip(b, 0); at < len(b); at = skip(b, at+len(token(b, at))) {
		n++
	}
	return n
}

// scanUint reads the decimal digits of b from at to the next blank. A number beyond
// uint64 gives its largest value.
func scanUint(b []byte, at int) (v uint64, end int, ok bool) {
	end = at
	for ; end < len(b); end++ {
		c := uint64(b[end] - '0')
		if c > 9 {
			break
		}
		if v > (1<<64-1-9)/10 {
			v = 1<<64 - 1
			continue
		}
		v = v*10 + c
	}
	return v, end, end > at && (end == len(b) || blank(b[end]))
}

// pow10 holds the powers of ten that float64 has exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// scanFloat reads the number in b from at to the next blank. Its result is that of
// strconv.ParseFloat, to the bit. Digits below 2^53 with a power of ten up to 22 are
// two exact float64 and one rounding (Clinger 1990). The rest goes to ParseFloat.
// reason is "" or what is wrong.
func scanFloat(b []byte, at int) (v float64, end int, reason string) {
	i := at
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	var digits uint64
	first := i
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		digits = digits*10 + uint64(c)
	}
	n, exp := i-first, 0
	if i < len(b) && b[i] == '.' {
		i++
		first = i
		for ; i < len(b); i++ {
			c := b[i] - '0'
			if c > 9 {
				break
			}
			digits = digits*10 + uint64(c)
		}
		exp = first - i
		n -= exp
	}
	if n == 0 || n > 19 { // 10^19 < 2^64
		return parseFloat(b, at)
	}
	if i < len(b) && (b[i]|0x20 == 'e' || b[i]|0x20 == 'd') {
		e, j, ok := scanExponent(b, i+1)
		if !ok {
			return parseFloat(b, at)
		}
		exp += e
		i = j
	}
	if i < len(b) && !blank(b[i]) || digits >= 1<<53 {
		return parseFloat(b, at)
	}
	v = float64(digits)
	switch {
	case exp == 0 || digits == 0:
	case 0 < exp && exp < len(pow10):
		v *= pow10[exp]
	case 0 < -exp && -exp < len(pow10):
		v /= pow10[-exp]
	default:
		return parseFloat(b, at)
	}
	if neg {
		v = -v
	}
	return v, i, ""
}

// scanExponent reads an exponent of one to four digits, after its letter.
func scanExponent(b []byte, at int) (e, end int, ok bool) {
	i := at
	neg := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	first := i
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if i-first == 4 {
			return 0, i, false
		}
		e = e*10 + int(b[i]-'0')
	}
	if neg {
		e = -e
	}
	return e, i, i > first
}

// parseFloat is scanFloat for every number.
func parseFloat(b []byte, at int) (v float64, end int, reason string) {
	tok := token(b, at)
	end = at + len(tok)
	// Go's literals have more forms than data: 1_000 and 0x1p4.
	if bytes.ContainsAny(tok, "_xX") {
		return 0, end, notNumber(tok)
	}
	if len(tok) == 4 && (tok[0] == '-' || tok[0] == '+') && strings.EqualFold(string(tok[1:]), "nan") {
		tok = tok[1:] // glibc prints -nan, ParseFloat refuses it
	}
	if k := bytes.IndexAny(tok, "dD"); k >= 0 {
		tok = append([]byte(nil), tok...) // Fortran's double precision
		tok[k] = 'e'
	}
	v, err := strconv.ParseFloat(string(tok), 64)
	switch {
	case err == nil:
		return v, end, ""
	case errors.Is(err, strconv.ErrRange):
		return 0, end, quote(b[at:end]) + " is larger than any float64; the largest is 1.797e308, and inf is written so"
	}
	return 0, end, notNumber(b[at:end])
}

func notNumber(tok []byte) string {
	return quote(tok) + " is not a number; want decimal digits as in -1.5e3 or -1.5D+03, or inf or nan"
}
