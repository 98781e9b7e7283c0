package gen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// A section is what one unit has in a file of the set.
type section struct {
	file       string // the file's name, with the folder
	spec       string
	constraint string   // of the file, which all its sections have
	text       string   // declarations of Go, or else assembly
	imports    []string // those that the declarations name
}

// A sheet is a file to be: the sections of all units, in their order.
type sheet struct {
	name, constraint, header, pkg string
	sections                      []section
}

// sheets are the files of a set to be.
type sheets []*sheet

// add appends a section to its file. header and pkg are of that.
func (s *sheets) add(header, pkg string, x section) {
	i := slices.IndexFunc(*s, func(at *sheet) bool { return at.name == x.file })
	if i < 0 {
		i = len(*s)
		*s = append(*s, &sheet{name: x.file, constraint: x.constraint, header: header, pkg: pkg})
	}
	(*s)[i].sections = append((*s)[i].sections, x)
}

// files prints them.
func (s sheets) files() ([]File, error) {
	var files []File
	for _, at := range s {
		print := at.printGo
		if strings.HasSuffix(at.name, ".s") {
			print = at.printAssembly
		}
		data, err := print()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be printed: %w", at.name, err)
		}
		files = append(files, File{at.name, data})
	}
	return files, nil
}

// begin is what every file begins with.
func (s *sheet) begin(p *printer) {
	p.printf("// %s\n\n", s.header)
	if s.constraint != "" {
		p.printf("//go:build %s\n\n", s.constraint)
	}
}

// specMark begins the line that says whose the declarations below it are.
const specMark = "// Spec "

// printGo prints a Go file, with one block of imports.
func (s *sheet) printGo() ([]byte, error) {
	var p, body printer
	s.begin(&p)
	p.printf("package %s\n\n", s.pkg)
	paths := map[string]string{} // by name
	var imports []string
	once := map[string]bool{}
	for _, x := range s.sections {
		text, err := x.renamed(paths, &imports)
		if err != nil {
			return nil, err
		}
		body.printf("%s%s.\n\n", specMark, x.spec)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "const _ = ") { // asserts a version of the run time
				if once[line] {
					continue
				}
				once[line] = true
			}
			body.WriteString(line)
		}
		body.printf("\n")
	}
	p.imports(imports)
	p.WriteString(body.String())
	return format.Source([]byte(p.String()))
}

// renamed is the text of a section. It adds the section's imports to those of the file. A
// name that an earlier section has for another package is replaced by an alias.
func (x section) renamed(paths map[string]string, imports *[]string) (text string, err error) {
	text = x.text
	for _, p := range x.imports {
		name, at := importName(p), p
		if _, path := splitImport(p); name != "_" {
			at = path
		}
		for name != "_" && cmp.Or(paths[name], at) != at {
			taken := name
			var alias []string
			if text, alias, err = renamePackages(text, []string{name + " " + at}, func(n string, is *ast.Object) bool { return is == nil && n == taken }, nil); err != nil {
				return "", err
			}
			name += suffix
			if len(alias) == 1 {
				name = importName(alias[0])
			}
			p = name + " " + at
		}
		paths[name] = at
		if !slices.Contains(*imports, p) {
			*imports = append(*imports, p)
		}
	}
	return text, nil
}

// goSection is the section of declarations in a file of a unit's.
func goSection(o Options, file, constraint string, u *unit.Unit, decls []unit.Decl) (x section, err error) {
	body := printer{known: u.Imports, taken: o.declared}
	body.decls(decls)
	if body.err != nil {
		return x, body.err
	}
	text, alias, err := renamePackages(body.String(), u.Imports, func(name string, is *ast.Object) bool { return is == nil && o.declared[name] }, o.declared)
	if err != nil {
		return x, err
	}
	imports, err := importsOf(text, slices.Concat(u.Imports, everywhere, body.alias, alias))
	return section{file, u.Name, constraint, text, imports}, err
}
