package gen

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
)

// render returns what a unit has in the files of the set, and files of its own: texts for GPUs.
func render(o Options, u *unit.Unit) (sections []section, texts []File, err error) {
	folder, set := "", setName(o.Source, o.Package)
	if u.Folder != "" {
		folder, o = u.Folder+"/", subOptions(o, u.Folder)
	}
	asm := section{spec: u.Name}
	for _, v := range u.Variants {
		ks := v.Funcs
		if o.Dump != nil && v.Shown != nil { // whoever looks wants to see what is shared, too
			ks = unit.Kernels("", v.Shown...)
		}
		if len(ks) == 0 {
			continue
		}
		b, err := backendOf(v.Target)
		if err != nil {
			return nil, nil, err
		}
		if b.called == "" {
			data, err := assembly(o, v.Target, ks)
			if err != nil {
				return nil, nil, err
			}
			texts = append(texts, File{folder + unit.TextFile(u.Name, v.Target), data})
			continue
		}
		text, err := assembled(o, v.Target, "", ks, func(f *emit.Func) string { return about(u.Name, v.Target, f.Name) })
		if err != nil {
			return nil, nil, err
		}
		asm.file, asm.constraint, asm.text = folder+set+asmEnd(v.Target.Arch), b.built, string(text)
		sections = append(sections, asm)
	}
	parts, err := goParts(u)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range parts {
		if len(p.decls) == 0 {
			continue
		}
		x, err := goSection(o, folder+set+p.end, p.constraint, u, p.decls)
		if err != nil {
			return nil, nil, fmt.Errorf("%s cannot be printed, which is a bug of the package that lowers the spec: %w", set+p.end, err)
		}
		if strings.TrimSpace(x.text) != "" {
			sections = append(sections, x)
		}
	}
	return sections, texts, nil
}

// assembly runs the backend's passes over the functions of a variant and prints them.
// The text is a file of its own.
func assembly(o Options, t emit.Target, ks []unit.Kernel) ([]byte, error) {
	return assembled(o, t, "// "+Header(o.Source)+"\n\n", ks, nil)
}

// assembled is assembly below a header. Above what the functions say of themselves they have the
// line that about returns, which may be nil.
func assembled(o Options, t emit.Target, header string, ks []unit.Kernel, about func(*emit.Func) string) ([]byte, error) {
	if err := passes(o, t, ks); err != nil {
		return nil, err
	}
	b, err := backendOf(t)
	if err != nil {
		return nil, err
	}
	var fs []*emit.Func
	for _, k := range ks {
		f := k.Func
		if about != nil {
			f = new(*f)
			f.Doc = strings.TrimSuffix(about(f)+"\n"+f.Doc, "\n")
		}
		fs = append(fs, f)
	}
	var text bytes.Buffer
	err = b.Print(&text, t, header, fs)
	return text.Bytes(), err
}

// about is a line that says which function of a large file this is. It has the spec, the ISA,
// and the tile, or else what its name has besides.
func about(spec string, t emit.Target, name string) string {
	line := strings.TrimPrefix(specMark, "// ") + spec + ", " + t.Name
	var rest []string
	for i, part := range strings.Split(name, "_") {
		if part != t.Name && (i > 0 || part != unit.Lower(spec)) {
			rest = append(rest, part)
		}
	}
	what := strings.Join(rest, " ")
	if what != "" && what[0] >= '0' && what[0] <= '9' {
		what = "tile " + what
	}
	if what != "" {
		line += ", " + what
	}
	return line + "."
}

// subOptions are the options of what is written to a sub-package. Its headers name the
// source as it is seen from there, which also tells its files from those of a spec that
// lies there.
func subOptions(o Options, folder string) Options {
	o.Package, o.Source = folder, subSource(o.Source)
	o.declared = namesIn(filepath.Join(o.Dir, folder), folder)
	return o
}

func subSource(source string) string {
	if isSpecFile(source) {
		return "../" + source
	}
	return source
}

// goPart is what a unit declares in one of the Go files.
type goPart struct {
	end, constraint string
	decls           []unit.Decl
}

// goParts are those of a unit: its own code, the declarations of its functions or what stands in
// for them, and the test.
func goParts(u *unit.Unit) ([]goPart, error) {
	parts := []goPart{{portableEnd, "", append(u.Decls[:len(u.Decls):len(u.Decls)], u.Copies...)}}
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
			none = append(none, u.Noasm...)
			parts = append(parts, goPart{stubsEnd(t.Arch), b.called, asm}, goPart{otherEnd, noasmTag, none})
		}
	}
	test := u.TestDecls
	if u.Oracle != nil {
		test = append(testOf(u), test...)
	}
	return append(parts, goPart{testEnd, "", test}), nil
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
