package page

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// raw is markup of this package: the only text that is not escaped.
type raw string

// printer collects a document. Everything printed through f is escaped unless it
// is raw, so that forgetting to escape is not possible, only forgetting to be raw.
type printer struct{ bytes.Buffer }

// f is Fprintf with %v only: strings are escaped, float64 are lengths in the
// picture and have one decimal.
func (p *printer) f(format string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case raw:
			safe[i] = string(a)
		case string:
			safe[i] = escape(a)
		case float64:
			safe[i] = pixel(a)
		case int:
			safe[i] = a
		default:
			panic(fmt.Sprintf("page: %T in markup", a))
		}
	}
	fmt.Fprintf(&p.Buffer, format, safe...)
}

// escape returns text that is safe between tags and in quoted attributes of HTML
// and XML. Characters that XML cannot hold, and the marks that turn the direction of
// the text around them, become U+FFFD.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r == '\r':
			return '\n' // as a parser of HTML would have it
		case unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF || unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r // bytes that are not UTF-8 become U+FFFD
	}, s)
	return escaper.Replace(s)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// pixel writes a coordinate. A number halfway between two tenths goes up, even if an
// architecture that fuses multiply and add comes out a little lower. So all write the
// same.
func pixel(v float64) string {
	v = math.Floor(v*10+0.5+1e-6) / 10
	return strconv.FormatFloat(v+0, 'f', -1, 64) // + 0: not "-0"
}

// number writes a measured value to three digits.
func number(v float64) string {
	switch {
	case v == 0 || math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', 3, 64)
	case math.Abs(v) >= 1e6 || math.Abs(v) < 1e-3:
		return strconv.FormatFloat(v, 'e', 2, 64)
	case math.Abs(v) >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// width estimates how wide s is in a sans-serif font of the given size. It is as wide
// as in the widest common font, since the fonts of the reader are not known.
func width(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		switch {
		case r >= 0x1100: // from here on, scripts as wide as high
			em += 1
		case strings.ContainsRune("iljtfrI.,:;|'!()[]/ ", r):
			em += 0.38
		case strings.ContainsRune("mwMW@%", r):
			em += 0.95
		case r >= 'A' && r <= 'Z':
			em += 0.7
		default:
			em += 0.63
		}
	}
	return em * size
}

// shorten cuts s with an ellipsis to fit room.
func shorten(s string, size, room float64) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > 400 { // no label of that length fits: do not measure megabytes
		cut := 400
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if width(s, size) <= room {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && width(string(r)+"…", size) > room {
		r = r[:len(r)-1]
	}
	return strings.TrimRight(string(r), " ") + "…"
}
