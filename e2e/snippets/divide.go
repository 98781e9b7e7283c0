package snippets

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// kind says what a block is.
type kind int

const (
	program      kind = iota // a file with a package clause
	declarations             // functions, types, variables
	statements               // the body of a function, perhaps below functions that it calls
	specs                    // what gen.Main is called with, each with a comma behind it
)

// parts are those of a block.
type parts struct {
	kind  kind
	decls string // what stands outside of functions; the whole text of a program
	body  string // statements, or specs
}

// file returns the text as Go source, without imports.
func (p parts) file() string {
	switch p.kind {
	case program:
		return p.decls
	case statements:
		return "package snippet\n\n" + p.decls + "\nfunc Run() error {\n" + p.body + "\nreturn nil\n}\n"
	case specs:
		return "package snippet\n\n" + p.decls + "\nfunc Specs() []gen.Spec {\nreturn []gen.Spec{\n" + p.body + "\n}\n}\n"
	}
	return "package snippet\n\n" + p.decls
}

// divide finds out what a block is: the first kind as which it parses.
func divide(text string) (parts, error) {
	outer, inner := hoist(text)
	tries := []parts{{program, text, ""}, {declarations, text, ""}, {statements, outer, inner}, {specs, outer, inner}}
	var first error
	for _, p := range tries {
		if p.kind >= statements && strings.TrimSpace(p.body) == "" {
			continue
		}
		_, err := parser.ParseFile(token.NewFileSet(), "", p.file(), 0)
		if err == nil {
			return p, nil
		}
		if p.kind == statements {
			first = err // most blocks are statements
		}
	}
	if first == nil {
		first = fmt.Errorf("there is nothing in it")
	}
	return parts{}, fmt.Errorf("neither a program, nor declarations, statements or specs: as statements: %w", first)
}

// hoist divides lines into functions, which begin at a margin with "func " and end at a closing brace there, and the rest.
func hoist(text string) (outer, inner string) {
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "func ") && !strings.HasPrefix(line, "func(") {
			inside = true
		}
		if !inside {
			inner += line
			continue
		}
		outer += line
		end := strings.TrimRight(line, "\n")
		inside = end != "}" && !(strings.HasPrefix(line, "func ") && strings.HasSuffix(end, "}"))
	}
	return outer, inner
}

// used returns the body of Run, changed so that a snippet may end where its reader knows how to go on: the compiler
// refuses variables and values that nothing uses.
func used(source string, f *ast.FuncDecl) string {
	body := source[f.Body.Lbrace : f.Body.Rbrace-1]
	for _, s := range slices.Backward(f.Body.List) {
		if s, ok := s.(*ast.ExprStmt); ok {
			if _, literal := s.X.(*ast.CompositeLit); literal {
				at := s.Pos() - f.Body.Lbrace - 1
				body = body[:at] + "_ = " + body[at:]
			}
		}
	}
	body, _ = strings.CutSuffix(strings.TrimRight(body, "\n"), "return nil")
	return body + unused(f)
}

// unused returns a statement for each variable that a function declares in its outermost block.
func unused(f *ast.FuncDecl) string {
	var b strings.Builder
	for _, s := range f.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				continue
			}
			for _, x := range s.Lhs {
				if name, ok := x.(*ast.Ident); ok && name.Name != "_" {
					fmt.Fprintf(&b, "_ = %s\n", name.Name)
				}
			}
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						fmt.Fprintf(&b, "_ = %s\n", name.Name)
					}
				}
			}
		}
	}
	return b.String()
}
