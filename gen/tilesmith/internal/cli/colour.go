package cli

import (
	"io"
	"os"
	"runtime"
)

const onWindows = runtime.GOOS == "windows"

// A palette colours text, or leaves it as it is.
type Palette bool

// Colours are those for w: none but on a terminal that can, and none if the user does not
// want any, see no-color.org.
func Colours(w io.Writer) Palette {
	if a, ok := w.(*above); ok {
		w = a.to
	}
	return Palette(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w) &&
		(!onWindows || os.Getenv("WT_SESSION") != ""))
}

func (p Palette) in(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p Palette) Bad(text string) string   { return p.in("1;31", text) }
func (p Palette) Good(text string) string  { return p.in("32", text) }
func (p Palette) Minor(text string) string { return p.in("33", text) }

func (p Palette) Head(text string) string { return p.in("1", text) }
