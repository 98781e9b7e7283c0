package emu

import (
	"fmt"
	"path"
	"strings"
)

// A sourceLine is where the compiler that wrote the PTX says that it comes from.
type sourceLine struct {
	file, line, col int64
	// site is where the function was called that the line is of, if it was put in there; nil if not.
	site *sourceLine
}

// source reads the beginning of a .file or a .loc (ISA 11.5). The one has the number and
// the name of a source file. The other has the file, the line and the column that the
// following instructions come from, and where the function of that line was called.
// Their other contents are left.
func (p *parser) source() {
	name := p.is(".file")
	line := p.tok.line
	var n [3]int64
	numbers := func(n *[3]int64) {
		for i := range n {
			p.advance()
			if p.tok.kind == tokString && name && i == 1 {
				p.mod.files[n[0]] = p.tok.text
			}
			if p.tok.kind != tokInt || p.tok.line != line {
				return
			}
			n[i] = int64(p.tok.bits)
		}
	}
	if numbers(&n); name {
		return
	}
	for p.tok.kind != tokEOF && p.tok.line == line && !p.is("inlined_at") {
		p.advance()
	}
	p.at = sourceLine{file: n[0], line: n[1], col: n[2]}
	if p.is("inlined_at") && p.tok.line == line {
		var at [3]int64
		numbers(&at)
		// Compilers write the call before what was put in there, so that its own call is known.
		if p.at.site = p.calls[at]; p.at.site == nil {
			p.at.site = &sourceLine{file: at[0], line: at[1], col: at[2]}
		}
	}
	if p.calls == nil {
		p.calls = map[[3]int64]*sourceLine{}
	}
	here := p.at
	p.calls[n] = &here
}

// mostSites bounds the calls that a report writes of one line.
const mostSites = 8

// where writes a source line as compilers do, and the calls that it was put in place of:
// dot.h:12:5, inlined at kernel.cu:40:9. It is "" if the text does not say.
func (m *moduleText) where(s sourceLine) string {
	text := m.place(s)
	if text == "" {
		return ""
	}
	for n := 0; s.site != nil; n++ {
		if n == mostSites {
			return text + ", …"
		}
		s = *s.site
		if at := m.place(s); at != "" {
			text += ", inlined at " + at
		}
	}
	return text
}

func (m *moduleText) place(s sourceLine) string {
	file := m.files[s.file]
	if file == "" || s.line <= 0 {
		return ""
	}
	file = clip(path.Base(strings.ReplaceAll(file, `\`, "/")))
	if s.col <= 0 {
		return fmt.Sprintf("%s:%d", file, s.line)
	}
	return fmt.Sprintf("%s:%d:%d", file, s.line, s.col)
}
