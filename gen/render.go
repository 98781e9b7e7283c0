package gen

import (
	"fmt"
	"go/ast"
	"go/format"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/gen/unit"
)

// render returns the files of a unit.
func render(o Options, u *unit.Unit) ([]File, error) {
	folder := ""
	if u.Folder != "" {
		folder, o = u.Folder+"/", subOptions(o, u.Folder)
	}
	var files []File
	for _, v := range u.Variants {
		ks := v.Funcs
		if o.Dump != nil && v.Shown != nil { // whoever looks wants to see what is shared, too
			ks = unit.Kernels("", v.Shown...)
		}
		if len(ks) == 0 {
			continue
		}
		data, err := assembly(o, v.Target, ks)
		if err != nil {
			return nil, err
		}
		files = append(files, File{folder + unit.TextFile(u.Name, v.Target), data})
	}
	texts, err := goTexts(u)
	if err != nil {
		return nil, err
	}
	for _, f := range texts {
		name := unit.Snake(u.Name) + f.Suffix + ".go"
		data, err := f.print(o, u.Imports)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be printed, which is a bug of who lowers the spec: %w", name, err)
		}
		files = append(files, File{folder + name, data})
	}
	return files, nil
}

// subOptions are the options of what is written to a sub-package: its headers name the
// source as it is seen from there, which also tells its files from those of a spec that
// lies there.
func subOptions(o Options, folder string) Options {
	o.Package, o.Source = folder, subSource(o.Source)
	o.declared = namesIn(filepath.Join(o.Dir, folder), folder)
	return o
}

func subSource(source string) string {
	if strings.HasSuffix(source, ".go") {
		return "../" + source
	}
	return source
}

// goText is a Go file to be.
type goText struct {
	unit.File
	constraint string
}

// goTexts are the Go files of a unit: its own, those that declare its functions or stand
// in for them, and the test.
func goTexts(u *unit.Unit) ([]goText, error) {
	var texts []goText
	for _, f := range u.Files {
		texts = append(texts, goText{f, ""})
	}
	if len(u.Variants) > 0 {
		t := u.Variants[0].Target
		b, err := backendOf(t)
		if err != nil {
			return nil, err
		}
		if b.called != "" {
			asm, none := []unit.Decl{}, []unit.Decl{}
			for _, v := range u.Listed {
				asm = append(asm, v)
				v.Value = nil
				none = append(none, v)
			}
			asm = append(append(asm, u.Asm...), stubs(u.Variants)...)
			if none = append(none, u.Noasm...); len(asm)+len(none) > 0 {
				texts = append(texts, goText{unit.File{Suffix: "_" + t.Arch, Decls: asm}, b.called},
					goText{unit.File{Suffix: "_noasm", Decls: none}, noasmTag})
			}
		}
	}
	if u.Oracle != nil {
		texts = append(texts, goText{unit.File{Suffix: "_test", Decls: testOf(u)}, ""})
	}
	return texts, nil
}

// stubs declare the functions of assembly.
func stubs(vs []unit.Variant) []unit.Decl {
	var ds []unit.Decl
	for _, v := range vs {
		for _, k := range v.Funcs {
			ds = append(ds, unit.Text(fmt.Sprintf("//go:noescape\nfunc %s(args *%s)", k.Name, k.Args)))
		}
	}
	return ds
}

// print writes the file, which imports what it names.
func (f goText) print(o Options, known []string) ([]byte, error) {
	var p printer
	p.printf("// %s\n\n", Header(o.Source))
	if f.constraint != "" {
		p.printf("//go:build %s\n\n", f.constraint)
	}
	p.printf("package %s\n\n", o.Package)
	body := printer{known: known}
	body.decls(f.Decls)
	if body.err != nil {
		return nil, body.err
	}
	text, err := renamePackages(body.String(), known, func(name string, is *ast.Object) bool { return is == nil && o.declared[name] })
	if err != nil {
		return nil, err
	}
	paths, err := importsOf(text, withAliases(known))
	if err != nil {
		return nil, err
	}
	p.imports(paths)
	p.WriteString(text)
	return format.Source([]byte(p.String()))
}
