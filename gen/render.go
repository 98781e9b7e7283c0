package gen

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
)

// render returns what units of one spec have in the files of the set, and files of its own:
// texts for GPUs. There is one unit for each architecture whose functions Go calls, and the
// first has what is portable; or one for GPUs. archs are the architectures of the set.
func render(o Options, us []*unit.Unit, archs []string) (sections []section, texts []File, err error) {
	u := us[0]
	folder, set := "", setName(o.Source, o.Package)
	if u.Folder != "" {
		folder, o = u.Folder+"/", subOptions(o, u.Folder)
	}
	for _, v := range variantsOf(us) {
		asm := section{spec: u.Name}
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
	for _, p := range goParts(us, archs) {
		if len(p.decls) == 0 {
			continue
		}
		x, err := goSection(o, folder+set+p.end, p.constraint, p.of, p.decls)
		if err != nil {
			return nil, nil, fmt.Errorf("%s cannot be printed, which is a bug of the package that lowers the spec: %w", set+p.end, err)
		}
		if strings.TrimSpace(x.text) != "" {
			sections = append(sections, x)
		}
	}
	return sections, texts, nil
}

func variantsOf(us []*unit.Unit) (all []unit.Variant) {
	for _, u := range us {
		all = append(all, u.Variants...)
	}
	return all
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
	of              *unit.Unit
	end, constraint string
	decls           []unit.Decl
}

// goParts are those of a spec: its own code, the declarations of its functions of each
// architecture or what stands in for them, and the test.
func goParts(us []*unit.Unit, archs []string) []goPart {
	u := us[0]
	parts := []goPart{{u, portableEnd, "", append(u.Decls[:len(u.Decls):len(u.Decls)], u.Copies...)}}
	if arch := archOf(u); arch != "" && backends[arch].called != "" {
		none := []unit.Decl{}
		for _, v := range u.Listed {
			v.Value = nil
			none = append(none, v)
		}
		none = append(none, u.Noasm...)
		for _, arch := range archs {
			part := goPart{u, stubsEnd(arch), backends[arch].called, none}
			if i := slices.IndexFunc(us, func(u *unit.Unit) bool { return archOf(u) == arch }); i >= 0 {
				part.of, part.decls = us[i], nil
				for _, v := range us[i].Listed {
					part.decls = append(part.decls, v)
				}
				part.decls = append(append(part.decls, us[i].Asm...), stubs(us[i].Variants)...)
			}
			parts = append(parts, part)
		}
		parts = append(parts, goPart{u, otherEnd, noasmTag(archs), none})
	}
	test := u.TestDecls
	if u.Oracle != nil {
		test = append(testOf(us), test...)
	}
	return append(parts, goPart{u, testEnd, "", test})
}

// archOf is the architecture of a unit, "" if it has no variants.
func archOf(u *unit.Unit) string {
	if len(u.Variants) == 0 {
		return ""
	}
	return u.Variants[0].Target.Arch
}

// archsOf lists the architectures of the package itself whose functions Go calls, in order.
func archsOf(specs [][]*unit.Unit) (archs []string) {
	for _, us := range specs {
		for _, u := range us {
			if arch := archOf(u); backends[arch].called != "" && !slices.Contains(archs, arch) {
				archs = append(archs, arch)
			}
		}
	}
	slices.Sort(archs)
	return archs
}

// together groups the units of a spec that are rendered together: those whose functions Go calls.
func together(units []*unit.Unit) (all [][]*unit.Unit) {
	var called []*unit.Unit
	for _, u := range units {
		if u.Folder == "" && backends[archOf(u)].called != "" {
			called = append(called, u)
		} else {
			all = append(all, []*unit.Unit{u})
		}
	}
	if called != nil {
		all = append([][]*unit.Unit{called}, all...)
	}
	return all
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
