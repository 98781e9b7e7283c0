package snippets

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Package is what a block becomes: source files by name, and the function in them that does it.
type Package struct {
	Block  Block
	Files  map[string]string
	Alone  bool   // it declares names of its own, so blocks of its page are other packages
	Spec   bool   // a program that calls gen.Main: a spec file, for the command
	Specs  bool   // it has a function Specs
	Runs   bool   // it has a function Run
	Output string // what Run has to print, of a block with a comment "// Output:"
	Prints bool   // it has such a comment
}

// buildOnly stands in what a page is given if its blocks are compiled and not run.
const buildOnly = "//snippets:build"

// Translate makes a package of a block of Go. given is the source of what the page takes for granted.
func Translate(b Block, given string) (Package, error) {
	p := Package{Block: b}
	part, err := divide(b.Text)
	if err != nil {
		return p, fmt.Errorf("%s: %w", b, err)
	}
	if part.kind == program {
		return fromProgram(p, part.decls)
	}
	p.Specs, p.Alone = part.kind == specs, part.decls != ""
	p.Runs = part.kind == statements && b.Info == "go" && !strings.Contains(given, buildOnly)
	source := part.file()
	f, err := parse(source)
	if err != nil {
		return p, err
	}
	if part.kind == statements {
		part.body = used(source, f.Scope.Lookup("Run").Decl.(*ast.FuncDecl))
		source = part.file()
		if f, err = parse(source); err != nil {
			return p, err
		}
	}
	p.Output, p.Prints = output(b.Text)
	own := declares(f)
	taken, err := without(given, own)
	if err != nil {
		return p, fmt.Errorf("what %s is given: %w", b.Page, err)
	}
	other, err := parse(taken)
	if err != nil {
		return p, fmt.Errorf("what %s is given: %w", b.Page, err)
	}
	p.Files = map[string]string{
		"snippet.go": addImports(b.Page, source, f, declares(other)),
		"given.go":   addImports(b.Page, taken, other, own),
	}
	return p, nil
}

// fromProgram makes a package of a program: its main function becomes Run.
func fromProgram(p Package, text string) (Package, error) {
	f, err := parse(text)
	if err != nil {
		return p, err
	}
	if strings.Contains(text, "gen.Main(") {
		p.Spec, p.Alone = true, true
		p.Files = map[string]string{"spec.go": text}
		return p, nil
	}
	main := f.Scope.Lookup("main")
	if f.Name.Name != "main" || main == nil {
		return p, fmt.Errorf("%s: the package %s, which is no program", p.Block, f.Name.Name)
	}
	p.Runs, p.Alone = p.Block.Info == "go", true
	p.Output, p.Prints = output(text)
	text = text[:f.Name.Pos()-1] + "snippet" + text[f.Name.End()-1:]
	text = strings.Replace(text, "\nfunc main() {", "\nfunc Run() error { main(); return nil }\n\nfunc main() {", 1)
	p.Files = map[string]string{"snippet.go": text}
	return p, nil
}

func parse(source string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
}

// without returns source without the declarations of names. Each declaration of a given file declares one idea:
// it goes as a whole if one of its names is declared by the block.
func without(source string, names map[string]bool) (string, error) {
	if source == "" {
		source = "package snippet\n"
	}
	f, err := parse(source)
	if err != nil {
		return "", err
	}
	out := "package snippet\n"
	for _, d := range f.Decls {
		gone := false
		for _, name := range namesOf(d) {
			gone = gone || names[name]
		}
		if !gone {
			out += "\n" + source[d.Pos()-1:d.End()-1] + "\n"
		}
	}
	return out, nil
}

// output returns the text of the comments "// Output:", as an Example has one, and whether there is one.
func output(text string) (string, bool) {
	parts := strings.Split(text, "// Output:")
	var lines []string
	for _, want := range parts[1:] {
		first, rest, _ := strings.Cut(want, "\n")
		if first = strings.TrimSpace(first); first != "" {
			lines = append(lines, first)
		}
		for line := range strings.Lines(rest) {
			more, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
			if !ok {
				break
			}
			lines = append(lines, strings.TrimSpace(more))
		}
	}
	return strings.Join(lines, "\n"), len(parts) > 1
}
