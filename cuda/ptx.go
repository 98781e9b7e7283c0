package cuda

import (
	"fmt"
	"strconv"
	"strings"
)

// PTXVersion is a version of the PTX language, as .version states it.
type PTXVersion struct{ Major, Minor int }

func (v PTXVersion) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Less reports whether v came before w.
func (v PTXVersion) Less(w PTXVersion) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// Header is what a PTX text says of itself in its first directives.
type Header struct {
	Version      PTXVersion
	Target       string // "sm_80", "sm_90a"
	Major, Minor int    // the compute capability of Target
	Exact        bool   // Target ends in a letter: it runs on that capability, or its family, only
}

// ReadHeader finds .version and .target at the start of a PTX text. The error wraps
// [ErrPTX].
func ReadHeader(ptx string) (Header, error) {
	var h Header
	next := tokens(ptx)
	if word := next(); word != ".version" {
		return h, fmt.Errorf("%w: it starts with %q, want .version", ErrPTX, clip(word))
	}
	word := next()
	major, minor, ok := strings.Cut(word, ".")
	var err1, err2 error
	h.Version.Major, err1 = strconv.Atoi(major)
	h.Version.Minor, err2 = strconv.Atoi(minor)
	if !ok || err1 != nil || err2 != nil {
		return h, fmt.Errorf("%w: .version %q, want two numbers, as in 7.0", ErrPTX, clip(word))
	}
	if word := next(); word != ".target" {
		return h, fmt.Errorf("%w: %q after .version %s, want .target", ErrPTX, clip(word), h.Version)
	}
	h.Target = strings.TrimRight(next(), ",")
	digits, ok := strings.CutPrefix(h.Target, "sm_")
	if n := len(digits); n > 0 && (digits[n-1] == 'a' || digits[n-1] == 'f') {
		h.Exact, digits = true, digits[:n-1]
	}
	cc, err := strconv.Atoi(digits)
	if !ok || err != nil || cc < 10 || cc > 999 {
		return h, fmt.Errorf("%w: .target %q, want sm_ and a number, as in sm_80", ErrPTX, clip(h.Target))
	}
	h.Major, h.Minor = cc/10, cc%10
	return h, nil
}

// CheckDevice returns nil if a device can run the text, as far as its target
// tells, or an error that wraps [ErrUnsupported] and names both.
func (h Header) CheckDevice(i Info) error {
	older := i.Major < h.Major || i.Major == h.Major && i.Minor < h.Minor
	family := strings.HasSuffix(h.Target, "f") && i.Major == h.Major && !older
	switch {
	case older:
		return fmt.Errorf("%w: the PTX is for %s and later, %s is sm_%d%d; generate it for that target", ErrUnsupported, h.Target, i.Name, i.Major, i.Minor)
	case h.Exact && !family && (i.Major != h.Major || i.Minor != h.Minor):
		return fmt.Errorf("%w: the PTX is for %s only, %s is sm_%d%d; generate it for a target without a letter", ErrUnsupported, h.Target, i.Name, i.Major, i.Minor)
	}
	return nil
}

// tokens returns a function that returns the words of a PTX text one by one,
// without comments, and "" at the end.
func tokens(text string) func() string {
	return func() string {
		for {
			text = strings.TrimLeft(text, " \t\r\n")
			end := ""
			switch {
			case strings.HasPrefix(text, "//"):
				end = "\n"
			case strings.HasPrefix(text, "/*"):
				end = "*/"
			}
			if end == "" {
				n := strings.IndexAny(text, " \t\r\n/")
				if n < 0 {
					n = len(text)
				} else if n == 0 {
					n = 1 // a lone slash
				}
				word := text[:n]
				text = text[n:]
				return word
			}
			_, after, _ := strings.Cut(text, end)
			text = after
		}
	}
}

// clip bounds what an error quotes of a text.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// Kernels returns the names of the kernels that a PTX text declares, in its order.
func Kernels(ptx string) []string {
	var names []string
	next := tokens(ptx)
	for word := next(); word != ""; word = next() {
		if word == ".entry" {
			name, _, _ := strings.Cut(next(), "(")
			names = append(names, name)
		}
	}
	return names
}
