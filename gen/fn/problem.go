package fn

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
)

// Problem is one reason why a function cannot be translated.
type Problem struct {
	Pos token.Position
	Msg string
}

func (p Problem) String() string {
	if !p.Pos.IsValid() {
		return p.Msg
	}
	return p.Pos.String() + ": " + p.Msg
}

// Error says why a function is refused: all reasons that were found, in the order
// of their places.
type Error struct {
	Func     string
	Problems []Problem
}

// Error returns one line for each problem: file:line:col: what is wrong and what
// would be right.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// refuse returns an error with one problem.
func (p *Program) refuse(name string, pos token.Pos, format string, args ...any) error {
	return &Error{Func: name, Problems: []Problem{{p.position(pos), fmt.Sprintf(format, args...)}}}
}

// position returns where pos is, with a file name relative to the program's
// folder if it lies there.
func (p *Program) position(pos token.Pos) token.Position {
	at := p.fset.Position(pos)
	if rel, err := filepath.Rel(p.dir, at.Filename); err == nil && filepath.IsLocal(rel) {
		at.Filename = rel
	}
	return at
}
