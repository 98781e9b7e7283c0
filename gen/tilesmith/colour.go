package main

import (
	"io"
	"os"
	"runtime"
)

const onWindows = runtime.GOOS == "windows"

// A palette colours text, or leaves it as it is.
type palette bool

// colours are those for w: none but on a terminal that can, and none if the user does not
// want any, see no-color.org.
func colours(w io.Writer) palette {
	if a, ok := w.(*above); ok {
		w = a.to
	}
	return palette(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w) &&
		(!onWindows || os.Getenv("WT_SESSION") != ""))
}

func (p palette) in(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bad(text string) string   { return p.in("1;31", text) }
func (p palette) good(text string) string  { return p.in("32", text) }
func (p palette) minor(text string) string { return p.in("33", text) }

func (p palette) head(text string) string { return p.in("1", text) }
