package emu

import (
	"fmt"
	"path"
	"strings"
)

// A sourceLine is where the compiler that wrote the PTX says that it comes from.
type sourceLine struct{ file, line, col int64 }

// source reads the beginning of a .file or a .loc (ISA 11.5): the number and the name of
// a source file, or the file, the line and the column that the instructions which follow
// come from. What else they say is left.
func (p *parser) source() error {
	name := p.is(".file")
	line := p.tok.line
	var n [3]int64
	for i := range n {
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind == tokString && name && i == 1 {
			p.mod.files[n[0]] = p.tok.text
		}
		if p.tok.kind != tokInt || p.tok.line != line {
			break
		}
		n[i] = int64(p.tok.bits)
	}
	if !name {
		p.at = sourceLine{n[0], n[1], n[2]}
	}
	return nil
}

// where writes a source line as compilers do: kernel.cu:12:5. It is "" if the text does
// not say.
func (m *moduleText) where(s sourceLine) string {
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
